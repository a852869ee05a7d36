import { labelRequirement, operatorFromSelector } from "./label-requirement.ts";
import type { LabelRequirement } from "./label-requirement.ts";
import { parseLabelRequirements } from "./label-parser.ts";

/** A predicate over label sets. Mirrors k8s.io/apimachinery pkg/labels/selector.go (1.36). */
export interface LabelSelector {
  matches(labels: Record<string, string> | undefined): boolean;
  /** True when nothing is restricted. A selector that selects nothing is not empty. */
  readonly empty: boolean;
  /** Canonical form, sorted by key; parses back to an equal selector. */
  toString(): string;
  /** All must hold; undefined when the selector selects nothing. */
  readonly requirements: readonly LabelRequirement[] | undefined;
  /** The value that the label must have, when exactly one is possible. */
  requiresExactMatch(label: string): string | undefined;
}

/** metav1.LabelSelector */
export interface LabelSelectorSpec {
  matchLabels?: Record<string, string>;
  matchExpressions?: { key: string; operator: string; values?: string[] | null }[] | null;
}

class RequirementSelector implements LabelSelector {
  readonly requirements: readonly LabelRequirement[];

  constructor(requirements: LabelRequirement[]) {
    this.requirements = requirements.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  }

  get empty(): boolean {
    return this.requirements.length === 0;
  }

  matches(labels: Record<string, string> | undefined): boolean {
    for (const requirement of this.requirements) {
      if (!requirement.matches(labels ?? noLabels)) return false;
    }
    return true;
  }

  requiresExactMatch(label: string): string | undefined {
    const first = this.requirements.find((requirement) => requirement.key === label);
    if (first === undefined || first.values.length !== 1) return undefined;
    return first.operator === "=" || first.operator === "==" || first.operator === "in" ? first.values[0] : undefined;
  }

  toString(): string {
    return this.requirements.join(",");
  }
}

const noLabels: Record<string, string> = {};

/** Selects everything. */
export const everything: LabelSelector = new RequirementSelector([]);

/** Selects nothing. */
export const nothing: LabelSelector = {
  matches: () => false,
  empty: false,
  requirements: undefined,
  requiresExactMatch: () => undefined,
  toString: () => "",
};

/** Parses the query form, e.g. `a=b,c in (x,y),!d`. Throws an Error with upstream's message. */
export function parseLabelSelector(text: string): LabelSelector {
  return new RequirementSelector(parseLabelRequirements(text));
}

/** Exact matches of all pairs, without validation. undefined and {} select everything. */
export function selectorFromSet(labels: Record<string, string> | undefined | null): LabelSelector {
  const pairs = Object.entries(labels ?? {});
  return new RequirementSelector(pairs.map(([key, value]) => labelRequirement(key, "=", [value], { validate: false })));
}

/**
 * metav1.LabelSelectorAsSelector: undefined selects nothing, {} everything. Throws an Error with upstream's message for
 * bad operators, keys or values.
 */
export function labelSelectorAsSelector(selector: LabelSelectorSpec | undefined | null): LabelSelector {
  if (selector === undefined || selector === null) return nothing;
  const requirements: LabelRequirement[] = [];
  for (const [key, value] of Object.entries(selector.matchLabels ?? {})) {
    requirements.push(labelRequirement(key, "=", [value]));
  }
  for (const { key, operator, values } of selector.matchExpressions ?? []) {
    requirements.push(labelRequirement(key, operatorFromSelector(operator), values ?? []));
  }
  return requirements.length === 0 ? everything : new RequirementSelector(requirements);
}
