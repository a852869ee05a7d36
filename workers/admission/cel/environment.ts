import type { CheckedExpr, Scope } from "./checker.ts";
import { check } from "./checker.ts";
import { CelError, CostLimitExceeded, formatIssues, ParseError } from "./errors.ts";
import type { Issue } from "./errors.ts";
import type { FunctionDeclaration, NamedOverload } from "./functions.ts";
import { declarations } from "./functions.ts";
import { authorizerLibrary } from "./library/authorizer.ts";
import { formatLibrary } from "./library/format.ts";
import { ipLibrary, cidrType, ipType } from "./library/ip.ts";
import { listsExtension } from "./library/lists-ext.ts";
import { listsLibrary } from "./library/lists.ts";
import { optionalLibrary } from "./library/optional.ts";
import { quantityLibrary, quantityType } from "./library/quantity.ts";
import { regexLibrary } from "./library/regex.ts";
import { semverLibrary, semverType } from "./library/semver.ts";
import { setsLibrary } from "./library/sets.ts";
import { standardLibrary } from "./library/standard.ts";
import { stringsLibrary } from "./library/strings.ts";
import { urlsLibrary, urlType } from "./library/urls.ts";
import { validateLiterals } from "./literal-validators.ts";
import type { Macro } from "./macros.ts";
import { listsMacros, optionalMacros, standardMacros, twoVariableMacros } from "./macros.ts";
import { parse } from "./parser.ts";
import type { Activation, Step } from "./planner.ts";
import { Frame, plan } from "./planner.ts";
import type { CelType } from "./types.ts";
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
  optionalOf,
  stringType,
  timestampType,
  typeOf,
  uintType,
} from "./types.ts";
import type { Value } from "./values.ts";
import { withWork } from "./work.ts";

/** Cost units that one expression may use: celconfig.PerCallLimit. */
export const perCallLimit = 1_000_000;

/** What an expression may refer to. Immutable; made once and shared. */
export interface Environment extends Scope {
  readonly macros: readonly Macro[];
  readonly escapedIdentifiers: boolean;
}

const typeNames: ReadonlyMap<string, CelType> = new Map([
  ["bool", boolType],
  ["int", intType],
  ["uint", uintType],
  ["double", doubleType],
  ["string", stringType],
  ["bytes", bytesType],
  ["list", listOf(dynType)],
  ["map", mapOf(dynType, dynType)],
  ["null_type", nullType],
  ["type", typeOf(undefined)],
  ["optional_type", optionalOf(dynType)],
  ["google.protobuf.Timestamp", timestampType],
  ["google.protobuf.Duration", durationType],
  ["net.IP", ipType],
  ["net.CIDR", cidrType],
  ["kubernetes.URL", urlType],
  ["kubernetes.Quantity", quantityType],
  ["kubernetes.Semver", semverType],
]);

const kubernetesFunctions = declarations(
  standardLibrary,
  stringsLibrary,
  optionalLibrary,
  listsLibrary,
  listsExtension,
  regexLibrary,
  setsLibrary,
  urlsLibrary,
  ipLibrary,
  quantityLibrary,
  formatLibrary,
  semverLibrary,
  authorizerLibrary,
);

/** k8s.io/apiserver pkg/cel/environment/base.go at compatibility version 1.36, before variables are declared. */
export const kubernetesEnvironment: Environment = {
  container: "",
  variables: new Map(),
  functions: kubernetesFunctions,
  typeNames,
  structs: new Map(),
  homogeneousLiterals: true,
  macros: [...standardMacros, ...twoVariableMacros, ...optionalMacros, ...listsMacros],
  escapedIdentifiers: false,
};

export interface Extension {
  readonly variables?: Readonly<Record<string, CelType>>;
  readonly functions?: readonly NamedOverload[];
  readonly macros?: readonly Macro[];
  readonly structs?: Scope["structs"];
}

function withFunctions(base: Environment, added: readonly NamedOverload[]): Environment["functions"] {
  const functions = new Map(base.functions);
  for (const [name, declaration] of declarations(added)) {
    const known: FunctionDeclaration | undefined = functions.get(name);
    functions.set(name, { name, overloads: [...(known?.overloads ?? []), ...declaration.overloads] });
  }
  return functions;
}

export function extend(base: Environment, extension: Extension): Environment {
  const functions = extension.functions === undefined ? base.functions : withFunctions(base, extension.functions);
  return {
    ...base,
    functions,
    variables: new Map([...base.variables, ...Object.entries(extension.variables ?? {})]),
    structs: extension.structs ?? base.structs,
    macros: [...base.macros, ...(extension.macros ?? [])],
  };
}

/** `cost` is what the evaluation used, also when it failed. */
export type Outcome =
  | { readonly value: Value; readonly error?: undefined; readonly cost: number }
  | { readonly value?: undefined; readonly error: string; readonly cost: number };

export interface Program {
  readonly source: string;
  readonly checked: CheckedExpr;
  readonly type: CelType;
  /** Whether the expression names the variable. */
  references(variable: string): boolean;
  /** Never raises on account of the expression. `budget` in cost units. */
  evaluate(activation: Activation | Readonly<Record<string, Value>>, budget?: number): Outcome;
}

export type Compilation =
  | { readonly program: Program; readonly error?: undefined }
  /** `error` is upstream's text without the leading "compilation failed: ". */
  | { readonly program?: undefined; readonly error: string; readonly issues: readonly Issue[] };

/** Parses, checks and plans. */
export function compile(source: string, environment: Environment): Compilation {
  let checked: CheckedExpr;
  try {
    const expr = parse(source, {
      macros: environment.macros,
      optionalSyntax: environment.functions.has("optional.of"),
      escapedIdentifiers: environment.escapedIdentifiers,
    });
    const result = check(expr, environment);
    const issues = result.issues.length > 0 ? result.issues : validateLiterals(expr);
    if (issues.length > 0) return { error: formatIssues(source, issues), issues };
    checked = result.checked;
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    return { error: formatIssues(source, [error.issue]), issues: [error.issue] };
  }
  return { program: new CompiledProgram(source, checked) };
}

class CompiledProgram implements Program {
  readonly source: string;
  readonly checked: CheckedExpr;
  #step: Step | undefined;
  readonly #variables: ReadonlySet<string>;

  constructor(source: string, checked: CheckedExpr) {
    this.source = source;
    this.checked = checked;
    const variables = new Set<string>();
    for (const reference of checked.references.values())
      if (reference.kind === "variable") variables.add(reference.name);
    this.#variables = variables;
  }

  get type(): CelType {
    return this.checked.type;
  }

  references(variable: string): boolean {
    return this.#variables.has(variable);
  }

  evaluate(activation: Activation | Readonly<Record<string, Value>>, budget: number = perCallLimit): Outcome {
    const lookUp: Activation =
      typeof activation === "function"
        ? activation
        : (name) => (Object.hasOwn(activation, name) ? activation[name] : undefined);
    const frame = new Frame(lookUp, budget);
    try {
      const step = (this.#step ??= plan(this.checked));
      return { value: withWork(() => step(frame)), cost: frame.cost };
    } catch (error) {
      if (error instanceof CelError) return { error: error.message, cost: frame.cost };
      if (error instanceof CostLimitExceeded) return { error: error.message, cost: Math.max(frame.cost, budget) };
      // Trees are bounded in depth, but values may nest deeper.
      if (error instanceof RangeError)
        return { error: new CostLimitExceeded().message, cost: Math.max(frame.cost, budget) };
      throw error;
    }
  }
}
