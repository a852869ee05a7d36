import type { KubeObject } from "../../apimachinery/meta.ts";
import type { Strategy } from "../strategy.ts";

/** Mirrors pkg/registry/batch/job/strategy.go (1.36). */
export const jobStrategy: Strategy = {
  generation: "spec",
  orphansDependents: true,
  // The selector is made of the uid and the final name, which are there once validation begins.
  validate(job) {
    if (job.spec && !job.spec.manualSelector) generateSelector(job);
    return [];
  },
};

/** What is given already stays: if it contradicts, validation says so. Mirrors generateSelector. */
function generateSelector(job: KubeObject): void {
  const name = job.metadata.name ?? "";
  const uid = job.metadata.uid ?? "";
  const { spec } = job;
  spec.template ??= {};
  spec.template.metadata ??= {};
  spec.template.metadata.labels = {
    "batch.kubernetes.io/controller-uid": uid,
    "batch.kubernetes.io/job-name": name,
    "controller-uid": uid,
    "job-name": name,
    ...spec.template.metadata.labels,
  };
  spec.selector ??= {};
  spec.selector.matchLabels = { "batch.kubernetes.io/controller-uid": uid, ...spec.selector.matchLabels };
}
