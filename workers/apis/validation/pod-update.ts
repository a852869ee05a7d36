import { semanticEqual } from "../../apimachinery/deep-equal.ts";
import { forbidden, invalid, required } from "../../apimachinery/field-error.ts";
import type { KubeObject } from "../../apimachinery/meta.ts";
import { validateTolerations } from "./affinity.ts";
import { entriesOf, isSet, listOf, maxInt32, sortedMap } from "./checks.ts";
import type { Causes } from "./checks.ts";
import { validateImageSpace } from "./containers.ts";
import { validatePodAnnotationUpdates } from "./pod-annotations.ts";
import { validatePodBody } from "./pods.ts";

/**
 * What upstream says before it prints the difference of the two specs, which is in Go's notation and left out here.
 */
const updatableFields =
  "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)\n";

/** Mirrors ValidatePodUpdate of pkg/apis/core/validation (1.36). */
export function validatePodUpdate(pod: KubeObject, previous: KubeObject, causes: Causes): void {
  const spec = pod.spec ?? {};
  const before = previous.spec ?? {};
  validatePodBody(pod, causes);
  validatePodAnnotationUpdates(pod.metadata.annotations, previous.metadata.annotations, "metadata.annotations", causes);
  for (const list of ["containers", "initContainers"]) {
    if (!validateContainerUpdates(listOf(spec[list]), listOf(before[list]), `spec.${list}`, causes)) return;
  }
  if (!validateDeadlineUpdate(spec, before, causes)) return;
  validateOnlyAddedTolerations(listOf(spec.tolerations), listOf(before.tolerations), causes);
  validateOnlyDeletedGates(listOf(spec.schedulingGates), listOf(before.schedulingGates), causes);
  if (semanticEqual(spec, before)) return;
  const munged = {
    ...spec,
    containers: withImagesOf(listOf(spec.containers), listOf(before.containers)),
    initContainers: withImagesOf(listOf(spec.initContainers), listOf(before.initContainers)),
    activeDeadlineSeconds: before.activeDeadlineSeconds,
    schedulingGates: before.schedulingGates,
    tolerations: before.tolerations,
  };
  if (before.terminationGracePeriodSeconds < 0 && spec.terminationGracePeriodSeconds === 1) {
    munged.terminationGracePeriodSeconds = before.terminationGracePeriodSeconds;
  }
  if (listOf(before.schedulingGates).length > 0) allowGatedChanges(munged, before, causes);
  if (!semanticEqual(munged, before)) causes.push(forbidden("spec", updatableFields));
}

function withImagesOf(containers: any[], before: any[]): any[] {
  return containers.map((container, index) => ({ ...container, image: before[index].image }));
}

/** False when there is nothing to compare. */
function validateContainerUpdates(containers: any[], before: any[], path: string, causes: Causes): boolean {
  if (containers.length !== before.length) {
    causes.push(forbidden(path, "pod updates may not add or remove containers"));
    return false;
  }
  for (const [index, container] of containers.entries()) {
    if (!container.image) causes.push(required(`${path}[${index}].image`));
    validateImageSpace(container, `${path}[${index}]`, causes);
  }
  return true;
}

/** From nothing to a deadline, or to a shorter one. */
function validateDeadlineUpdate(spec: any, before: any, causes: Causes): boolean {
  const path = "spec.activeDeadlineSeconds";
  const seconds = spec.activeDeadlineSeconds;
  if (isSet(seconds)) {
    if (seconds < 0 || seconds > maxInt32) {
      causes.push(invalid(path, seconds, `must be between 0 and ${maxInt32}, inclusive`));
      return false;
    }
    if (isSet(before.activeDeadlineSeconds) && before.activeDeadlineSeconds < seconds) {
      causes.push(invalid(path, seconds, "must be less than or equal to previous value"));
      return false;
    }
  } else if (isSet(before.activeDeadlineSeconds)) {
    causes.push(invalid(path, undefined, "must not update from a positive integer to nil value"));
  }
  return true;
}

function validateOnlyAddedTolerations(tolerations: any[], before: any[], causes: Causes): void {
  for (const old of before) {
    const kept = tolerations.some((toleration) =>
      semanticEqual({ ...old, tolerationSeconds: toleration.tolerationSeconds }, toleration),
    );
    if (!kept) {
      causes.push(
        forbidden("spec.tolerations", "existing toleration can not be modified except its tolerationSeconds"),
      );
      return;
    }
  }
  validateTolerations(tolerations, "spec.tolerations", causes);
}

function validateOnlyDeletedGates(gates: any[], before: any[], causes: Causes): void {
  const known = new Set(before.map((gate) => gate.name));
  for (const [index, { name }] of gates.entries()) {
    if (!known.has(name)) {
      causes.push(
        forbidden(
          `spec.schedulingGates[${index}].name`,
          `only deletion is allowed, but found new scheduling gate '${name}'`,
        ),
      );
    }
  }
}

const requiredTerms = "requiredDuringSchedulingIgnoredDuringExecution";

/** A gated pod may still narrow where it can go. Changes `munged` so that what is allowed compares as equal. */
function allowGatedChanges(munged: any, before: any, causes: Causes): void {
  const kept = entriesOf(before.nodeSelector).every(([key, value]) => munged.nodeSelector?.[key] === value);
  if (!kept) {
    causes.push(
      invalid(
        "spec.nodeSelector",
        sortedMap(munged.nodeSelector) ?? null,
        "only additions to spec.nodeSelector are allowed (no mutations or deletions)",
      ),
    );
  }
  munged.nodeSelector = before.nodeSelector;
  const nodeAffinity = munged.affinity?.nodeAffinity;
  const nodeAffinityBefore = before.affinity?.nodeAffinity;
  if (semanticEqual(nodeAffinity, nodeAffinityBefore)) return;
  validateNodeAffinityMutation(nodeAffinity, nodeAffinityBefore, causes);
  const others = { ...munged.affinity, nodeAffinity: nodeAffinityBefore };
  if (!isSet(nodeAffinityBefore)) delete others.nodeAffinity;
  munged.affinity = !isSet(before.affinity) && Object.keys(others).length === 0 ? before.affinity : others;
}

function validateNodeAffinityMutation(affinity: any, before: any, causes: Causes): void {
  const path = `spec.affinity.nodeAffinity.${requiredTerms}.nodeSelectorTerms`;
  const oldTerms = listOf(before?.[requiredTerms]?.nodeSelectorTerms);
  const terms = listOf(affinity?.[requiredTerms]?.nodeSelectorTerms);
  if (oldTerms.length === 0) return;
  if (oldTerms.length !== terms.length) {
    causes.push(invalid(path, terms, "no additions/deletions to non-empty NodeSelectorTerms list are allowed"));
    return;
  }
  for (const [index, old] of oldTerms.entries()) {
    if (!hasOnlyAdditions(terms[index], old)) {
      causes.push(invalid(`${path}[${index}]`, terms[index], "only additions are allowed (no mutations or deletions)"));
    }
  }
}

function hasOnlyAdditions(term: any, old: any): boolean {
  const lists = ["matchExpressions", "matchFields"];
  if (lists.every((list) => listOf(old[list]).length === 0))
    return lists.every((list) => listOf(term[list]).length === 0);
  return lists.every((list) => {
    const before = listOf(old[list]);
    return semanticEqual(listOf(term[list]).slice(0, before.length), before);
  });
}
