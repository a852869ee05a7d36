import type { Node } from "../framework/pod-info.ts";

/*
 * Node selectors as scheduling sees them. Mirrors k8s.io/component-helpers scheduling/corev1/nodeaffinity (1.36).
 */

/** v1.NodeSelectorRequirement */
interface Requirement {
  key: string;
  operator: string;
  values?: string[];
}

/** v1.NodeSelectorTerm */
export interface NodeSelectorTerm {
  matchExpressions?: Requirement[];
  matchFields?: Requirement[];
}

/** Terms are alternatives; a term's requirements must all hold; an empty term matches nothing. */
export function matchesTerms(terms: readonly NodeSelectorTerm[], node: Node): boolean {
  return terms.some((term) => matchesTerm(term, node));
}

export function matchesTerm(term: NodeSelectorTerm, node: Node): boolean {
  if (isEmptyTerm(term)) return false;
  const labels = node.metadata.labels ?? {};
  for (const requirement of term.matchExpressions ?? []) {
    if (!matchesRequirement(requirement, labels[requirement.key])) return false;
  }
  for (const requirement of term.matchFields ?? []) {
    const value = requirement.key === "metadata.name" ? (node.metadata.name ?? "") : undefined;
    if (!matchesRequirement(requirement, value)) return false;
  }
  return true;
}

export function isEmptyTerm(term: NodeSelectorTerm): boolean {
  return !term.matchExpressions?.length && !term.matchFields?.length;
}

function matchesRequirement({ operator, values = [] }: Requirement, value: string | undefined): boolean {
  switch (operator) {
    case "In":
      return value !== undefined && values.includes(value);
    case "NotIn":
      return value === undefined || !values.includes(value);
    case "Exists":
      return value !== undefined;
    case "DoesNotExist":
      return value === undefined;
    case "Gt":
    case "Lt": {
      const actual = parseInteger(value);
      const bound = parseInteger(values[0]);
      if (actual === undefined || bound === undefined) return false;
      return operator === "Gt" ? actual > bound : actual < bound;
    }
    default:
      return false;
  }
}

function parseInteger(text: string | undefined): bigint | undefined {
  return text !== undefined && /^[+-]?\d+$/.test(text) ? BigInt(text.replace(/^\+/, "")) : undefined;
}

/** What a pod requires of a node: its nodeSelector and its required node affinity. */
export class RequiredNodeAffinity {
  readonly #labels: readonly (readonly [string, string])[];
  readonly #terms: readonly NodeSelectorTerm[] | undefined;

  constructor(spec: any) {
    this.#labels = Object.entries((spec?.nodeSelector ?? {}) as Record<string, string>);
    this.#terms = requiredTerms(spec);
  }

  matches(node: Node): boolean {
    const labels = node.metadata.labels ?? {};
    for (const [key, value] of this.#labels) if (labels[key] !== value) return false;
    return this.#terms === undefined || matchesTerms(this.#terms, node);
  }
}

export function requiredTerms(spec: any): readonly NodeSelectorTerm[] | undefined {
  const required = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return required ? (required.nodeSelectorTerms ?? []) : undefined;
}
