import { deepEqual } from "../../apimachinery/deep-equal.ts";
import { duplicate, forbidden, invalid, required } from "../../apimachinery/field-error.ts";
import { quote } from "../../apimachinery/quote.ts";
import type { InvalidCause } from "../../apimachinery/status-errors.ts";
import { perCallLimit } from "./environment.ts";
import type { Program } from "./environment.ts";
import { CelError } from "./errors.ts";
import { validFieldPath } from "./rule-field-path.ts";
import type { RuleProgram } from "./rule-program.ts";
import { compileRule, ruleScope, unsupportedSchema } from "./rule-program.ts";
import { converterOf } from "./schema-values.ts";
import type { StructuralSchema, ValidationRule } from "./structural-schema.ts";
import { additionalSchema, withTypeAndObjectMeta } from "./structural-schema.ts";
import type { Value } from "./values.ts";
import { CelOptional, optionalNone } from "./values.ts";

/** Cost units for one object: celconfig.RuntimeCELCostBudget. */
export const runtimeCostBudget = 10_000_000;
const maxMessageSize = 5 * 1024;

export interface ValidateOptions {
  /** In cost units; runtimeCostBudget when absent. */
  readonly costBudget?: number;
  /**
   * Drops what rules without oldSelf find in parts that did not change, as upstream does on updates. Off when absent: the
   * caller may do it by its own means.
   */
  readonly ratcheting?: boolean;
}

/** The rules of a schema and of all schemas below it. Compiled when first run; may be kept as long as the schema. */
export class CompiledRules {
  readonly #schema: StructuralSchema;
  readonly #isResourceRoot: boolean;
  #root: RuleNode | undefined;
  #built = false;

  constructor(schema: StructuralSchema, isResourceRoot: boolean) {
    this.#schema = schema;
    this.#isResourceRoot = isResourceRoot;
  }

  /** Undefined when there is no rule anywhere. */
  get root(): RuleNode | undefined {
    if (!this.#built) {
      this.#root = ruleNode(this.#schema, this.#schema, this.#isResourceRoot);
      this.#built = true;
    }
    return this.#root;
  }
}

/**
 * `schema` is the openAPIV3Schema of a version, structural, in JSON form. The object it describes is a resource unless said
 * otherwise.
 */
export function compileValidationRules(schema: StructuralSchema, isResourceRoot = true): CompiledRules {
  return new CompiledRules(schema, isResourceRoot);
}

/**
 * Runs the rules on an object that the schema has already accepted (pruned, defaulted). Transition rules run where the old
 * object has a comparable value. Never raises on account of a rule.
 */
export function validateWithRules(
  rules: CompiledRules,
  object: unknown,
  oldObject: unknown,
  options: ValidateOptions = {},
): InvalidCause[] {
  const run = new RuleRun(options);
  if (rules.root !== undefined) run.validate(rules.root, "", object, oldObject, { changed: true, correlated: true });
  return run.causes;
}

interface PreparedRule extends RuleProgram {
  /** Below the value that the rule stands at. */
  readonly fieldPath: string;
}

/** Mirrors Validator of k8s.io/apiextensions-apiserver pkg/apiserver/schema/cel/validation.go (1.36). */
class RuleNode {
  readonly schema: StructuralSchema;
  readonly isResourceRoot: boolean;
  readonly items: RuleNode | undefined;
  readonly additional: RuleNode | undefined;
  readonly properties: ReadonlyMap<string, RuleNode>;
  readonly allOf: readonly RuleNode[];
  readonly #rules: readonly ValidationRule[];
  #prepared: readonly PreparedRule[] | string | undefined;

  constructor(
    parts: Pick<RuleNode, "schema" | "isResourceRoot" | "items" | "additional" | "properties" | "allOf">,
    rules: readonly ValidationRule[],
  ) {
    this.schema = parts.schema;
    this.isResourceRoot = parts.isResourceRoot;
    this.items = parts.items;
    this.additional = parts.additional;
    this.properties = parts.properties;
    this.allOf = parts.allOf;
    this.#rules = rules;
  }

