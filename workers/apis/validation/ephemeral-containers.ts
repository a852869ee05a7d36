import { duplicate, forbidden, notFound } from "../../apimachinery/field-error.ts";
import { isSet, listOf, textOf } from "./checks.ts";
import type { Causes } from "./checks.ts";
import { validateContainerCommon, validateImageSpace } from "./containers.ts";
import type { ContainerContext } from "./containers.ts";

const refused = [
  "ports",
  "resources",
  "resizePolicy",
  "restartPolicy",
  "restartPolicyRules",
  "livenessProbe",
  "readinessProbe",
  "startupProbe",
  "lifecycle",
];
const refusal = "cannot be set for an Ephemeral Container";

/** Mirrors validateEphemeralContainers of pkg/apis/core/validation (1.36). */
export function validateEphemeralContainers(spec: any, context: ContainerContext, path: string, causes: Causes): void {
  const containers = listOf(spec.ephemeralContainers);
  if (containers.length === 0) return;
  const others = new Set<string>(
    [...listOf(spec.containers), ...listOf(spec.initContainers)].map((other) => other.name),
  );
  const names = new Set(others);
  for (const [index, container] of containers.entries()) {
    const field = `${path}[${index}]`;
    validateContainerCommon(container, context, field, causes);
    validateImageSpace(container, field, causes);
    if (names.has(container.name)) causes.push(duplicate(`${field}.name`, textOf(container.name)));
    names.add(container.name);
    if (container.targetContainerName && !others.has(container.targetContainerName)) {
      causes.push(notFound(`${field}.targetContainerName`, container.targetContainerName));
    }
    for (const name of refused) {
      if (isGiven(name, container[name])) causes.push(forbidden(`${field}.${name}`, refusal));
    }
    for (const [at, mount] of listOf(container.volumeMounts).entries()) {
      if (mount.subPath) causes.push(forbidden(`${field}.volumeMounts[${at}].subPath`, refusal));
      if (mount.subPathExpr) causes.push(forbidden(`${field}.volumeMounts[${at}].subPathExpr`, refusal));
    }
  }
}

/** `resources` is no pointer in Go: empty, it is not given. */
function isGiven(name: string, value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  return isSet(value) && (name !== "resources" || Object.keys(value as object).length > 0);
}
