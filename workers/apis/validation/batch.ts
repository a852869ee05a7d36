import { semanticEqual } from "../../apimachinery/deep-equal.ts";
import { invalid, notSupported, required, tooLong, tooMany } from "../../apimachinery/field-error.ts";
import type { KubeObject } from "../../apimachinery/meta.ts";
import { isDns1123Label, isDns1123Subdomain, regexError } from "../../apimachinery/validation-names.ts";
import { checkText, immutable, isSet, listOf, nonnegative, requiredEnum, sortedMap, textOf } from "./checks.ts";
import type { Causes } from "./checks.ts";
import { cronScheduleProblem, isTimeZone } from "./cron-schedule.ts";
import { countIndexes } from "./indexes.ts";
import { selectorOf, validateLabelSelector } from "./label-selector.ts";
import { validatePodFailurePolicy } from "./pod-failure-policy.ts";
import { validatePodTemplate } from "./pod-spec.ts";

/** Jobs and cron jobs. Mirrors pkg/apis/batch/validation (1.36). */
const maxParallelism = 100_000;
const completionsSoftLimit = 100_000;
const parallelismLimitForHighCompletions = 10_000;
const maxFailedIndexesForHighCompletions = 10_000;
const maxManagedByLength = 63;
const maxSuccessRules = 20;
const maxSucceededIndexesLength = 64 * 1024;

export function validateJob(job: KubeObject, causes: Causes): void {
  const spec = job.spec ?? {};
  validateGeneratedSelector(job, causes);
  validateJobSpecWithSelector(spec, causes);
  if (spec.completionMode === "Indexed" && spec.completions > 0) {
    const hostname = `${job.metadata.name}-${spec.completions - 1}`;
    if (isDns1123Label(hostname).length > 0) {
      causes.push(
        invalid("metadata.name", job.metadata.name, `will not able to create pod with invalid DNS label: ${hostname}`),
      );
    }
  }
}

/** A generated selector names the job's own uid, and so does its template. Mirrors validateGeneratedSelector. */
function validateGeneratedSelector(job: KubeObject, causes: Causes): void {
  const spec = job.spec ?? {};
  if (spec.manualSelector || !spec.selector) return;
  const { uid, name } = job.metadata;
  if (!uid) causes.push(required("metadata.uid"));
  const expected: Record<string, string> = {
    "controller-uid": uid ?? "",
    "job-name": name ?? "",
    "batch.kubernetes.io/controller-uid": uid ?? "",
    "batch.kubernetes.io/job-name": name ?? "",
  };
  const labels = spec.template?.metadata?.labels;
  for (const [key, value] of Object.entries(expected)) {
    const field = `spec.template.metadata.labels[${key}]`;
    if (labels?.[key] === undefined) causes.push(required(field, `must be '${value}'`));
    else if (labels[key] !== value) causes.push(invalid(field, sortedMap(labels), `must be '${value}'`));
  }
  const selector = selectorOf(spec.selector);
  if (selector !== undefined && !selector.matches(expected)) {
    causes.push(invalid("spec.selector", spec.selector, "`selector` not auto-generated"));
  }
}

function validateJobSpecWithSelector(spec: any, causes: Causes): void {
  validateJobSpec(spec, "spec", causes);
  if (!spec.selector) causes.push(required("spec.selector"));
  else validateLabelSelector(spec.selector, "spec.selector", causes);
  const labels = spec.template?.metadata?.labels;
  const selector = selectorOf(spec.selector);
  if (selector !== undefined && !selector.matches(labels)) {
    causes.push(
      invalid(
        "spec.template.metadata.labels",
        sortedMap(labels) ?? null,
        "`selector` does not match template `labels`",
      ),
    );
  }
}

const counts = [
  "parallelism",
  "completions",
  "activeDeadlineSeconds",
  "backoffLimit",
  "ttlSecondsAfterFinished",
  "backoffLimitPerIndex",
  "maxFailedIndexes",
];

