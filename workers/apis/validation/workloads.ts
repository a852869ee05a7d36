import { semanticEqual } from "../../apimachinery/deep-equal.ts";
import { forbidden, invalid, notSupported, required } from "../../apimachinery/field-error.ts";
import type { KubeObject } from "../../apimachinery/meta.ts";
import { selectorFromSet } from "../../apimachinery/labels.ts";
import type { LabelSelector } from "../../apimachinery/labels.ts";
import { dnsLabel, immutable, isSet, listOf, nonnegative, numberOf, sortedMap, textOf } from "./checks.ts";
import type { Causes } from "./checks.ts";
import { intOrPercentValue, isNotMoreThan100Percent, validatePositiveIntOrPercent } from "./int-or-percent.ts";
import { isEmptySelector, selectorOf, validateLabelSelector } from "./label-selector.ts";
import { validateClaimSpec } from "./persistent-volume-claims.ts";
import { validatePodTemplate } from "./pod-spec.ts";

/** Kinds that keep pods of a template alive. Mirrors pkg/apis/apps/validation (1.36). */
function validateSelector(selector: any, emptyDetail: string, path: string, causes: Causes): void {
  if (!selector) return void causes.push(required(path));
  validateLabelSelector(selector, path, causes);
  if (isEmptySelector(selector)) causes.push(invalid(path, selector, emptyDetail));
}

function validateSelected(selector: LabelSelector, template: any, path: string, causes: Causes): void {
  const labels = template?.metadata?.labels;
  if (!selector.empty && !selector.matches(labels)) {
    causes.push(
      invalid(`${path}.metadata.labels`, sortedMap(labels) ?? null, "`selector` does not match template `labels`"),
    );
  }
}

function validateAlwaysRestarts(template: any, kind: string, path: string, causes: Causes): void {
  const spec = template?.spec ?? {};
  if (spec.restartPolicy !== "Always") {
    causes.push(notSupported(`${path}.spec.restartPolicy`, textOf(spec.restartPolicy), ["Always"]));
  }
  if (isSet(spec.activeDeadlineSeconds)) {
    causes.push(forbidden(`${path}.spec.activeDeadlineSeconds`, `activeDeadlineSeconds in ${kind} is not Supported`));
  }
}

/** Selector and template of deployments and replica sets. */
function validateSelectorAndTemplate(spec: any, causes: Causes): void {
  validateSelector(spec.selector, "empty selector is invalid for deployment", "spec.selector", causes);
  const selector = selectorOf(spec.selector);
  if (selector === undefined) {
    causes.push(invalid("spec.selector", spec.selector, "invalid label selector"));
    return;
  }
  validateSelected(selector, spec.template, "spec.template", causes);
  validatePodTemplate(spec.template, "spec.template", causes);
  validateAlwaysRestarts(spec.template, "ReplicaSet", "spec.template", causes);
}

export function validateDeployment(deployment: KubeObject, causes: Causes): void {
  const spec = deployment.spec ?? {};
  nonnegative(spec.replicas, "spec.replicas", causes);
  validateSelectorAndTemplate(spec, causes);
  validateDeploymentStrategy(spec.strategy ?? {}, causes);
  nonnegative(spec.minReadySeconds, "spec.minReadySeconds", causes);
  nonnegative(spec.revisionHistoryLimit, "spec.revisionHistoryLimit", causes);
  const deadline = spec.progressDeadlineSeconds;
  if (isSet(deadline)) {
    nonnegative(deadline, "spec.progressDeadlineSeconds", causes);
    if (deadline <= numberOf(spec.minReadySeconds)) {
      causes.push(invalid("spec.progressDeadlineSeconds", deadline, "must be greater than minReadySeconds"));
    }
  }
}

function validateDeploymentStrategy(strategy: any, causes: Causes): void {
  const path = "spec.strategy.rollingUpdate";
  const rolling = strategy.rollingUpdate;
  switch (strategy.type) {
    case "Recreate":
      if (rolling) causes.push(forbidden(path, "may not be specified when strategy `type` is 'Recreate'"));
      break;
    case "RollingUpdate":
      if (!rolling) causes.push(required(path, "this should be defaulted and never be nil"));
      else validateRollingUpdate(rolling, path, causes);
      break;
    default: {
      const shown = { Type: textOf(strategy.type), RollingUpdate: rolling ?? null };
      causes.push(notSupported("spec.strategy", shown, ["Recreate", "RollingUpdate"]));
    }
  }
}

function validateRollingUpdate({ maxUnavailable = 0, maxSurge = 0 }: any, path: string, causes: Causes): void {
  validatePositiveIntOrPercent(maxUnavailable, `${path}.maxUnavailable`, causes);
  validatePositiveIntOrPercent(maxSurge, `${path}.maxSurge`, causes);
  if (intOrPercentValue(maxUnavailable) === 0 && intOrPercentValue(maxSurge) === 0) {
    causes.push(invalid(`${path}.maxUnavailable`, maxUnavailable, "may not be 0 when `maxSurge` is 0"));
  }
  isNotMoreThan100Percent(maxUnavailable, `${path}.maxUnavailable`, causes);
}

