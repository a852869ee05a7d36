import { forbidden, invalid, notSupported, required } from "../../apimachinery/field-error.ts";
import type { KubeObject } from "../../apimachinery/meta.ts";
import { isConfigMapKey, isLabelKey } from "../../apimachinery/validation-names.ts";
import { checkText, immutable, isSet, textOf } from "./checks.ts";
import type { Causes } from "./checks.ts";
import { checks } from "./registry.ts";
import type { Validators } from "./registry.ts";
import { compareSemver, parseSemver } from "./semver.ts";

/** Mirrors pkg/apis/coordination/validation/validation.go (1.36). */
const oldestEmulationVersion = "OldestEmulationVersion";

function validateLease(lease: KubeObject, causes: Causes): void {
  const { leaseDurationSeconds, leaseTransitions, strategy, preferredHolder } = lease.spec ?? {};
  if (isSet(leaseDurationSeconds) && leaseDurationSeconds <= 0) {
    causes.push(invalid("spec.leaseDurationSeconds", leaseDurationSeconds, "must be greater than 0"));
  }
  if (isSet(leaseTransitions) && leaseTransitions < 0) {
    causes.push(invalid("spec.leaseTransitions", leaseTransitions, "must be greater than or equal to 0"));
  }
  if (isSet(strategy)) validateStrategy(strategy, "spec.strategy", causes);
  if (preferredHolder && !strategy)
    causes.push(forbidden("spec.preferredHolder", "may only be specified if `strategy` is defined"));
}

/** The path has the field's name twice, as upstream's. */
function validateStrategy(value: unknown, path: string, causes: Causes): void {
  const strategy = textOf(value);
  if (strategy.includes("/")) checkText(isLabelKey, strategy, `${path}.strategy`, causes);
  else if (strategy !== oldestEmulationVersion) {
    causes.push(notSupported(`${path}.strategy`, strategy, [oldestEmulationVersion]));
  }
}

function validateLeaseCandidate(candidate: KubeObject, causes: Causes): void {
  checkText(isConfigMapKey, candidate.metadata.name, "metadata.name", causes);
  const { leaseName, emulationVersion, binaryVersion, strategy } = candidate.spec ?? {};
  if (!leaseName) causes.push(required("spec.leaseName"));
  const version = (text: unknown, path: string) => {
    const parsed = parseSemver(textOf(text));
    if (parsed === undefined) causes.push(invalid(path, textOf(text), "must be a valid semantic version"));
    return parsed;
  };
  const emulated = emulationVersion ? version(emulationVersion, "spec.emulationVersion") : undefined;
  if (!binaryVersion) causes.push(required("spec.binaryVersion"));
  const binary = binaryVersion ? version(binaryVersion, "spec.binaryVersion") : undefined;
  if (binary !== undefined && emulated !== undefined && compareSemver(binary, emulated) < 0) {
    causes.push(invalid("spec.binaryVersion", binaryVersion, "must be greater than or equal to `emulationVersion`"));
  }
  if (!strategy) return void causes.push(required("spec.strategy"));
  if (strategy === oldestEmulationVersion && emulated === undefined) {
    causes.push(required("spec.emulationVersion", "must be specified when `strategy` is 'OldestEmulationVersion'"));
  }
  validateStrategy(strategy, "spec.strategy", causes);
}

const group = "coordination.k8s.io";

export const coordinationValidators: Validators = {
  [`leases.${group}`]: checks(validateLease),
  [`leasecandidates.${group}`]: checks(validateLeaseCandidate, (candidate, previous, causes) =>
    immutable(candidate.spec?.leaseName, previous.spec?.leaseName, "spec.leaseName", causes),
  ),
};
