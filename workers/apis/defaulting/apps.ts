import { defaultPersistentVolumeClaim } from "./core.ts";
import { defaultPodTemplate } from "./pod-spec.ts";
import { each, ensureObject, setDefault, type Json } from "./set-default.ts";

/* Mirrors pkg/apis/apps/v1/defaults.go (1.36). */

export function defaultDeployment(deployment: Json): void {
  const spec = ensureObject(deployment, "spec");
  setDefault(spec, "replicas", 1);
  const strategy = ensureObject(spec, "strategy");
  setDefault(strategy, "type", "RollingUpdate");
  if (strategy["type"] === "RollingUpdate") {
    const rollingUpdate = ensureObject(strategy, "rollingUpdate");
    setDefault(rollingUpdate, "maxUnavailable", "25%");
    setDefault(rollingUpdate, "maxSurge", "25%");
  }
  setDefault(spec, "revisionHistoryLimit", 10);
  setDefault(spec, "progressDeadlineSeconds", 600);
  defaultPodTemplate(spec["template"]);
}

export function defaultReplicaSet(replicaSet: Json): void {
  const spec = ensureObject(replicaSet, "spec");
  setDefault(spec, "replicas", 1);
  defaultPodTemplate(spec["template"]);
}

export function defaultDaemonSet(daemonSet: Json): void {
  const spec = ensureObject(daemonSet, "spec");
  const strategy = ensureObject(spec, "updateStrategy");
  setDefault(strategy, "type", "RollingUpdate");
  if (strategy["type"] === "RollingUpdate") {
    const rollingUpdate = ensureObject(strategy, "rollingUpdate");
    setDefault(rollingUpdate, "maxUnavailable", 1);
    setDefault(rollingUpdate, "maxSurge", 0);
  }
  setDefault(spec, "revisionHistoryLimit", 10);
  defaultPodTemplate(spec["template"]);
}

export function defaultStatefulSet(statefulSet: Json): void {
  const spec = ensureObject(statefulSet, "spec");
  setDefault(spec, "podManagementPolicy", "OrderedReady");
  const strategy = ensureObject(spec, "updateStrategy");
  if (!strategy["type"]) {
    strategy["type"] = "RollingUpdate";
    setDefault(strategy, "rollingUpdate", {});
  }
  if (strategy["type"] === "RollingUpdate" && strategy["rollingUpdate"]) {
    setDefault(strategy["rollingUpdate"], "partition", 0);
    // MaxUnavailableStatefulSet is on since 1.35.
    setDefault(strategy["rollingUpdate"], "maxUnavailable", 1);
  }
  const retention = ensureObject(spec, "persistentVolumeClaimRetentionPolicy");
  setDefault(retention, "whenDeleted", "Retain");
  setDefault(retention, "whenScaled", "Retain");
  setDefault(spec, "replicas", 1);
  setDefault(spec, "revisionHistoryLimit", 10);
  defaultPodTemplate(spec["template"]);
  each(spec["volumeClaimTemplates"], (claim) => {
    // The conversion names the kind.
    claim["apiVersion"] = "v1";
    claim["kind"] = "PersistentVolumeClaim";
    defaultPersistentVolumeClaim(claim);
  });
}
