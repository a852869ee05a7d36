import type { KubeObject } from "../../apimachinery/meta.ts";
import { isDns1123Label } from "../../apimachinery/validation-names.ts";
import { isSet, listOf, numberOf, textOf } from "../validation/checks.ts";
import { warningsForPodTemplate } from "./pod.ts";
import { warningsForClaimSpec } from "./storage.ts";

/** A name that becomes the pods' hostname should be one. */
export function warningsForPodNamePrefix({ metadata }: KubeObject): string[] {
  const problems = isDns1123Label(metadata.name ?? "");
  if (problems.length === 0) return [];
  return [
    `metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended: [${problems.join(" ")}]`,
  ];
}

export function warningsForTemplateOf({ spec }: KubeObject): string[] {
  return warningsForPodTemplate(spec?.template, "spec.template");
}

/** Mirrors pkg/registry/apps/statefulset/strategy.go (1.36). */
export function warningsForStatefulSet(set: KubeObject): string[] {
  return [
    ...warningsForTemplateOf(set),
    ...listOf(set.spec?.volumeClaimTemplates).flatMap((claim, index) =>
      warningsForClaimSpec(claim.spec ?? {}, `spec.volumeClaimTemplates[${index}]`),
    ),
    ...warningsForRevisionHistory(set),
  ];
}

export function warningsForRevisionHistory({ spec }: KubeObject): string[] {
  if (numberOf(spec?.revisionHistoryLimit) >= 0) return [];
  return ["spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended"];
}

/** Mirrors pkg/api/job/warnings.go (1.36). */
export function warningsForJobSpec(spec: any, path: string): string[] {
  const isHuge =
    spec?.completionMode === "Indexed" && numberOf(spec.completions) > 100_000 && numberOf(spec.parallelism) > 10_000;
  return [
    ...(isHuge
      ? [
          `${path}: In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail`,
        ]
      : []),
    ...warningsForPodTemplate(spec?.template, `${path}.template`),
  ];
}

const cronJobSpec = "spec.jobTemplate.spec";

export function warningsForNewCronJob(cronJob: KubeObject): string[] {
  return [...warningsForPodNamePrefix(cronJob), ...warningsForJobSpec(cronJob.spec?.jobTemplate?.spec, cronJobSpec)];
}

/** Mirrors WarningsOnUpdate of pkg/registry/batch/cronjob/strategy.go (1.36), whose path says `spec` twice. */
export function warningsForChangedCronJob(cronJob: KubeObject, previous: KubeObject): string[] {
  const { spec, metadata } = cronJob;
  return [
    ...(metadata.generation === previous.metadata.generation
      ? []
      : warningsForJobSpec(spec?.jobTemplate?.spec, cronJobSpec)),
    ...(isSet(spec?.schedule) && textOf(spec.schedule).includes("TZ")
      ? [
          "cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details",
        ]
      : []),
  ];
}
