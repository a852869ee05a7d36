import type { Type } from "@bufbuild/cel-spec/cel/expr/checked_pb.js";
import { Type_PrimitiveType, Type_WellKnownType } from "@bufbuild/cel-spec/cel/expr/checked_pb.js";
import type { SimpleTest } from "@bufbuild/cel-spec/cel/expr/conformance/test/simple_pb.js";
import type { Value as ProtoValue } from "@bufbuild/cel-spec/cel/expr/value_pb.js";
import { anyUnpack } from "@bufbuild/protobuf/wkt";
import { DurationSchema, TimestampSchema } from "@bufbuild/protobuf/wkt";
import { check } from "../checker.ts";
import type { Environment } from "../environment.ts";
import { compile, extend, kubernetesEnvironment } from "../environment.ts";
import { CelError } from "../errors.ts";
import { mathLibrary } from "../library/math.ts";
import { stringsReverse } from "../library/strings.ts";
import { bindingMacros } from "../macros.ts";
import { parse } from "../parser.ts";
import { Frame, plan } from "../planner.ts";
import type { CelType } from "../types.ts";
import {
  boolType,
  bytesType,
  doubleType,
  durationType,
  dynType,
  intType,
  listOf,
  mapOf,
  nullType,
  opaque,
  stringType,
  timestampType,
  uintType,
} from "../types.ts";
import type { Value } from "../values.ts";
import {
  ArrayList,
  CelDuration,
  CelList,
  CelMap,
  CelTimestamp,
  CelTypeValue,
  CelUint,
  equal,
  NativeMap,
  typeNameOf,
} from "../values.ts";
import { withWork } from "../work.ts";

const base: Environment = {
  ...extend(kubernetesEnvironment, { functions: [...stringsReverse, ...mathLibrary], macros: bindingMacros }),
  homogeneousLiterals: false,
  escapedIdentifiers: true,
};

/** What went wrong; undefined when the case passes. */
export function runCase(given: SimpleTest): string | undefined {
  try {
    return run(given);
  } catch (error) {
    return error instanceof Error || error instanceof CelError ? error.message : String(error);
  }
}

function run(given: SimpleTest): string | undefined {
  const variables: Record<string, CelType> = {};
  for (const declaration of given.typeEnv) {
    if (declaration.declKind.case !== "ident") return "function declarations are not supported";
    variables[declaration.name] = celType(declaration.declKind.value.type);
  }
  const bindings: Record<string, Value> = {};
  for (const [name, bound] of Object.entries(given.bindings)) {
    if (bound.kind.case !== "value") return "unsupported binding";
    bindings[name] = valueOf(bound.kind.value);
    variables[name] ??= dynType;
  }
  const environment: Environment = {
    ...extend(base, { variables }),
    container: given.container,
    macros: given.disableMacros ? [] : base.macros,
  };
  const matcher = given.resultMatcher;
  const outcome = given.disableCheck
    ? evaluateUnchecked(given.expr, environment, bindings)
    : evaluate(given.expr, environment, bindings);
  if (matcher.case === "evalError" || matcher.case === "anyEvalErrors") {
    return outcome.error === undefined ? `expected an error, got ${show(outcome.value)}` : undefined;
  }
  if (matcher.case === "typedResult" && matcher.value.result === undefined) return outcome.checkError;
  if (outcome.value === undefined) return outcome.error ?? "no value";
  const wanted =
    matcher.case === "value"
      ? valueOf(matcher.value)
      : matcher.case === "typedResult"
        ? valueOf(matcher.value.result as ProtoValue)
        : true;
  return same(wanted, outcome.value) ? undefined : `expected ${show(wanted)}, got ${show(outcome.value)}`;
}

interface Result {
  value?: Value | undefined;
  error?: string | undefined;
  checkError?: string | undefined;
}

function evaluate(source: string, environment: Environment, bindings: Record<string, Value>): Result {
  const compiled = compile(source, environment);
  if (compiled.program === undefined) return { error: compiled.error, checkError: compiled.error };
  return compiled.program.evaluate(bindings);
}