export function validateReplicaSet(set: KubeObject, causes: Causes): void {
  const spec = set.spec ?? {};
  nonnegative(spec.replicas, "spec.replicas", causes);
  nonnegative(spec.minReadySeconds, "spec.minReadySeconds", causes);
  validateSelectorAndTemplate(spec, causes);
}

/** Deployments, replica sets and daemon sets keep their selector. */
export function withImmutableSelector(validate: (object: KubeObject, causes: Causes) => void) {
  return (object: KubeObject, previous: KubeObject, causes: Causes): void => {
    validate(object, causes);
    immutable(object.spec?.selector, previous.spec?.selector, "spec.selector", causes);
  };
}

export function validateDaemonSet(set: KubeObject, causes: Causes): void {
  const spec = set.spec ?? {};
  validateLabelSelector(spec.selector, "spec.selector", causes);
  const selector = selectorOf(spec.selector);
  if (selector !== undefined && !selector.matches(spec.template?.metadata?.labels)) {
    const labels = sortedMap(spec.template?.metadata?.labels) ?? null;
    causes.push(invalid("spec.template.metadata.labels", labels, "`selector` does not match template `labels`"));
  }
  if (spec.selector && isEmptySelector(spec.selector)) {
    causes.push(invalid("spec.selector", spec.selector, "empty selector is invalid for daemonset"));
  }
  validatePodTemplate(spec.template, "spec.template", causes);
  validateAlwaysRestarts(spec.template, "DaemonSet", "spec.template", causes);
  nonnegative(spec.minReadySeconds, "spec.minReadySeconds", causes);
  validateDaemonSetStrategy(spec.updateStrategy ?? {}, causes);
  nonnegative(spec.revisionHistoryLimit, "spec.revisionHistoryLimit", causes);
}

function validateDaemonSetStrategy(strategy: any, causes: Causes): void {
  const path = "spec.updateStrategy.rollingUpdate";
  const rolling = strategy.rollingUpdate;
  if (strategy.type === "OnDelete") return;
  if (strategy.type !== "RollingUpdate") {
    const shown = { Type: textOf(strategy.type), RollingUpdate: rolling ?? null };
    return void causes.push(notSupported("spec.updateStrategy", shown, ["RollingUpdate", "OnDelete"]));
  }
  if (!rolling) return void causes.push(required(path));
  const { maxUnavailable = 0, maxSurge = 0 } = rolling;
  validatePositiveIntOrPercent(maxUnavailable, `${path}.maxUnavailable`, causes);
  validatePositiveIntOrPercent(maxSurge, `${path}.maxSurge`, causes);
  isNotMoreThan100Percent(maxUnavailable, `${path}.maxUnavailable`, causes);
  isNotMoreThan100Percent(maxSurge, `${path}.maxSurge`, causes);
  const unavailable = intOrPercentValue(maxUnavailable) !== 0;
  const surge = intOrPercentValue(maxSurge) !== 0;
  if (unavailable && surge) {
    causes.push(invalid(`${path}.maxSurge`, maxSurge, "may not be set when maxUnavailable is non-zero"));
  } else if (!unavailable && !surge) {
    causes.push(required(`${path}.maxUnavailable`, "cannot be 0 when maxSurge is 0"));
  }
}

export function validateStatefulSet(set: KubeObject, causes: Causes): void {
  validateStatefulSetSpec(set.spec ?? {}, causes);
  validateStatefulSetParts(set.spec ?? {}, causes);
}

function validateStatefulSetSpec(spec: any, causes: Causes): void {
  const { podManagementPolicy } = spec;
  if (!podManagementPolicy) causes.push(required("spec.podManagementPolicy"));
  else if (podManagementPolicy !== "OrderedReady" && podManagementPolicy !== "Parallel") {
    causes.push(invalid("spec.podManagementPolicy", podManagementPolicy, "must be 'OrderedReady' or 'Parallel'"));
  }
  validateStatefulSetStrategy(spec.updateStrategy ?? {}, causes);
  const retention = spec.persistentVolumeClaimRetentionPolicy;
  if (retention) {
    for (const field of ["whenDeleted", "whenScaled"]) {
      if (retention[field] !== "Retain" && retention[field] !== "Delete") {
        const at = `spec.persistentVolumeClaimRetentionPolicy.${field}`;
        causes.push(notSupported(at, textOf(retention[field]), ["Retain", "Delete"]));
      }
    }
  }
  nonnegative(spec.replicas, "spec.replicas", causes);
  nonnegative(spec.minReadySeconds, "spec.minReadySeconds", causes);
  nonnegative(spec.ordinals?.start, "spec.ordinals.start", causes);
  validateSelector(spec.selector, "empty selector is invalid for statefulset", "spec.selector", causes);
  const selector = selectorOf(spec.selector);
  if (selector === undefined) causes.push(invalid("spec.selector", spec.selector, ""));
  else validateSelected(selector, spec.template, "spec.template", causes);
  validateAlwaysRestarts(spec.template, "StatefulSet", "spec.template", causes);
}

