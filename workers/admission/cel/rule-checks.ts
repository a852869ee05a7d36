import { forbidden, invalid, notSupported, required } from "../../apimachinery/field-error.ts";
import { quote } from "../../apimachinery/quote.ts";
import type { InvalidCause } from "../../apimachinery/status-errors.ts";
import { estimateCost } from "./cost-estimate.ts";
import type { Program } from "./environment.ts";
import { unlimited } from "./estimates.ts";
import { validFieldPath } from "./rule-field-path.ts";
import type { RuleProgram, RuleScope } from "./rule-program.ts";
import { compileRule, ruleScope, unsupportedSchema } from "./rule-program.ts";
import { maxRequestSize } from "./schema-types.ts";
import type { StructuralSchema, ValidationRule } from "./structural-schema.ts";
import { additionalSchema } from "./structural-schema.ts";

/** Cost units: StaticEstimatedCostLimit and StaticEstimatedCRDCostLimit. */
const expressionCostLimit = 10_000_000;
const schemaCostLimit = 100_000_000;
/** How many culprits are named when the total is too high. */
const maxExpensive = 4;

const reasons = ["FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"];

/**
 * What is wrong with the rules of a CRD's schema. `path` is the field of the schema, for example
 * `spec.versions[0].schema.openAPIV3Schema`. Expressions are looked at only where the rest is in order. Mirrors
 * k8s.io/apiextensions-apiserver pkg/apis/apiextensions/validation/validation.go (1.36).
 */
export function checkRules(schema: StructuralSchema, path: string): InvalidCause[] {
  const run = new RuleChecks();
  run.visit(schema, schema, path, { isResourceRoot: true, cardinality: 1, uncorrelatable: undefined });
  return [...run.causes, ...run.totalCauses(path)];
}

interface Place {
  readonly isResourceRoot: boolean;
  /** How often the value can occur; undefined without a bound. */
  readonly cardinality: number | undefined;
  /** The nearest place above whose values cannot be matched with old ones. */
  readonly uncorrelatable: string | undefined;
}

class RuleChecks {
  readonly causes: InvalidCause[] = [];
  readonly #costs: { path: string; cost: number }[] = [];
  #total = 0;

  /** Rules come from `validation`, which may be a branch of allOf; types from `spine`. */
  visit(validation: StructuralSchema, spine: StructuralSchema, path: string, place: Place): void {
    const rules = validation["x-kubernetes-validations"] ?? [];
    const before = this.causes.length;
    for (const [index, rule] of rules.entries())
      this.#checkForm(rule, spine, `${path}.x-kubernetes-validations[${index}]`);
    if (rules.length > 0 && this.causes.length === before) this.#checkExpressions(rules, spine, path, place);
    this.#descend(validation, spine, path, place);
    for (const [index, branch] of (validation.allOf ?? []).entries())
      this.visit(branch, spine, `${path}.allOf[${index}]`, place);
  }