  /** A text when the schema takes no rules. */
  get prepared(): readonly PreparedRule[] | string {
    return (this.#prepared ??= this.#prepare());
  }

  #prepare(): readonly PreparedRule[] | string {
    if (this.#rules.length === 0) return [];
    const scope = ruleScope(this.schema, this.isResourceRoot);
    if (scope === undefined) return unsupportedSchema(this.schema);
    return this.#rules.map((rule) => ({
      ...compileRule(rule, scope),
      fieldPath:
        rule.fieldPath === undefined || rule.fieldPath === ""
          ? ""
          : (validFieldPath(rule.fieldPath, this.schema).path ?? ""),
    }));
  }
}

const isEmbedded = (schema: StructuralSchema): boolean => schema["x-kubernetes-embedded-resource"] === true;

/** Rules come from `validation`, which may be a branch of allOf; types from `node`, the schema's spine. */
function ruleNode(validation: StructuralSchema, node: StructuralSchema, isResourceRoot: boolean): RuleNode | undefined {
  const rules = validation["x-kubernetes-validations"] ?? [];
  const items =
    validation.items !== undefined && node.items !== undefined
      ? ruleNode(validation.items, node.items, isEmbedded(node.items))
      : undefined;
  const additionalValidation = additionalSchema(validation);
  const additionalNode = additionalSchema(node);
  const additional =
    additionalValidation !== undefined && additionalNode !== undefined
      ? ruleNode(additionalValidation, additionalNode, isEmbedded(additionalNode))
      : undefined;
  const properties = new Map<string, RuleNode>();
  for (const [name, property] of Object.entries(validation.properties ?? {})) {
    const spine = node.properties?.[name];
    const below = spine === undefined ? undefined : ruleNode(property, spine, isEmbedded(spine));
    if (below !== undefined) properties.set(name, below);
  }
  const allOf = (validation.allOf ?? []).flatMap((branch) => ruleNode(branch, node, isResourceRoot) ?? []);
  if (
    rules.length === 0 &&
    items === undefined &&
    additional === undefined &&
    properties.size === 0 &&
    allOf.length === 0
  ) {
    return undefined;
  }
  return new RuleNode({ schema: node, isResourceRoot, items, additional, properties, allOf }, rules);
}

interface Ratchet {
  /** Errors count: something at the nearest comparable place changed, or ratcheting is off. */
  readonly changed: boolean;
  /** The place has a counterpart in the old object. */
  readonly correlated: boolean;
}

class RuleRun {
  readonly causes: InvalidCause[] = [];
  readonly #ratcheting: boolean;
  #remaining: number;

  constructor(options: ValidateOptions) {
    this.#ratcheting = options.ratcheting === true;
    this.#remaining = options.costBudget ?? runtimeCostBudget;
  }

