import { notSupported, required, tooMany, typeInvalid } from "../../../apimachinery/field-error.ts";
import { quote } from "../../../apimachinery/quote.ts";
import type { InvalidCause } from "../../../apimachinery/status-errors.ts";
import { deepEqual } from "../../../apimachinery/deep-equal.ts";
import { matchesFormat } from "./formats.ts";
import type { JsonRecord, JsonSchema } from "./json-schema.ts";
import { isRecord, itemsOf, propertyOf } from "./json-schema.ts";
import { compilePattern } from "./patterns.ts";

/** A value with no counterpart in the object before. */
export const uncorrelated = Symbol("uncorrelated");

/**
 * The errors of a value under a schema, in upstream's words. `old` is the value before an update, or {@link uncorrelated}:
 * what an update leaves as it was is not complained about (ratcheting). `path` names the value; "" is the object itself.
 * Mirrors pkg/apiserver/validation of k8s.io/apiextensions-apiserver and pkg/validation/validate of k8s.io/kube-openapi (1.36).
 */
export function validateSchema(value: unknown, schema: JsonSchema, old: unknown, path = ""): InvalidCause[] {
  return validateValue(value, schema, old, path).causes;
}

interface Outcome {
  causes: InvalidCause[];
  /** Schemas that were looked at: of several failing alternatives the one that went furthest is reported. */
  matches: number;
}

function validateValue(value: unknown, schema: JsonSchema, old: unknown, path: string): Outcome {
  const outcome: Outcome = { causes: [], matches: 1 };
  if (old !== uncorrelated && deepEqual(value, old)) return outcome;
  if (value === null) {
    if (schema.nullable === true || checkType(value, schema, path, outcome)) checkEnum(value, schema, path, outcome);
    return outcome;
  }
  if (!checkType(value, schema, path, outcome)) return outcome;
  checkJunctors(value, schema, old, path, outcome);
  if (typeof value === "string") checkString(value, schema, path, outcome);
  if (typeof value === "number") checkNumber(value, schema, path, outcome);
  if (Array.isArray(value)) checkArray(value, schema, old, path, outcome);
  checkEnum(value, schema, path, outcome);
  if (isRecord(value)) checkObject(value, schema, old, path, outcome);
  return outcome;
}

function add(outcome: Outcome, path: string, value: unknown, text: string): void {
  const shown = typeof value === "string" ? quote(value) : JSON.stringify(value);
  outcome.causes.push({
    reason: "FieldValueInvalid",
    message: `Invalid value: ${shown}: ${path} in body ${text}`,
    field: path,
  });
}

function checkEnum(value: unknown, schema: JsonSchema, path: string, outcome: Outcome): void {
  if (schema.enum === undefined || schema.enum.length === 0 || schema.enum.some((allowed) => deepEqual(allowed, value)))
    return;
  const supported = schema.enum.map((allowed) => (typeof allowed === "string" ? allowed : JSON.stringify(allowed)));
  outcome.causes.push(notSupported(path, value, supported));
}

/** False when the type is wrong, which makes every other check pointless. */
function checkType(value: unknown, schema: JsonSchema, path: string, outcome: Outcome): boolean {
  const actual = typeOf(value);
  if (schema["x-kubernetes-int-or-string"] === true) {
    if (actual === "integer" || actual === "string") return true;
    outcome.causes.push(typeInvalid(path, actual, `${path} in body must be of type integer,string: ${quote(actual)}`));
    return false;
  }
  const expected = schema.type;
  if (
    expected === undefined ||
    expected === "" ||
    expected === actual ||
    (expected === "number" && actual === "integer")
  )
    return true;
  if (expected === "integer" && actual === "number" && Number.isInteger(value)) return true;
  outcome.causes.push(typeInvalid(path, actual, `${path} in body must be of type ${expected}: ${quote(actual)}`));
  return false;
}

function typeOf(value: unknown): string {
  if (value === null || value === undefined) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  return typeof value === "object" ? "object" : typeof value;
}

function checkString(value: string, schema: JsonSchema, path: string, outcome: Outcome): void {
  const length = schema.maxLength === undefined && schema.minLength === undefined ? 0 : [...value].length;
  if (schema.maxLength !== undefined && length > schema.maxLength) {
    outcome.causes.push({
      reason: "FieldValueTooLong",
      message: `Too long: may not be more than ${schema.maxLength} bytes`,
      field: path,
    });
  }
  if (schema.minLength !== undefined && length < schema.minLength)
    add(outcome, path, value, `should be at least ${schema.minLength} chars long`);
  if (schema.pattern !== undefined && schema.pattern !== "" && !matchesPattern(schema.pattern, value)) {
    add(outcome, path, value, `should match '${schema.pattern}'`);
  }
  if (schema.format !== undefined && schema.format !== "" && !matchesFormat(schema.format, value)) {
    add(outcome, path, value, `must be of type ${schema.format}: ${quote(value)}`);
  }
}

/** A pattern that does not compile was refused when the definition was written. */
function matchesPattern(pattern: string, value: string): boolean {
  try {
    return compilePattern(pattern).matches(value);
  } catch {
    return false;
  }
}

function checkNumber(value: number, schema: JsonSchema, path: string, outcome: Outcome): void {
  const { maximum, minimum, multipleOf } = schema;
  if (multipleOf !== undefined && multipleOf !== 0 && !isMultiple(value, multipleOf))
    add(outcome, path, value, `should be a multiple of ${multipleOf}`);
  if (maximum !== undefined && (schema.exclusiveMaximum === true ? value >= maximum : value > maximum)) {
    add(
      outcome,
      path,
      value,
      `should be less than ${schema.exclusiveMaximum === true ? "" : "or equal to "}${maximum}`,
    );
  }
  if (minimum !== undefined && (schema.exclusiveMinimum === true ? value <= minimum : value < minimum)) {
    add(
      outcome,
      path,
      value,
      `should be greater than ${schema.exclusiveMinimum === true ? "" : "or equal to "}${minimum}`,
    );
  }
  if (!isInFormat(value, schema.format))
    add(outcome, path, value, `must be of type ${schema.format}: ${quote(String(value))}`);
}