  #descend(validation: StructuralSchema, spine: StructuralSchema, path: string, place: Place): void {
    const granular = (spine["x-kubernetes-map-type"] ?? "granular") === "granular";
    const below = place.uncorrelatable ?? (granular ? undefined : path);
    for (const [name, property] of Object.entries(validation.properties ?? {})) {
      const next = spine.properties?.[name];
      if (next === undefined) continue;
      this.visit(property, next, `${path}.properties[${name}]`, {
        isResourceRoot: isEmbedded(next),
        cardinality: place.cardinality,
        uncorrelatable: below,
      });
    }
    const additional = additionalSchema(validation);
    const additionalSpine = additionalSchema(spine);
    if (additional !== undefined && additionalSpine !== undefined) {
      this.visit(additional, additionalSpine, `${path}.additionalProperties`, {
        isResourceRoot: isEmbedded(additionalSpine),
        cardinality: times(place.cardinality, spine.maxProperties),
        uncorrelatable: below,
      });
    }
    if (validation.items !== undefined && spine.items !== undefined) {
      const keyed = spine["x-kubernetes-list-type"] === "map";
      this.visit(validation.items, spine.items, `${path}.items`, {
        isResourceRoot: isEmbedded(spine.items),
        cardinality: times(place.cardinality, spine.maxItems),
        uncorrelatable: place.uncorrelatable ?? (keyed ? undefined : path),
      });
    }
  }

  #checkForm(rule: ValidationRule, schema: StructuralSchema, path: string): void {
    const { causes } = this;
    const message = rule.message ?? "";
    const text = rule.rule ?? "";
    if (text.trim() === "") causes.push(required(`${path}.rule`, "rule is not specified"));
    else if (message !== "" && message.trim() === "")
      causes.push(invalid(`${path}.message`, message, "message must be non-empty if specified"));
    else if (message.trim().includes("\n"))
      causes.push(invalid(`${path}.message`, message, "message must not contain line breaks"));
    else if (text.trim().includes("\n") && message.trim() === "") {
      causes.push(required(`${path}.message`, "message must be specified if rule contains line breaks"));
    }
    if (rule.messageExpression !== undefined && rule.messageExpression !== "" && rule.messageExpression.trim() === "") {
      causes.push(required(`${path}.messageExpression`, "messageExpression must be non-empty if specified"));
    }
    if (rule.reason !== undefined && !reasons.includes(rule.reason))
      causes.push(notSupported(`${path}.reason`, rule.reason, reasons));
    this.#checkFieldPath(rule.fieldPath ?? "", schema, `${path}.fieldPath`);
  }

  #checkFieldPath(fieldPath: string, schema: StructuralSchema, path: string): void {
    if (fieldPath === "") return;
    if (fieldPath.trim() === "") this.causes.push(invalid(path, fieldPath, "fieldPath must be non-empty if specified"));
    if (fieldPath.includes("\n")) this.causes.push(invalid(path, fieldPath, "fieldPath must not contain line breaks"));
    const { error } = validFieldPath(fieldPath, schema);
    if (error !== undefined) this.causes.push(invalid(path, fieldPath, `fieldPath must be a valid path: ${error}`));
  }

  #checkExpressions(rules: readonly ValidationRule[], schema: StructuralSchema, path: string, place: Place): void {
    const scope = ruleScope(schema, place.isResourceRoot);
    if (scope === undefined) {
      this.causes.push({
        reason: "InternalError",
        field: `${path}.x-kubernetes-validations`,
        message: `Internal error: ${unsupportedSchema(schema)}`,
      });
      return;
    }
    for (const [index, rule] of rules.entries()) {
      this.#checkExpression(compileRule(rule, scope), scope, `${path}.x-kubernetes-validations[${index}]`, place);
    }
  }

  #checkExpression(compiled: RuleProgram, scope: RuleScope, path: string, place: Place): void {
    const { rule } = compiled;
    if (compiled.error !== undefined) this.causes.push(invalidRule(`${path}.rule`, rule, compiled.error));
    if (compiled.program !== undefined)
      this.#checkCost("estimated rule cost", compiled.program, scope, `${path}.rule`, place);
    if (compiled.messageError !== undefined)
      this.causes.push(invalidRule(`${path}.messageExpression`, rule, compiled.messageError));
    if (compiled.message !== undefined) {
      this.#checkCost("estimated messageExpression cost", compiled.message, scope, `${path}.messageExpression`, {
        ...place,
        cardinality: 1,
      });
    }
    if (compiled.usesOldSelf) {
      if (place.uncorrelatable !== undefined) {
        this.causes.push(
          invalid(
            `${path}.rule`,
            rule.rule,
            `oldSelf cannot be used on the uncorrelatable portion of the schema within ${place.uncorrelatable}`,
          ),
        );
      }
    } else if (rule.optionalOldSelf !== undefined && compiled.error === undefined) {
      this.causes.push(
        invalid(`${path}.optionalOldSelf`, rule.optionalOldSelf, "may not be set if oldSelf is not used in rule"),
      );
    }
  }

  #checkCost(what: string, program: Program, scope: RuleScope, path: string, place: Place): void {
    const once = estimateCost(program.checked).max;
    const occurrences = place.cardinality ?? Math.floor(maxRequestSize / (scope.self.minSerializedSize + 1));
    const cost = Math.min(once * occurrences, unlimited);
    if (cost > expressionCostLimit) this.causes.push(forbidden(path, costMessage(what, cost, expressionCostLimit)));
    this.#costs.push({ path, cost });
    this.#total += cost;
  }

  totalCauses(path: string): InvalidCause[] {
    if (this.#total <= schemaCostLimit) return [];
    const culprits = this.#costs.toSorted((a, b) => b.cost - a.cost).slice(0, maxExpensive);
    return [
      ...culprits.map((culprit) =>
        forbidden(
          culprit.path,
          "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema",
        ),
      ),
      forbidden(
        path,
        costMessage(
          "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema",
          this.#total,
          schemaCostLimit,
        ),
      ),
    ];
  }
}

const isEmbedded = (schema: StructuralSchema): boolean => schema["x-kubernetes-embedded-resource"] === true;

function times(cardinality: number | undefined, maximum: number | undefined): number | undefined {
  return cardinality === undefined || maximum === undefined
    ? undefined
    : Math.min(cardinality * Math.max(maximum, 0), unlimited);
}

function costMessage(what: string, cost: number, limit: number): string {
  const excess = cost / limit;
  const factor = excess > 100 ? "more than 100x" : excess < 1.5 ? `${excess.toFixed(6)}x` : `${excess.toFixed(1)}x`;
  return `${what} exceeds budget by factor of ${factor} (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)`;
}

/** Upstream shows the whole rule as Go prints a struct. */
function invalidRule(field: string, rule: ValidationRule, detail: string): InvalidCause {
  const pointer = (type: string, value: unknown): string =>
    value === undefined ? `(*${type})(nil)` : `(*${type})(0x0)`;
  const shown =
    `apiextensions.ValidationRule{Rule:${quote(rule.rule)}, Message:${quote(rule.message ?? "")}, ` +
    `MessageExpression:${quote(rule.messageExpression ?? "")}, Reason:${pointer("apiextensions.FieldValueErrorReason", rule.reason)}, ` +
    `FieldPath:${quote(rule.fieldPath ?? "")}, OptionalOldSelf:${pointer("bool", rule.optionalOldSelf)}}`;
  return { reason: "FieldValueInvalid", field, message: `Invalid value: ${shown}: ${detail}` };
}