function validateJobSpec(spec: any, path: string, causes: Causes): void {
  for (const field of counts) nonnegative(spec[field], `${path}.${field}`, causes);
  if (isSet(spec.maxFailedIndexes) && !isSet(spec.backoffLimitPerIndex)) {
    causes.push(required(`${path}.backoffLimitPerIndex`, "when maxFailedIndexes is specified"));
  }
  if (isSet(spec.managedBy)) validateManagedBy(spec.managedBy, `${path}.managedBy`, causes);
  validateCompletionMode(spec, path, causes);
  if (spec.podFailurePolicy) validatePodFailurePolicy(spec, `${path}.podFailurePolicy`, causes);
  if (spec.successPolicy) {
    if (spec.completionMode !== "Indexed") {
      causes.push(invalid(`${path}.successPolicy`, spec.successPolicy, "requires indexed completion mode"));
    } else validateSuccessPolicy(spec, `${path}.successPolicy`, causes);
  }
  if (isSet(spec.podReplacementPolicy)) {
    const supported = spec.podFailurePolicy ? ["Failed"] : ["Failed", "TerminatingOrFailed"];
    if (!supported.includes(spec.podReplacementPolicy)) {
      causes.push(notSupported(`${path}.podReplacementPolicy`, spec.podReplacementPolicy, supported));
    }
  }
  validatePodTemplate(spec.template, `${path}.template`, causes);
  const field = `${path}.template.spec.restartPolicy`;
  const restartPolicy = textOf(spec.template?.spec?.restartPolicy);
  if (restartPolicy === "" || restartPolicy === "Always") {
    causes.push(required(field, 'valid values: "OnFailure", "Never"'));
  } else if (restartPolicy !== "OnFailure" && restartPolicy !== "Never") {
    causes.push(notSupported(field, restartPolicy, ["OnFailure", "Never"]));
  } else if (spec.podFailurePolicy && restartPolicy !== "Never") {
    causes.push(invalid(field, restartPolicy, 'only "Never" is supported when podFailurePolicy is specified'));
  }
}

function validateManagedBy(value: string, path: string, causes: Causes): void {
  const slash = value.indexOf("/");
  if (value === "") causes.push(required(path));
  else if (slash <= 0 || slash === value.length - 1) {
    causes.push(invalid(path, value, 'must be a domain-prefixed path (such as "acme.io/foo")'));
  } else {
    const [host, rest] = [value.slice(0, slash), value.slice(slash + 1)];
    checkText(isDns1123Subdomain, host, path, causes);
    const pattern = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";
    if (!new RegExp(`^${pattern}$`).test(rest)) causes.push(invalid(path, rest, regexError("Invalid path", pattern)));
  }
  if (value.length > maxManagedByLength) causes.push(tooLong(path, maxManagedByLength));
}

function validateCompletionMode(spec: any, path: string, causes: Causes): void {
  const { completionMode, completions, parallelism, maxFailedIndexes, backoffLimitPerIndex } = spec;
  if (isSet(completionMode) && completionMode !== "NonIndexed" && completionMode !== "Indexed") {
    causes.push(notSupported(`${path}.completionMode`, completionMode, ["NonIndexed", "Indexed"]));
  }
  if (!isSet(completionMode) || completionMode === "NonIndexed") {
    for (const field of ["backoffLimitPerIndex", "maxFailedIndexes"]) {
      if (isSet(spec[field])) causes.push(invalid(`${path}.${field}`, spec[field], "requires indexed completion mode"));
    }
  }
  if (completionMode !== "Indexed") return;
  const atMost = (field: string, limit: number, when: string) => {
    if (spec[field] > limit) {
      causes.push(invalid(`${path}.${field}`, spec[field], `must be less than or equal to ${limit}${when}`));
    }
  };
  if (!isSet(completions)) causes.push(required(`${path}.completions`, "when completion mode is Indexed"));
  if (isSet(parallelism)) atMost("parallelism", maxParallelism, " when completion mode is Indexed");
  if (isSet(completions) && isSet(maxFailedIndexes) && maxFailedIndexes > completions) {
    causes.push(invalid(`${path}.maxFailedIndexes`, maxFailedIndexes, "must be less than or equal to completions"));
  }
  if (isSet(maxFailedIndexes)) atMost("maxFailedIndexes", completionsSoftLimit, "");
  if (isSet(completions) && completions > completionsSoftLimit && isSet(backoffLimitPerIndex)) {
    const when = ` when completions are above ${completionsSoftLimit} and used with backoff limit per index`;
    if (!isSet(maxFailedIndexes)) {
      causes.push(
        required(`${path}.maxFailedIndexes`, `must be specified when completions is above ${completionsSoftLimit}`),
      );
    }
    if (isSet(parallelism)) atMost("parallelism", parallelismLimitForHighCompletions, when);
    if (isSet(maxFailedIndexes)) atMost("maxFailedIndexes", maxFailedIndexesForHighCompletions, when);
  }
}

