import { parseInt64 } from "./int64.ts";
import { quote } from "./quote.ts";
import { isLabelKey, isLabelValue } from "./validation-names.ts";

/** selection.Operator */
export type LabelOperator = "in" | "notin" | "=" | "==" | "!=" | "gt" | "lt" | "exists" | "!";

/** One term of a selector. Immutable. Mirrors Requirement of k8s.io/apimachinery pkg/labels/selector.go (1.36). */
export interface LabelRequirement {
  readonly key: string;
  readonly operator: LabelOperator;
  /** In the order given. */
  readonly values: readonly string[];
  matches(labels: Record<string, string>): boolean;
  toString(): string;
}

/** Throws an Error that lists every problem, in upstream's words, unless `validate` is false. */
export function labelRequirement(
  key: string,
  operator: LabelOperator,
  values: readonly string[],
  options: { validate?: boolean } = {},
): LabelRequirement {
  if (options.validate !== false) {
    const problems = problemsOf(key, operator, values);
    if (problems.length === 1) throw new Error(problems[0]);
    if (problems.length > 1) throw new Error(`[${[...new Set(problems)].join(", ")}]`);
  }
  return {
    key,
    operator,
    values,
    matches: matcher(key, operator, values),
    toString: () => format(key, operator, values),
  };
}

/** metav1.LabelSelectorOperator to the query form's operator. */
export function operatorFromSelector(operator: string): LabelOperator {
  switch (operator) {
    case "In":
      return "in";
    case "NotIn":
      return "notin";
    case "Exists":
      return "exists";
    case "DoesNotExist":
      return "!";
    default:
      throw new Error(`${quote(operator)} is not a valid label selector operator`);
  }
}

/** The problem of a label key as upstream's field error has it; `path` is `<nil>` when there is none. */
export function labelKeyProblem(key: string, path: string): string | undefined {
  const errors = isLabelKey(key);
  return errors.length === 0 ? undefined : `${path}: Invalid value: ${quote(key)}: ${errors.join("; ")}`;
}

function problemsOf(key: string, operator: LabelOperator, values: readonly string[]): string[] {
  const problems: string[] = [];
  const keyProblem = labelKeyProblem(key, "key");
  if (keyProblem !== undefined) problems.push(keyProblem);
  const wrongCount = (message: string) => problems.push(`values: Invalid value: ${JSON.stringify(values)}: ${message}`);
  switch (operator) {
    case "in":
    case "notin":
      if (values.length === 0) wrongCount("for 'in', 'notin' operators, values set can't be empty");
      break;
    case "=":
    case "==":
    case "!=":
      if (values.length !== 1) wrongCount("exact-match compatibility requires one single value");
      break;
    case "exists":
    case "!":
      if (values.length !== 0) wrongCount("values set must be empty for exists and does not exist");
      break;
    case "gt":
    case "lt":
      if (values.length !== 1) wrongCount("for 'Gt', 'Lt' operators, exactly one value is required");
      values.forEach((value, index) => {
        if (parseInt64(value) === undefined) {
          problems.push(
            `values[${index}]: Invalid value: ${quote(value)}: for 'Gt', 'Lt' operators, the value must be an integer`,
          );
        }
      });
      break;
    default:
      operator satisfies never;
  }
  values.forEach((value, index) => {
    const errors = isLabelValue(value);
    if (errors.length > 0) {
      problems.push(`values[${index}][${key}]: Invalid value: ${quote(value)}: ${errors.join("; ")}`);
    }
  });
  return problems;
}

function matcher(
  key: string,
  operator: LabelOperator,
  values: readonly string[],
): (labels: Record<string, string>) => boolean {
  const lookup = (labels: Record<string, string>) => (Object.hasOwn(labels, key) ? labels[key] : undefined);
  const first = values[0];
  switch (operator) {
    case "in":
    case "=":
    case "==":
      if (values.length === 1) return (labels) => lookup(labels) === first;
      return (labels) => {
        const value = lookup(labels);
        return value !== undefined && values.includes(value);
      };
    case "notin":
    case "!=":
      return (labels) => {
        const value = lookup(labels);
        return value === undefined || !values.includes(value);
      };
    case "exists":
      return (labels) => Object.hasOwn(labels, key);
    case "!":
      return (labels) => !Object.hasOwn(labels, key);
    default: {
      const bound = first === undefined || values.length !== 1 ? undefined : parseInt64(first);
      return (labels) => {
        const text = lookup(labels);
        const value = text === undefined ? undefined : parseInt64(text);
        if (value === undefined || bound === undefined) return false;
        return operator === "gt" ? value > bound : value < bound;
      };
    }
  }
}

function format(key: string, operator: LabelOperator, values: readonly string[]): string {
  switch (operator) {
    case "exists":
      return key;
    case "!":
      return `!${key}`;
    case "in":
    case "notin":
      return `${key} ${operator} (${[...values].sort().join(",")})`;
    case "gt":
      return `${key}>${values.join(",")}`;
    case "lt":
      return `${key}<${values.join(",")}`;
    default:
      return `${key}${operator}${values.join(",")}`;
  }
}