  /** False when the budget is spent and nothing more may run. */
  validate(node: RuleNode, path: string, value: unknown, old: unknown, above: Ratchet): boolean {
    if (value === undefined || value === null) return true;
    const ratchet = this.#ratchet(value, old, above);
    if (!this.#runRules(node, path, value, old, ratchet)) return false;
    for (const branch of node.allOf) {
      // Upstream does not ratchet what allOf finds by the value itself, only by its surroundings.
      if (!this.#runBranch(branch, path, value, old, above)) return false;
    }
    return this.#descend(node, path, value, old, ratchet);
  }

  #runBranch(node: RuleNode, path: string, value: unknown, old: unknown, above: Ratchet): boolean {
    if (!this.#runRules(node, path, value, old, above)) return false;
    for (const branch of node.allOf) if (!this.#runBranch(branch, path, value, old, above)) return false;
    return this.#descend(node, path, value, old, { ...above, correlated: false });
  }

  #ratchet(value: unknown, old: unknown, above: Ratchet): Ratchet {
    if (!this.#ratcheting || !above.correlated) return above;
    if (old === undefined || old === null) return { changed: above.changed, correlated: false };
    return { changed: above.changed && !deepEqual(value, old), correlated: true };
  }

  #descend(node: RuleNode, path: string, value: unknown, old: unknown, ratchet: Ratchet): boolean {
    if (Array.isArray(value))
      return this.#descendList(node, path, value, Array.isArray(old) ? old : undefined, ratchet);
    if (typeof value !== "object" || value === null) return true;
    const before =
      typeof old === "object" && old !== null && !Array.isArray(old) ? (old as Record<string, unknown>) : {};
    const comparable = (node.schema["x-kubernetes-map-type"] ?? "granular") === "granular";
    for (const [name, item] of Object.entries(value)) {
      const oldItem = comparable && Object.hasOwn(before, name) ? before[name] : undefined;
      if (node.additional !== undefined && !this.validate(node.additional, `${path}[${name}]`, item, oldItem, ratchet))
        return false;
      const property = node.properties.get(name);
      const below = path === "" ? name : `${path}.${name}`;
      if (property !== undefined && !this.validate(property, below, item, oldItem, ratchet)) return false;
    }
    return true;
  }

  /** Only the elements of a list of type map can be told apart. */
  #descendList(
    node: RuleNode,
    path: string,
    list: readonly unknown[],
    old: readonly unknown[] | undefined,
    ratchet: Ratchet,
  ): boolean {
    const { items } = node;
    if (items === undefined) return true;
    const keys =
      node.schema["x-kubernetes-list-type"] === "map" ? node.schema["x-kubernetes-list-map-keys"] : undefined;
    const before =
      keys === undefined || old === undefined ? undefined : new Map(old.map((item) => [listMapKey(item, keys), item]));
    for (const [index, item] of list.entries()) {
      const oldItem = before === undefined || keys === undefined ? undefined : before.get(listMapKey(item, keys));
      if (!this.validate(items, `${path}[${index}]`, item, oldItem, ratchet)) return false;
    }
    return true;
  }

  #runRules(node: RuleNode, path: string, value: unknown, old: unknown, ratchet: Ratchet): boolean {
    const { prepared } = node;
    const field = path === "" ? "<nil>" : path;
    const type = node.schema.type ?? "";
    if (typeof prepared === "string") {
      this.causes.push(invalid(field, type, `rule compiler initialization error: ${prepared}`));
      return true;
    }
    if (prepared.length === 0) return true;
    if (this.#remaining <= 0) return this.#outOfBudget(field, type);
    const schema = node.isResourceRoot ? withMeta(node.schema) : node.schema;
    const activation = new RuleActivation(schema, value, old);
    for (const rule of prepared) {
      if (rule.error !== undefined) {
        this.causes.push(invalid(field, type, `rule compile error: ${rule.error}`));
        continue;
      }
      if (rule.program === undefined) continue;
      const optional = rule.rule.optionalOldSelf === true;
      if (rule.usesOldSelf && (old === undefined || old === null) && !optional) continue;
      if (!this.#runRule(rule, rule.program, field, path, type, activation.lookUp(optional), ratchet)) return false;
    }
    return true;
  }

  #runRule(
    rule: PreparedRule,
    program: Program,
    field: string,
    path: string,
    type: string,
    lookUp: (name: string) => Value | undefined,
    ratchet: Ratchet,
  ): boolean {
    const outcome = program.evaluate(lookUp, Math.min(perCallLimit, this.#remaining + 1));
    if (outcome.cost > this.#remaining) return this.#outOfBudget(field, type);
    this.#remaining -= outcome.cost;
    if (outcome.error !== undefined) return this.#evaluationFailed(outcome.error, rule.rule, field, type);
    if (outcome.value === true) return true;
    const below = rule.fieldPath === "" ? field : path === "" ? rule.fieldPath : `${path}.${rule.fieldPath}`;
    const report = (cause: InvalidCause): void => {
      if (rule.usesOldSelf || ratchet.changed) this.causes.push(cause);
    };
    let detail = messageOrDefault(rule.rule);
    if (rule.message !== undefined) {
      const message = this.#message(rule.message, lookUp);
      if (message.fatal !== undefined) {
        report(invalid(below, type, message.fatal));
        return false;
      }
      detail = message.text ?? detail;
    }
    report(causeForReason(rule.rule.reason, below, type, detail));
    return true;
  }

  #outOfBudget(field: string, type: string): false {
    this.causes.push(
      invalid(
        field,
        type,
        "validation failed due to running out of cost budget, no further validation rules will be run",
      ),
    );
    return false;
  }

  #evaluationFailed(error: string, rule: ValidationRule, field: string, type: string): boolean {
    if (error.startsWith("no such overload")) {
      this.causes.push(
        invalid(
          field,
          type,
          `'${error}': call arguments did not match a supported operator, function or macro signature for rule: ${ruleText(rule)}`,
        ),
      );
      return true;
    }
    if (error.startsWith("operation cancelled: actual cost limit exceeded")) {
      this.causes.push(
        invalid(
          field,
          type,
          `'${error}': no further validation rules will be run due to call cost exceeds limit for rule: ${ruleText(rule)}`,
        ),
      );
      return false;
    }
    this.causes.push(invalid(field, type, `${error} evaluating rule: ${ruleText(rule)}`));
    return true;
  }

  /** Without a text the rule's own message serves. */
  #message(program: Program, lookUp: (name: string) => Value | undefined): { text?: string; fatal?: string } {
    const outcome = program.evaluate(lookUp, Math.min(perCallLimit, this.#remaining + 1));
    if (outcome.cost > this.#remaining) {
      return {
        fatal:
          "messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run",
      };
    }
    this.#remaining -= outcome.cost;
    if (outcome.error !== undefined) {
      if (!outcome.error.startsWith("operation cancelled: actual cost limit exceeded")) return {};
      return {
        fatal: `no further validation rules will be run due to call cost exceeds limit for messageExpression: ${quote(program.source)}`,
      };
    }
    if (typeof outcome.value !== "string") return {};
    const text = outcome.value.trim();
    const usable = text !== "" && !text.includes("\n") && new TextEncoder().encode(text).length <= maxMessageSize;
    return usable ? { text } : {};
  }
}

const metaSchemas = new WeakMap<StructuralSchema, StructuralSchema>();

function withMeta(schema: StructuralSchema): StructuralSchema {
  const known = metaSchemas.get(schema) ?? withTypeAndObjectMeta(schema);
  metaSchemas.set(schema, known);
  return known;
}

/** `self` and `oldSelf`, converted once for all rules of a place. */
class RuleActivation {
  readonly #schema: StructuralSchema;
  readonly #value: unknown;
  readonly #old: unknown;
  #self: Value | CelError | undefined;
  #oldSelf: Value | CelError | undefined;

  constructor(schema: StructuralSchema, value: unknown, old: unknown) {
    this.#schema = schema;
    this.#value = value;
    this.#old = old;
  }

  lookUp(optional: boolean): (name: string) => Value | undefined {
    return (name) => {
      if (name === "self") return raise((this.#self ??= this.#convert(this.#value)));
      if (name !== "oldSelf") return undefined;
      const absent = this.#old === undefined || this.#old === null;
      if (absent) return optional ? optionalNone : undefined;
      const oldSelf = raise((this.#oldSelf ??= this.#convert(this.#old)));
      return optional ? new CelOptional(oldSelf) : oldSelf;
    };
  }

  #convert(json: unknown): Value | CelError {
    try {
      return converterOf(this.#schema)(json);
    } catch (error) {
      if (error instanceof CelError) return error;
      throw error;
    }
  }
}

function raise(value: Value | CelError): Value {
  if (value instanceof CelError) throw value;
  return value;
}

function listMapKey(item: unknown, keys: readonly string[]): string {
  if (typeof item !== "object" || item === null) return JSON.stringify(item);
  return JSON.stringify(keys.map((key) => (item as Record<string, unknown>)[key] ?? null));
}

function causeForReason(reason: string | undefined, field: string, type: string, detail: string): InvalidCause {
  switch (reason) {
    case "FieldValueForbidden":
      return forbidden(field, detail);
    case "FieldValueRequired":
      return required(field, detail);
    case "FieldValueDuplicate":
      return duplicate(field, type);
    default:
      return invalid(field, type, detail);
  }
}

function messageOrDefault(rule: ValidationRule): string {
  return rule.message === undefined || rule.message === "" ? `failed rule: ${ruleText(rule)}` : rule.message.trim();
}

function ruleText(rule: ValidationRule): string {
  return rule.message === undefined || rule.message === "" ? rule.rule.trim() : rule.message.trim();
}