/** What sets of older servers may have wrong: an update is spared these checks while the old object fails them. */
function validateStatefulSetParts(spec: any, causes: Causes): void {
  if (spec.serviceName) dnsLabel(spec.serviceName, "spec.serviceName", causes);
  const claims = listOf(spec.volumeClaimTemplates);
  for (const [index, claim] of claims.entries()) {
    validateClaimSpec(claim.spec ?? {}, `spec.volumeClaimTemplates[${index}].spec`, causes);
  }
  validatePodTemplate(withClaimVolumes(spec.template, claims), "spec.template", causes);
}

/** The controller mounts a claim under the name of its template, in place of a volume of that name. */
function withClaimVolumes(template: any, claims: any[]): any {
  if (claims.length === 0) return template;
  const names = new Set(claims.map((claim) => claim.metadata?.name));
  const volumes = listOf(template?.spec?.volumes).filter((volume) => !names.has(volume.name));
  for (const name of names) volumes.push({ name, persistentVolumeClaim: { claimName: textOf(name) } });
  return { ...template, spec: { ...template?.spec, volumes } };
}

function validateStatefulSetStrategy(strategy: any, causes: Causes): void {
  const path = "spec.updateStrategy";
  const rolling = strategy.rollingUpdate;
  const shownRolling = rolling && {
    Partition: numberOf(rolling.partition),
    MaxUnavailable: rolling.maxUnavailable ?? null,
  };
  switch (strategy.type) {
    case undefined:
    case "":
      causes.push(required(path));
      break;
    case "OnDelete":
      if (rolling) {
        causes.push(invalid(`${path}.rollingUpdate`, shownRolling, "only allowed for updateStrategy 'RollingUpdate'"));
      }
      break;
    case "RollingUpdate":
      if (rolling) validateStatefulSetRollingUpdate(rolling, `${path}.rollingUpdate`, causes);
      break;
    default:
      causes.push(
        invalid(
          path,
          { Type: strategy.type, RollingUpdate: shownRolling ?? null },
          "must be 'RollingUpdate' or 'OnDelete'",
        ),
      );
  }
}

function validateStatefulSetRollingUpdate(rolling: any, path: string, causes: Causes): void {
  nonnegative(rolling.partition, `${path}.partition`, causes);
  const most = rolling.maxUnavailable;
  if (!isSet(most)) return;
  validatePositiveIntOrPercent(most, `${path}.maxUnavailable`, causes);
  if (intOrPercentValue(most) === 0) causes.push(invalid(`${path}.maxUnavailable`, most, "cannot be 0"));
  isNotMoreThan100Percent(most, `${path}.maxUnavailable`, causes);
}

const mutableStatefulSetFields = [
  "replicas",
  "ordinals",
  "template",
  "updateStrategy",
  "revisionHistoryLimit",
  "persistentVolumeClaimRetentionPolicy",
  "minReadySeconds",
];

export function validateStatefulSetUpdate(set: KubeObject, previous: KubeObject, causes: Causes): void {
  validateStatefulSetSpec(set.spec ?? {}, causes);
  const old: Causes = [];
  validateStatefulSetParts(previous.spec ?? {}, old);
  if (old.length === 0) validateStatefulSetParts(set.spec ?? {}, causes);
  const fixed = (spec: any) => {
    const rest = { ...spec };
    for (const field of mutableStatefulSetFields) delete rest[field];
    return rest;
  };
  if (!semanticEqual(fixed(set.spec), fixed(previous.spec))) {
    causes.push(
      forbidden(
        "spec",
        "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
      ),
    );
  }
}

export function validateControllerRevision(revision: KubeObject, causes: Causes): void {
  if (!isSet(revision["data"])) causes.push(required("data", "data is mandatory"));
  nonnegative(revision["revision"], "revision", causes);
}

export function validateControllerRevisionUpdate(revision: KubeObject, previous: KubeObject, causes: Causes): void {
  validateControllerRevision(revision, causes);
  immutable(revision["data"], previous["data"], "data", causes);
}

/** Mirrors ValidateReplicationControllerSpec of pkg/apis/core/validation (1.36). */
export function validateReplicationController(controller: KubeObject, causes: Causes): void {
  const spec = controller.spec ?? {};
  nonnegative(spec.minReadySeconds, "spec.minReadySeconds", causes);
  if (Object.keys(spec.selector ?? {}).length === 0) causes.push(required("spec.selector"));
  if (!isSet(spec.replicas)) causes.push(required("spec.replicas"));
  nonnegative(spec.replicas, "spec.replicas", causes);
  if (!spec.template) return void causes.push(required("spec.template"));
  validateSelected(selectorFromSet(spec.selector), spec.template, "spec.template", causes);
  validatePodTemplate(spec.template, "spec.template", causes);
  validateAlwaysRestarts(spec.template, "ReplicationController", "spec.template", causes);
}
