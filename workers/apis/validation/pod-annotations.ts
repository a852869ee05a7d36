import { forbidden, invalid } from "../../apimachinery/field-error.ts";
import { entriesOf, textOf } from "./checks.ts";
import type { Causes } from "./checks.ts";
import { validateLocalDescendingPath } from "./paths.ts";
import { containersOf } from "./windows.ts";

/** Annotations that mean something to pods. Mirrors ValidatePodSpecificAnnotations of core validation (1.36). */
const mirrorAnnotation = "kubernetes.io/config.mirror";
const deletionCostAnnotation = "controller.kubernetes.io/pod-deletion-cost";
const seccompPodAnnotation = "seccomp.security.alpha.kubernetes.io/pod";
const seccompContainerPrefix = "container.seccomp.security.alpha.kubernetes.io/";
const appArmorPrefix = "container.apparmor.security.beta.kubernetes.io/";

export function validatePodAnnotations(annotations: any, spec: any, path: string, causes: Causes): void {
  if (!annotations) return;
  const mirror = annotations[mirrorAnnotation];
  if (mirror !== undefined && !spec.nodeName) {
    causes.push(
      invalid(`${path}[${mirrorAnnotation}]`, mirror, "must set spec.nodeName if mirror pod annotation is set"),
    );
  }
  const cost = annotations[deletionCostAnnotation];
  if (cost !== undefined && !isDeletionCost(cost)) {
    causes.push(invalid(`${path}[${deletionCostAnnotation}]`, cost, "must be a 32bit integer"));
  }
  for (const [key, value] of entriesOf(annotations)) {
    if (key === seccompPodAnnotation || key.startsWith(seccompContainerPrefix)) {
      validateSeccompAnnotation(value, `${path}.${key}`, causes);
    } else if (key.startsWith(appArmorPrefix)) {
      const name = key.slice(appArmorPrefix.length);
      if (![...containersOf(spec, "")].some(([container]) => container.name === name)) {
        causes.push(invalid(`${path}[${key}]`, name, "container not found"));
      }
      if (value !== "" && value !== "runtime/default" && value !== "unconfined" && !value.startsWith("localhost/")) {
        causes.push(invalid(`${path}[${key}]`, value, `invalid AppArmor profile name: ${JSON.stringify(value)}`));
      }
    }
  }
}

function isDeletionCost(text: string): boolean {
  if (!/^(0|-?[1-9][0-9]*)$/.test(text)) return false;
  const cost = Number(text);
  return cost >= -(2 ** 31) && cost < 2 ** 31;
}

function validateSeccompAnnotation(profile: string, path: string, causes: Causes): void {
  if (profile === "runtime/default" || profile === "docker/default" || profile === "unconfined") return;
  if (profile.startsWith("localhost/")) validateLocalDescendingPath(profile.slice("localhost/".length), path, causes);
  else causes.push(invalid(path, profile, "must be a valid seccomp profile"));
}

/** Mirrors ValidatePodSpecificAnnotationUpdates. */
export function validatePodAnnotationUpdates(annotations: any, previous: any, path: string, causes: Causes): void {
  for (const [key, value] of entriesOf(previous)) {
    if (annotations?.[key] === value) continue;
    if (key.startsWith(appArmorPrefix))
      causes.push(forbidden(`${path}[${key}]`, "may not remove or update AppArmor annotations"));
    if (key === mirrorAnnotation)
      causes.push(forbidden(`${path}[${key}]`, "may not remove or update mirror pod annotation"));
  }
  for (const [key] of entriesOf(annotations)) {
    if (previous?.[key] !== undefined) continue;
    if (key.startsWith(appArmorPrefix)) causes.push(forbidden(`${path}[${key}]`, "may not add AppArmor annotations"));
    if (key === mirrorAnnotation) causes.push(forbidden(`${path}[${key}]`, "may not add mirror pod annotation"));
  }
}

/** The older annotations and the fields that replaced them must not contradict each other. */
export function validateProfilesMatch(annotations: any, spec: any, path: string, causes: Causes): void {
  if (!annotations) return;
  const podSeccomp = spec.securityContext?.seccompProfile;
  if (podSeccomp && annotations[seccompPodAnnotation] !== undefined) {
    matchProfile(
      "seccomp",
      annotations[seccompPodAnnotation],
      podSeccomp,
      `${path}.securityContext.seccompProfile`,
      causes,
    );
  }
  for (const [container, field] of containersOf(spec, path)) {
    const seccomp = container.securityContext?.seccompProfile;
    const annotation = annotations[seccompContainerPrefix + textOf(container.name)];
    if (seccomp && annotation !== undefined) {
      matchProfile("seccomp", annotation, seccomp, `${field}.securityContext.seccompProfile`, causes);
    }
  }
  if (spec.os?.name === "windows") return;
  for (const [container, field] of containersOf(spec, path)) {
    const appArmor = container.securityContext?.appArmorProfile ?? spec.securityContext?.appArmorProfile;
    const annotation = annotations[appArmorPrefix + textOf(container.name)];
    if (appArmor && annotation !== undefined) {
      matchProfile("apparmor", annotation, appArmor, `${field}.securityContext.appArmorProfile`, causes);
    }
  }
}

function matchProfile(
  what: "seccomp" | "apparmor",
  annotation: string,
  profile: any,
  path: string,
  causes: Causes,
): void {
  const typeDiffers = () => causes.push(forbidden(`${path}.type`, `${what} type in annotation and field must match`));
  switch (profile.type) {
    case "Unconfined":
      if (annotation !== "unconfined") typeDiffers();
      break;
    case "RuntimeDefault":
      if (annotation !== "runtime/default" && !(what === "seccomp" && annotation === "docker/default")) typeDiffers();
      break;
    case "Localhost":
      if (!annotation.startsWith("localhost/")) typeDiffers();
      else if (annotation.slice("localhost/".length) !== profile.localhostProfile) {
        causes.push(forbidden(`${path}.localhostProfile`, `${what} profile in annotation and field must match`));
      }
      break;
  }
}
