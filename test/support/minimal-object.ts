import type { KubeObject } from "../../workers/apimachinery/meta.ts";
import { apiVersionOf } from "../../workers/apimachinery/gvk.ts";
import type { ResourceInfo } from "../../workers/apis/resource-info.ts";
import { schemaTable } from "../../workers/apis/schema-table.ts";
import type { FieldInfo, StructInfo, TypeRef } from "../../workers/apis/schema.ts";

/** What validation wants beyond what the schema calls required, by group/resource. */
const extras: Record<string, object> = {
  "/services": { spec: { ports: [{ port: 80 }] } },
  "/pods": { spec: { containers: [{ name: "a", image: "b" }] } },
  "/replicationcontrollers": { spec: { replicas: 0, selector: { a: "b" }, template: template() } },
  "/endpoints": { subsets: [{ addresses: [{ ip: "10.0.0.1" }], ports: [{ port: 80 }] }] },
  "/events": {
    reason: "Tested",
    message: "text",
    type: "Normal",
    involvedObject: { kind: "Pod", namespace: "default", name: "a" },
  },
  "events.k8s.io/events": {
    reason: "Tested",
    note: "text",
    type: "Normal",
    eventTime: "2026-01-02T03:04:05.000006Z",
    action: "Testing",
    reportingController: "example.com/test",
    reportingInstance: "test-0",
    regarding: { kind: "Pod", namespace: "default", name: "a" },
  },
  "/persistentvolumeclaims": { spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } } },
  "/persistentvolumes": {
    spec: { accessModes: ["ReadWriteOnce"], capacity: { storage: "1Gi" }, hostPath: { path: "/a" } },
  },
  "/podtemplates": { template: template() },
  "apps/deployments": { spec: { replicas: 0, selector: { matchLabels: { a: "b" } }, template: template() } },
  "apps/replicasets": { spec: { replicas: 0, selector: { matchLabels: { a: "b" } }, template: template() } },
  "apps/statefulsets": {
    spec: { replicas: 0, serviceName: "a", selector: { matchLabels: { a: "b" } }, template: template() },
  },
  "apps/daemonsets": { spec: { selector: { matchLabels: { a: "b" } }, template: template() } },
  "apps/controllerrevisions": { revision: 1, data: { a: "b" } },
  "batch/jobs": { spec: { suspend: true, template: template("Never", {}) } },
  "batch/cronjobs": {
    spec: { suspend: true, schedule: "0 0 1 1 *", jobTemplate: { spec: { template: template("Never", {}) } } },
  },
  "networking.k8s.io/ipaddresses": { spec: { parentRef: { resource: "services", namespace: "default", name: "a" } } },
  "networking.k8s.io/servicecidrs": { spec: { cidrs: ["10.100.0.0/24"] } },
  "networking.k8s.io/ingresses": { spec: { defaultBackend: { service: { name: "a", port: { number: 80 } } } } },
  "networking.k8s.io/networkpolicies": { spec: { podSelector: {} } },
  "discovery.k8s.io/endpointslices": { addressType: "IPv4", endpoints: [{ addresses: ["10.0.0.1"] }] },
  "autoscaling/horizontalpodautoscalers": {
    spec: { maxReplicas: 2, scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "a" } },
  },
  "coordination.k8s.io/leases": { spec: { holderIdentity: "a", leaseDurationSeconds: 40 } },
  "policy/poddisruptionbudgets": { spec: { minAvailable: 1, selector: { matchLabels: { a: "b" } } } },
};

/** Names that are not `minimal`. */
const names: Record<string, string> = {
  "networking.k8s.io/ipaddresses": "10.100.0.7",
  "apiregistration.k8s.io/apiservices": "v1.example.com",
  "apiextensions.k8s.io/customresourcedefinitions": "things.example.com",
};

function template(restartPolicy = "Always", labels: Record<string, string> = { a: "b" }) {
  return { metadata: { labels }, spec: { restartPolicy, containers: [{ name: "a", image: "b" }] } };
}

/** The smallest object of a kind that a server takes: its required fields, from the schema. */
export function minimalObject(resource: ResourceInfo, name?: string): KubeObject {
  const key = `${resource.group}/${resource.resource}`;
  const struct = schemaTable.structOfKind(resource.group, resource.version, resource.kind);
  if (struct === undefined) throw new Error(`no schema of ${key}`);
  const { metadata: _metadata, status: _status, ...required } = requiredFields(struct);
  return {
    kind: resource.kind,
    apiVersion: apiVersionOf(resource),
    metadata: { name: name ?? names[key] ?? "minimal" },
    ...required,
    ...extras[key],
  };
}

function requiredFields(struct: StructInfo): Record<string, unknown> {
  const object: Record<string, unknown> = {};
  for (const field of struct.fields.values()) {
    if (field.required && field.name !== "kind" && field.name !== "apiVersion")
      object[field.name] = valueOf(field.type, field);
  }
  return object;
}

function valueOf(type: TypeRef, field?: FieldInfo): unknown {
  switch (type.kind) {
    case "struct": {
      const struct = schemaTable.struct(type.name);
      return struct === undefined ? {} : requiredFields(struct);
    }
    case "array":
      return [valueOf(type.items)];
    case "map":
      return {};
    case "bool":
      return true;
    case "int32":
    case "int64":
    case "float64":
    case "intOrString":
      return 1;
    case "quantity":
      return "1";
    case "time":
      return "2026-01-02T03:04:05Z";
    case "microTime":
      return "2026-01-02T03:04:05.000006Z";
    case "duration":
      return "1m0s";
    case "bytes":
      return "YQ==";
    case "rawExtension":
    case "json":
    case "fieldsV1":
      return {};
    case "string":
      return field?.enum?.[0] ?? "a";
  }
}
