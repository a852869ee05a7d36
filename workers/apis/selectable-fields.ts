import type { ResourceInfo } from "./resource-info.ts";
/**
 * The fields that a field selector may name, per built-in resource, and how each is read from an object.
 *
 * Mirrors the field label conversions (pkg/apis/<group>/<version>/conversion.go) together with the GetAttrs functions of
 * pkg/registry/<group>/<resource>/strategy.go, 1.36. Objects are read in any served version.
 */

/** JSON of a Kubernetes object, in any served version. */
export type SelectableObject = any;
export type FieldReader = (object: SelectableObject) => string;

const text = (value: unknown): string => (typeof value === "string" ? value : "");
const count = (value: unknown): string => (typeof value === "number" ? value.toString() : "0");
const flag = (value: unknown): string => (value === true ? "true" : "false");

const name: [string, FieldReader] = ["metadata.name", (object) => text(object.metadata?.name)];
const namespace: [string, FieldReader] = ["metadata.namespace", (object) => text(object.metadata?.namespace)];
const objectMeta = [name, namespace];

const podFields: [string, FieldReader][] = [
  ...objectMeta,
  ["spec.nodeName", (pod) => text(pod.spec?.nodeName)],
  // For clients from before v1, which send spec.host.
  ["spec.host", (pod) => text(pod.spec?.nodeName)],
  ["spec.restartPolicy", (pod) => text(pod.spec?.restartPolicy)],
  ["spec.schedulerName", (pod) => text(pod.spec?.schedulerName)],
  ["spec.serviceAccountName", (pod) => text(pod.spec?.serviceAccountName)],
  ["spec.hostNetwork", (pod) => flag(pod.spec?.hostNetwork)],
  ["status.phase", (pod) => text(pod.status?.phase)],
  ["status.podIP", (pod) => text(pod.status?.podIPs?.[0]?.ip ?? pod.status?.podIP)],
  // Accepted, but no pod has a value for it.
  ["status.podIPs", () => ""],
  ["status.nominatedNodeName", (pod) => text(pod.status?.nominatedNodeName)],
];

const involvedObject = (event: SelectableObject): SelectableObject => event.involvedObject ?? event.regarding ?? {};
const reportingController = (event: SelectableObject): string =>
  text(event.reportingComponent ?? event.reportingController);
const source = (event: SelectableObject): string =>
  text((event.source ?? event.deprecatedSource)?.component) || reportingController(event);
const referenceFields = ["kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"];

function eventFields(reference: string, controller: string): [string, FieldReader][] {
  return [
    ...objectMeta,
    ...referenceFields.map((field): [string, FieldReader] => [
      `${reference}.${field}`,
      (event) => text(involvedObject(event)[field]),
    ]),
    ["reason", (event) => text(event.reason)],
    [controller, reportingController],
    ["source", source],
    ["type", (event) => text(event.type)],
  ];
}

const signerName: [string, FieldReader] = ["spec.signerName", (object) => text(object.spec?.signerName)];
const nodeName: [string, FieldReader] = ["spec.nodeName", (object) => text(object.spec?.nodeName)];
const statusReplicas: [string, FieldReader] = ["status.replicas", (object) => count(object.status?.replicas)];

const fieldsByResource: Record<string, [string, FieldReader][]> = {
  "/pods": podFields,
  "/nodes": [name, ["spec.unschedulable", (node) => flag(node.spec?.unschedulable)]],
  "/replicationcontrollers": [...objectMeta, statusReplicas],
  "/events": eventFields("involvedObject", "reportingComponent"),
  "/namespaces": [name, ["status.phase", (object) => text(object.status?.phase)]],
  "/secrets": [...objectMeta, ["type", (secret) => text(secret.type)]],
  "/services": [
    ...objectMeta,
    ["spec.clusterIP", (service) => text(service.spec?.clusterIP)],
    ["spec.type", (service) => text(service.spec?.type)],
  ],
  "events.k8s.io/events": eventFields("regarding", "reportingController"),
  "apps/replicasets": [...objectMeta, statusReplicas],
  "batch/jobs": [...objectMeta, ["status.successful", (job) => count(job.status?.succeeded)]],
  "certificates.k8s.io/certificatesigningrequests": [name, signerName],
  "certificates.k8s.io/clustertrustbundles": [name, signerName],
  "certificates.k8s.io/podcertificaterequests": [
    name,
    signerName,
    ["spec.podName", (request) => text(request.spec?.podName)],
    nodeName,
  ],
  "resource.k8s.io/resourceslices": [name, nodeName, ["spec.driver", (slice) => text(slice.spec?.driver)]],
};

const defaultFields: ReadonlyMap<string, FieldReader> = new Map(objectMeta);
const fieldMaps = new Map<string, ReadonlyMap<string, FieldReader>>();

/** Fields that a selector may name; for a resource without any of its own: metadata.name and metadata.namespace. */
export function selectableFields(group: string, resource: string): ReadonlyMap<string, FieldReader> {
  const key = `${group}/${resource}`;
  const fields = Object.hasOwn(fieldsByResource, key) ? fieldsByResource[key] : undefined;
  if (!fields) return defaultFields;
  let map = fieldMaps.get(key);
  if (!map) fieldMaps.set(key, (map = new Map(fields)));
  return map;
}

/** The same for any resource: a custom one has those that its definition lists, named by their paths. */
export function selectableFieldsOf(resource: ResourceInfo): ReadonlyMap<string, FieldReader> {
  if (resource.custom === undefined) return selectableFields(resource.group, resource.resource);
  const fields = new Map(objectMeta);
  for (const path of resource.custom.selectableFields) fields.set(path, (object) => scalarAt(object, path));
  return fields;
}

function scalarAt(object: unknown, path: string): string {
  let value: unknown = object;
  for (const name of path.split(".")) value = (value as Record<string, unknown> | null | undefined)?.[name];
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? String(value) : "";
}

/**
 * The message, of reason BadRequest, for a selector that names another field. `kind` is that of the request's version.
 */
export function fieldLabelNotSupported(
  group: string,
  version: string,
  resource: string,
  kind: string,
  label: string,
): string {
  const key = `${group}/${resource}`;
  if (!Object.hasOwn(fieldsByResource, key))
    return `${JSON.stringify(label)} is not a known field selector: only "metadata.name", "metadata.namespace"`;
  if (key === "batch/jobs") return `field label ${JSON.stringify(label)} not supported for Job`;
  if (group === "resource.k8s.io") return `field label not supported for ${group}/${version}, Kind=${kind}: ${label}`;
  return `field label not supported: ${label}`;
}
