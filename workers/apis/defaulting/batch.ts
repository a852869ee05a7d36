import { defaultLabels } from "./core.ts";
import { defaultPodTemplate } from "./pod-spec.ts";
import { each, ensureObject, setDefault, type Json } from "./set-default.ts";

/* Mirrors pkg/apis/batch/v1/defaults.go (1.36). */

const maxInt32 = 2 ** 31 - 1;

export function defaultJob(job: Json): void {
  const spec = ensureObject(job, "spec");
  if (isUnset(spec["completions"]) && isUnset(spec["parallelism"])) spec["completions"] = 1;
  setDefault(spec, "parallelism", 1);
  setDefault(spec, "backoffLimit", isUnset(spec["backoffLimitPerIndex"]) ? 6 : maxInt32);
  defaultLabels(job, spec["template"]?.metadata?.labels);
  setDefault(spec, "completionMode", "NonIndexed");
  setDefault(spec, "suspend", false);
  setDefault(spec, "podReplacementPolicy", spec["podFailurePolicy"] ? "Failed" : "TerminatingOrFailed");
  setDefault(spec, "manualSelector", false);
  defaultJobSpec(spec);
}

export function defaultCronJob(cronJob: Json): void {
  const spec = ensureObject(cronJob, "spec");
  setDefault(spec, "concurrencyPolicy", "Allow");
  setDefault(spec, "suspend", false);
  setDefault(spec, "successfulJobsHistoryLimit", 3);
  setDefault(spec, "failedJobsHistoryLimit", 1);
  if (spec["jobTemplate"]?.spec) defaultJobSpec(spec["jobTemplate"].spec);
}

/** What jobs and the templates of cron jobs share. */
function defaultJobSpec(spec: Json): void {
  each(spec["podFailurePolicy"]?.rules, (rule) =>
    each(rule["onPodConditions"], (pattern) => setDefault(pattern, "status", "True")),
  );
  defaultPodTemplate(spec["template"]);
}

function isUnset(value: unknown): boolean {
  return value === undefined || value === null;
}
