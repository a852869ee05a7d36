import { defaultPodOnly, defaultPodSpec, defaultPodTemplate } from "./pod-spec.ts";
import { defaultResourceList, fillResources } from "./resources.ts";
import { each, ensureObject, setDefault, setDefaultNumber, type Json } from "./set-default.ts";
import { defaultClaimSpec, defaultSharedSources } from "./volumes.ts";

/* Mirrors pkg/apis/core/v1/defaults.go (1.36). */

export function defaultPod(pod: Json): void {
  const spec = ensureObject(pod, "spec");
  defaultPodSpec(spec);
  defaultPodOnly(spec);
}

export function defaultPodTemplateObject(object: Json): void {
  defaultPodTemplate(object["template"]);
}

export function defaultReplicationController(controller: Json): void {
  const spec = ensureObject(controller, "spec");
  setDefault(spec, "replicas", 1);
  defaultPodTemplate(spec["template"]);
  const labels: Json | undefined = spec["template"]?.metadata?.labels;
  if (labels === undefined) return;
  if (isEmpty(spec["selector"])) spec["selector"] = { ...labels };
  defaultLabels(controller, labels);
}

/** Labels of the template, where the object has none. */
export function defaultLabels(object: Json, labels: Json | undefined): void {
  const metadata = ensureObject(object, "metadata");
  if (!isEmpty(labels) && isEmpty(metadata["labels"])) metadata["labels"] = { ...labels };
}

function isEmpty(map: Json | undefined | null): boolean {
  return map === undefined || map === null || Object.keys(map).length === 0;
}

export function defaultEndpoints(endpoints: Json): void {
  each(endpoints["subsets"], (subset) => each(subset["ports"], (port) => setDefault(port, "protocol", "TCP")));
}

/** Also the conversion's part: `stringData` is written into `data` and never stored. */
export function defaultSecret(secret: Json): void {
  setDefault(secret, "type", "Opaque");
  const stringData: Record<string, string> | undefined = secret["stringData"];
  if (stringData === undefined || stringData === null) return;
  delete secret["stringData"];
  const data = ensureObject(secret, "data");
  for (const [key, value] of Object.entries(stringData)) {
    Object.defineProperty(data, key, {
      value: encodeBase64(value),
      writable: true,
      enumerable: true,
      configurable: true,
    });
  }
}

function encodeBase64(text: string): string {
  let binary = "";
  for (const byte of new TextEncoder().encode(text)) binary += String.fromCharCode(byte);
  return btoa(binary);
}

export function defaultNamespace(namespace: Json): void {
  const metadata = ensureObject(namespace, "metadata");
  if (metadata["name"]) ensureObject(metadata, "labels")["kubernetes.io/metadata.name"] = metadata["name"];
  setDefault(ensureObject(namespace, "status"), "phase", "Active");
}

export function defaultNode(node: Json): void {
  const status = ensureObject(node, "status");
  defaultResourceList(status["capacity"]);
  defaultResourceList(status["allocatable"]);
  if (!status["allocatable"] && status["capacity"]) status["allocatable"] = { ...status["capacity"] };
}

export function defaultPersistentVolume(volume: Json): void {
  const spec = ensureObject(volume, "spec");
  setDefault(ensureObject(volume, "status"), "phase", "Pending");
  setDefault(spec, "persistentVolumeReclaimPolicy", "Retain");
  setDefault(spec, "volumeMode", "Filesystem");
  defaultResourceList(spec["capacity"]);
  defaultSharedSources(spec);
}

export function defaultPersistentVolumeClaim(claim: Json): void {
  setDefault(ensureObject(claim, "status"), "phase", "Pending");
  defaultResourceList(claim["status"].capacity);
  defaultResourceList(claim["status"].allocatedResources);
  defaultClaimSpec(ensureObject(claim, "spec"));
}

export function defaultLimitRange(range: Json): void {
  each(range["spec"]?.limits, (item) => {
    for (const list of ["max", "min", "default", "defaultRequest", "maxLimitRequestRatio"])
      defaultResourceList(item[list]);
    if (item["type"] !== "Container") return;
    const limits: Json = { ...item["default"] };
    fillResources(limits, item["max"]);
    const requests: Json = { ...item["defaultRequest"] };
    fillResources(requests, limits);
    fillResources(requests, item["min"]);
    if (!isEmpty(limits)) item["default"] = limits;
    if (!isEmpty(requests)) item["defaultRequest"] = requests;
  });
}

export function defaultResourceQuota(quota: Json): void {
  defaultResourceList(quota["spec"]?.hard);
  defaultResourceList(quota["status"]?.hard);
  defaultResourceList(quota["status"]?.used);
}

/** discovery.k8s.io/v1 EndpointSlice. Mirrors pkg/apis/discovery/v1/defaults.go (1.36). */
export function defaultEndpointSlice(slice: Json): void {
  each(slice["ports"], (port) => {
    port["name"] ??= "";
    setDefault(port, "protocol", "TCP");
  });
}

/** authentication.k8s.io/v1 TokenRequest. */
export function defaultTokenRequest(request: Json): void {
  setDefaultNumber(ensureObject(request, "spec"), "expirationSeconds", 3600);
}