function validateSuccessPolicy(spec: any, path: string, causes: Causes): void {
  const rules = listOf(spec.successPolicy.rules);
  if (rules.length === 0) {
    causes.push(required(`${path}.rules`, "at least one rules must be specified when the successPolicy is specified"));
  }
  if (rules.length > maxSuccessRules) causes.push(tooMany(`${path}.rules`, rules.length, maxSuccessRules));
  const completions = spec.completions ?? 0;
  for (const [index, { succeededCount, succeededIndexes }] of rules.entries()) {
    const field = `${path}.rules[${index}]`;
    if (!isSet(succeededCount) && !isSet(succeededIndexes)) {
      causes.push(required(field, "at least one of succeededCount or succeededIndexes must be specified"));
    }
    let total = 0;
    if (isSet(succeededIndexes)) {
      if (succeededIndexes.length > maxSucceededIndexesLength) {
        causes.push(tooLong(`${field}.succeededIndexes`, maxSucceededIndexesLength));
      }
      const counted = countIndexes(succeededIndexes, completions);
      if (typeof counted === "number") total = counted;
      else
        causes.push(
          invalid(`${field}.succeededIndexes`, succeededIndexes, `error parsing succeededIndexes: ${counted}`),
        );
    }
    if (isSet(succeededCount)) {
      const at = `${field}.succeededCount`;
      nonnegative(succeededCount, at, causes);
      const tooBig = (limit: number, what: string) =>
        causes.push(invalid(at, succeededCount, `must be less than or equal to ${limit} (the number of ${what})`));
      if (succeededCount > completions) tooBig(completions, "specified completions");
      if (isSet(succeededIndexes) && succeededCount > total)
        tooBig(total, "indexes in the specified succeededIndexes field");
    }
  }
}

/** Mirrors ValidateJobUpdate; a suspended job that has not started may still change where its pods run. */
export function validateJobUpdate(job: KubeObject, previous: KubeObject, causes: Causes): void {
  const spec = job.spec ?? {};
  const before = previous.spec ?? {};
  validateJobSpecWithSelector(spec, causes);
  validateCompletionsUpdate(spec, before, causes);
  immutable(spec.selector, before.selector, "spec.selector", causes);
  const notStarted = before.suspend === true && !isSet(previous.status?.startTime);
  immutable(
    spec.template,
    notStarted ? withDirectivesOf(spec.template, before.template) : before.template,
    "spec.template",
    causes,
  );
  for (const field of ["completionMode", "podFailurePolicy", "backoffLimitPerIndex", "managedBy", "successPolicy"]) {
    immutable(spec[field], before[field], `spec.${field}`, causes);
  }
}

function validateCompletionsUpdate(spec: any, before: any, causes: Causes): void {
  if (spec.completionMode !== "Indexed")
    return immutable(spec.completions, before.completions, "spec.completions", causes);
  if (semanticEqual(spec.completions, before.completions) || !isSet(spec.completions)) return;
  if (spec.completions !== spec.parallelism) {
    causes.push(invalid("spec.completions", spec.completions, "can only be modified in tandem with spec.parallelism"));
  }
}

