import { isLabelValue } from "../../apimachinery/validation-names.ts";
import { entriesOf, listOf, textOf } from "../validation/checks.ts";

/** Mirrors deprecatedNodeLabels of pkg/api/node/util.go (1.36). */
const deprecatedNodeLabels: Readonly<Record<string, string>> = {
  "beta.kubernetes.io/arch": 'deprecated since v1.14; use "kubernetes.io/arch" instead',
  "beta.kubernetes.io/os": 'deprecated since v1.14; use "kubernetes.io/os" instead',
  "failure-domain.beta.kubernetes.io/region": 'deprecated since v1.17; use "topology.kubernetes.io/region" instead',
  "failure-domain.beta.kubernetes.io/zone": 'deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
  "beta.kubernetes.io/instance-type": 'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead',
  "app.kubernetes.io/created-by": "deprecated since v1.9",
  "scheduler.alpha.kubernetes.io/preferAvoidPods": "deprecated since v1.22; use Taints and Tolerations instead",
  "node-role.kubernetes.io/master": 'use "node-role.kubernetes.io/control-plane" instead',
};

export function deprecatedNodeLabel(key: unknown): string | undefined {
  const label = textOf(key);
  return Object.hasOwn(deprecatedNodeLabels, label) ? deprecatedNodeLabels[label] : undefined;
}

/** Of a NodeSelectorTerm; `checkValues` also finds values that no label can have. */
export function warningsForNodeSelectorTerm(term: any, checkValues: boolean, path: string): string[] {
  const warnings: string[] = [];
  for (const [index, expression] of listOf(term?.matchExpressions).entries()) {
    const message = deprecatedNodeLabel(expression.key);
    const at = `${path}.matchExpressions[${index}]`;
    if (message !== undefined) warnings.push(`${at}.key: ${expression.key} is ${message}`);
    if (!checkValues) continue;
    for (const [position, value] of listOf(expression.values).entries()) {
      for (const problem of isLabelValue(textOf(value))) {
        warnings.push(`${at}.values[${position}]: ${value} is invalid, ${problem}`);
      }
    }
  }
  return warnings;
}

/** Of a LabelSelector over nodes. */
export function warningsForNodeSelector(selector: any, path: string): string[] {
  const warnings = warningsForNodeSelectorTerm(selector, false, path);
  for (const [label] of entriesOf(selector?.matchLabels)) {
    const message = deprecatedNodeLabel(label);
    if (message !== undefined) warnings.push(`${path}.matchLabels.${label}: ${message}`);
  }
  return warnings;
}