function isMultiple(value: number, factor: number): boolean {
  const quotient = value / factor;
  return Math.abs(quotient - Math.round(quotient)) < 1e-9;
}

function isInFormat(value: number, format: string | undefined): boolean {
  switch (format) {
    case "int32":
      return Number.isInteger(value) && value >= -(2 ** 31) && value < 2 ** 31;
    case "int64":
      return Number.isInteger(value) && Math.abs(value) <= 2 ** 63;
    case "float":
      return Math.abs(value) <= 3.4028234663852886e38;
    default:
      return true;
  }
}

function checkArray(value: unknown[], schema: JsonSchema, old: unknown, path: string, outcome: Outcome): void {
  const items = itemsOf(schema);
  if (items !== undefined) {
    const counterpart = counterparts(schema, old);
    for (const [index, item] of value.entries()) {
      const result = validateValue(item, items, counterpart(item), `${path}[${index}]`);
      outcome.causes.push(...result.causes);
      outcome.matches += result.matches;
    }
  }
  if (schema.maxItems !== undefined && value.length > schema.maxItems)
    outcome.causes.push(tooMany(path, value.length, schema.maxItems));
  if (schema.minItems !== undefined && value.length < schema.minItems) {
    add(outcome, path, value.length, `should have at least ${schema.minItems} items`);
  }
}

/** Only entries of lists of type "map" have an identity. */
function counterparts(schema: JsonSchema, old: unknown): (item: unknown) => unknown {
  const keys = schema["x-kubernetes-list-map-keys"];
  if (schema["x-kubernetes-list-type"] !== "map" || keys === undefined || !Array.isArray(old))
    return () => uncorrelated;
  const keyOf = (item: unknown) => JSON.stringify(keys.map((key) => (item as JsonRecord | null)?.[key] ?? null));
  const byKey = new Map(old.map((item) => [keyOf(item), item as unknown]));
  return (item) => {
    const key = keyOf(item);
    return byKey.has(key) ? byKey.get(key) : uncorrelated;
  };
}

function checkObject(value: JsonRecord, schema: JsonSchema, old: unknown, path: string, outcome: Outcome): void {
  const names = Object.keys(value);
  if (schema.minProperties !== undefined && names.length < schema.minProperties) {
    add(outcome, path, names.length, `should have at least ${schema.minProperties} properties`);
  }
  if (schema.maxProperties !== undefined && names.length > schema.maxProperties) {
    outcome.causes.push(tooMany(path, names.length, schema.maxProperties));
  }
  for (const name of schema.required ?? []) {
    if (!Object.hasOwn(value, name)) outcome.causes.push(required(childPath(path, name)));
  }
  for (const name of names) {
    const property = propertyOf(schema, name);
    if (property === undefined) {
      if (
        schema.additionalProperties === false &&
        (schema.properties === undefined || !Object.hasOwn(schema.properties, name))
      ) {
        add(outcome, childPath(path, name), "", "is a forbidden property");
      }
      continue;
    }
    const before = isRecord(old) && Object.hasOwn(old, name) ? old[name] : uncorrelated;
    const result = validateValue(value[name], property, before, childPath(path, name));
    outcome.causes.push(...result.causes);
    outcome.matches += result.matches;
  }
}

export function childPath(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}

/** allOf, anyOf, oneOf, not. Errors about the junctor itself name no field, as upstream. */
function checkJunctors(value: unknown, schema: JsonSchema, old: unknown, path: string, outcome: Outcome): void {
  const fail = (text: string) =>
    outcome.causes.push({
      reason: "FieldValueInvalid",
      message: `Invalid value: "": ${quote(path)} ${text}`,
      field: "<nil>",
    });
  if (schema.anyOf !== undefined && schema.anyOf.length > 0) {
    const results = schema.anyOf.map((alternative) => validateValue(value, alternative, old, path));
    if (results.every(({ causes }) => causes.length > 0)) {
      fail("must validate at least one schema (anyOf)");
      addBest(outcome, results);
    }
  }
  if (schema.oneOf !== undefined && schema.oneOf.length > 0) {
    // With an old value a failing alternative might pass for being unchanged, which would make two of one.
    const results = schema.oneOf.map((alternative) => validateValue(value, alternative, uncorrelated, path));
    const valid = results.filter(({ causes }) => causes.length === 0).length;
    if (valid !== 1) {
      fail(
        `must validate one and only one schema (oneOf). Found ${valid === 0 ? "none valid" : `${valid} valid alternatives`}`,
      );
      if (valid === 0) addBest(outcome, results);
    }
  }
  if (schema.allOf !== undefined && schema.allOf.length > 0) {
    const results = schema.allOf.map((part) => validateValue(value, part, old, path));
    const valid = results.filter(({ causes }) => causes.length === 0).length;
    for (const { causes } of results) outcome.causes.push(...causes);
    if (valid < results.length) fail(`must validate all the schemas (allOf)${valid === 0 ? ". None validated" : ""}`);
  }
  if (schema.not !== undefined && validateValue(value, schema.not, uncorrelated, path).causes.length === 0) {
    fail("must not validate the schema (not)");
  }
}

function addBest(outcome: Outcome, results: Outcome[]): void {
  const best = results.reduce((chosen, result) => (result.matches > chosen.matches ? result : chosen));
  outcome.causes.push(...best.causes);
}