/** `before` with the scheduling directives of `template`. */
function withDirectivesOf(template: any, before: any): any {
  const spec = { ...before?.spec };
  for (const field of ["nodeSelector", "tolerations", "schedulingGates"]) spec[field] = template?.spec?.[field];
  const affinity = { ...spec.affinity };
  delete affinity.nodeAffinity;
  const nodeAffinity = template?.spec?.affinity?.nodeAffinity;
  if (isSet(nodeAffinity)) affinity.nodeAffinity = nodeAffinity;
  spec.affinity = template?.spec?.affinity || Object.keys(affinity).length > 0 ? affinity : undefined;
  const metadata = { ...before?.metadata };
  for (const field of ["labels", "annotations"]) metadata[field] = template?.metadata?.[field];
  return { ...before, spec, metadata };
}

const maxCronJobNameLength = 52;
const maxZonePart = /^[A-Za-z.\-_0-9+]{1,14}$/;

export function validateCronJob(job: KubeObject, causes: Causes): void {
  validateCronJobSpec(job.spec ?? {}, undefined, causes);
  if ((job.metadata.name ?? "").length > maxCronJobNameLength) {
    causes.push(invalid("metadata.name", job.metadata.name, "must be no more than 52 characters"));
  }
}

export function validateCronJobUpdate(job: KubeObject, previous: KubeObject, causes: Causes): void {
  validateCronJobSpec(job.spec ?? {}, previous.spec ?? {}, causes);
}

function validateCronJobSpec(spec: any, before: any, causes: Causes): void {
  if (!spec.schedule) causes.push(required("spec.schedule"));
  else validateSchedule(spec, textOf(before?.schedule).includes("TZ"), causes);
  nonnegative(spec.startingDeadlineSeconds, "spec.startingDeadlineSeconds", causes);
  if (before === undefined || (before.timeZone ?? undefined) !== (spec.timeZone ?? undefined)) {
    validateTimeZone(spec.timeZone, "spec.timeZone", causes);
  }
  requiredEnum(spec.concurrencyPolicy, ["Allow", "Forbid", "Replace"], "spec.concurrencyPolicy", causes);
  const template = spec.jobTemplate?.spec ?? {};
  validateJobSpec(template, "spec.jobTemplate.spec", causes);
  if (template.selector) {
    causes.push(invalid("spec.jobTemplate.spec.selector", template.selector, "`selector` will be auto-generated"));
  }
  if (template.manualSelector) {
    causes.push(notSupported("spec.jobTemplate.spec.manualSelector", true, ["nil", "false"]));
  }
  nonnegative(spec.successfulJobsHistoryLimit, "spec.successfulJobsHistoryLimit", causes);
  nonnegative(spec.failedJobsHistoryLimit, "spec.failedJobsHistoryLimit", causes);
}

function validateSchedule({ schedule, timeZone }: any, zoneAllowed: boolean, causes: Causes): void {
  const problem = cronScheduleProblem(schedule);
  if (problem !== undefined) causes.push(invalid("spec.schedule", schedule, problem));
  if (!schedule.includes("TZ")) return;
  if (!zoneAllowed) {
    causes.push(invalid("spec.schedule", schedule, "cannot use TZ or CRON_TZ in schedule, use timeZone field instead"));
  } else if (isSet(timeZone)) {
    causes.push(invalid("spec.schedule", schedule, "cannot use both timeZone field and TZ or CRON_TZ in schedule"));
  }
}

function validateTimeZone(zone: any, path: string, causes: Causes): void {
  if (!isSet(zone)) return;
  if (zone === "") return void causes.push(invalid(path, zone, "timeZone must be nil or non-empty string"));
  for (const part of zone.split("/")) {
    if (part === "." || part === ".." || part.startsWith("-") || !maxZonePart.test(part)) {
      return void causes.push(invalid(path, zone, `unknown time zone ${zone}`));
    }
  }
  if (zone.toLowerCase() === "local") {
    causes.push(
      invalid(path, zone, "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones"),
    );
  }
  if (!isTimeZone(zone)) causes.push(invalid(path, zone, `unknown time zone ${zone}`));
}