/** As a program that was parsed but not checked: every overload is open. */
function evaluateUnchecked(source: string, environment: Environment, bindings: Record<string, Value>): Result {
  const options = { macros: environment.macros, optionalSyntax: true, escapedIdentifiers: true };
  const { checked } = check(parse(source, options), environment);
  try {
    const frame = new Frame((name) => bindings[name], 1_000_000);
    return { value: withWork(() => plan(checked)(frame)) };
  } catch (error) {
    return { error: error instanceof Error || error instanceof CelError ? error.message : String(error) };
  }
}

function show(value: Value | undefined): string {
  if (value instanceof CelUint) return `${value.value}u`;
  if (value instanceof CelTimestamp || value instanceof CelDuration) return `${typeNameOf(value)} ${value.nanos}`;
  if (value instanceof CelTypeValue) return `type ${value.name}`;
  if (value instanceof CelList) return `[${[...value].map(show).join(", ")}]`;
  if (value instanceof CelMap)
    return `{${[...value.keys()].map((key) => `${show(key)}: ${show(value.get(key))}`).join(", ")}}`;
  return typeof value === "number"
    ? `double ${value}`
    : typeof value === "string"
      ? JSON.stringify(value)
      : String(value);
}

/** Equal in type too. */
function same(wanted: Value, found: Value): boolean {
  if (typeof wanted === "number" && typeof found === "number") return Object.is(wanted, found) || wanted === found;
  if (wanted instanceof CelList && found instanceof CelList) {
    return wanted.size === found.size && [...wanted].every((item, index) => same(item, found.at(index)));
  }
  return typeNameOf(wanted) === typeNameOf(found) && equal(wanted, found);
}

function valueOf(value: ProtoValue): Value {
  const { kind } = value;
  switch (kind.case) {
    case "boolValue":
    case "stringValue":
    case "bytesValue":
    case "doubleValue":
    case "int64Value":
      return kind.value;
    case "uint64Value":
      return new CelUint(kind.value);
    case "nullValue":
      return null;
    case "typeValue":
      return new CelTypeValue(kind.value);
    case "listValue":
      return new ArrayList(kind.value.values.map(valueOf));
    case "mapValue": {
      const map = new NativeMap();
      for (const entry of kind.value.entries)
        map.set(valueOf(entry.key as ProtoValue), valueOf(entry.value as ProtoValue));
      return map;
    }
    case "objectValue": {
      const timestamp = anyUnpack(kind.value, TimestampSchema);
      if (timestamp !== undefined)
        return new CelTimestamp(timestamp.seconds * 1_000_000_000n + BigInt(timestamp.nanos));
      const duration = anyUnpack(kind.value, DurationSchema);
      if (duration !== undefined) return new CelDuration(duration.seconds * 1_000_000_000n + BigInt(duration.nanos));
      throw new Error(`message ${kind.value.typeUrl} is not supported`);
    }
    default:
      throw new Error(`value ${kind.case} is not supported`);
  }
}

const primitives: Partial<Record<Type_PrimitiveType, CelType>> = {
  [Type_PrimitiveType.BOOL]: boolType,
  [Type_PrimitiveType.INT64]: intType,
  [Type_PrimitiveType.UINT64]: uintType,
  [Type_PrimitiveType.DOUBLE]: doubleType,
  [Type_PrimitiveType.STRING]: stringType,
  [Type_PrimitiveType.BYTES]: bytesType,
};

function celType(type: Type | undefined): CelType {
  const kind = type?.typeKind;
  switch (kind?.case) {
    case "null":
      return nullType;
    case "primitive":
      return primitives[kind.value] ?? dynType;
    case "wellKnown":
      if (kind.value === Type_WellKnownType.TIMESTAMP) return timestampType;
      return kind.value === Type_WellKnownType.DURATION ? durationType : dynType;
    case "listType":
      return listOf(celType(kind.value.elemType));
    case "mapType":
      return mapOf(celType(kind.value.keyType), celType(kind.value.valueType));
    case "messageType":
      if (kind.value === "google.protobuf.Duration") return durationType;
      if (kind.value === "google.protobuf.Timestamp") return timestampType;
      throw new Error(`message ${kind.value} is not supported`);
    case "abstractType":
      return opaque(kind.value.name, ...kind.value.parameterTypes.map(celType));
    default:
      return dynType;
  }
}
