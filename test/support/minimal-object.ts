import type { KubeObject } from "../../workers/apimachinery/meta.ts";
import { apiVersionOf } from "../../workers/apimachinery/gvk.ts";
import type { ResourceInfo } from "../../workers/apis/resource-info.ts";
import { schemaTable } from "../../workers/apis/schema-table.ts";
import type { FieldInfo, StructInfo, TypeRef } from "../../workers/apis/schema.ts";

/** DER of a request and of a certificate for CN=minimal, in base64. */
const requestDer =
  "MIHMMHQCAQAwEjEQMA4GA1UEAwwHbWluaW1hbDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABGrve+f1la2vudmuWsZ4LclY6oN1RRG3lbQP95dpvQkutYjQrntxAthMrga8XCJc31sjnpFwYqMCsVpopa8bCnGgADAKBggqhkjOPQQDAgNIADBFAiEA/EPxbav8W5vH6h48b41yhnwm+M2GCgWrkmI3mhSBi14CIAjpfqVn4JYr0XoS6GcAu7LuH1HVms5yrV0XvSRwk2ND";
const certificateDer =
  "MIIBezCCASGgAwIBAgIUP/50g1mYbaneQFh1vhWyjKUpFRIwCgYIKoZIzj0EAwIwEjEQMA4GA1UEAwwHbWluaW1hbDAgFw0yNjExMjkyMjA5NTRaGA8yMTI2MTEwNTIyMDk1NFowEjEQMA4GA1UEAwwHbWluaW1hbDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABAYtOxtRPHUivTGTcHKlE5EHleOOj/HidVT8NnrG/mzQOS3ToQj+b+sxbtXxNRFz5CCBqUkKLQfkVIuxnqwq19ijUzBRMB0GA1UdDgQWBBTB0eLvnXa3DtCUYbLWBp3QN3tO8jAfBgNVHSMEGDAWgBTB0eLvnXa3DtCUYbLWBp3QN3tO8jAPBgNVHRMBAf8EBTADAQH/MAoGCCqGSM49BAMCA0gAMEUCIQCgHdfEqtXxIO+zRHu+gsIABnx5H2MaCKhXyFlUIi+UmgIgbFCoFjPwAQeK8gXQ2/wPzjbruQI6Blb3G/WTTD5BfCI=";

function pem(type: string, der: string): string {
  return `-----BEGIN ${type}-----\n${der.replace(/.{64}/g, "$&\n")}\n-----END ${type}-----\n`;
}

const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "a" };
const matchConstraints = {
  resourceRules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["pods"] }],
};

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
  "apiextensions.k8s.io/customresourcedefinitions": {
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "things", singular: "thing", kind: "Thing", listKind: "ThingList" },
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
    },
  },
  "apiregistration.k8s.io/apiservices": {
    spec: { group: "example.com", version: "v1", groupPriorityMinimum: 1_000, versionPriority: 10 },
  },
  "certificates.k8s.io/certificatesigningrequests": {
    spec: {
      request: btoa(pem("CERTIFICATE REQUEST", requestDer)),
      usages: ["client auth"],
      signerName: "example.com/test",
    },
  },
  "certificates.k8s.io/clustertrustbundles": { spec: { trustBundle: pem("CERTIFICATE", certificateDer) } },
  "certificates.k8s.io/podcertificaterequests": {
    spec: {
      signerName: "example.com/test",
      podName: "a",
      podUID: "a",
      serviceAccountName: "a",
      serviceAccountUID: "a",
      nodeName: "a",
      nodeUID: "a",
      maxExpirationSeconds: 86_400,
      stubPKCS10Request: requestDer,
    },
  },
  "networking.k8s.io/ingressclasses": { spec: { controller: "example.com/controller" } },
  "rbac.authorization.k8s.io/clusterrolebindings": { roleRef },
  "rbac.authorization.k8s.io/rolebindings": { roleRef },
  "storage.k8s.io/volumeattachments": {
    spec: { attacher: "a.example.com", nodeName: "a", source: { persistentVolumeName: "a" } },
  },
  "storage.k8s.io/volumeattributesclasses": { driverName: "a.example.com", parameters: { a: "b" } },
  "storage.k8s.io/storageclasses": { provisioner: "example.com/provisioner" },
  "coordination.k8s.io/leasecandidates": {
    spec: {
      leaseName: "a",
      binaryVersion: "1.36.0",
      emulationVersion: "1.36.0",
      strategy: "OldestEmulationVersion",
      pingTime: "2026-01-02T03:04:05.000006Z",
      renewTime: "2026-01-02T03:04:05.000006Z",
    },
  },
  "admissionregistration.k8s.io/validatingadmissionpolicies": {
    spec: { matchConstraints, validations: [{ expression: "true" }] },
  },
  "admissionregistration.k8s.io/validatingadmissionpolicybindings": {
    spec: { policyName: "a", validationActions: ["Deny"] },
  },
  "admissionregistration.k8s.io/mutatingadmissionpolicies": {
    spec: {
      matchConstraints,
      reinvocationPolicy: "Never",
      mutations: [{ patchType: "ApplyConfiguration", applyConfiguration: { expression: "Object{}" } }],
    },
  },
  "admissionregistration.k8s.io/mutatingadmissionpolicybindings": { spec: { policyName: "a" } },
  "flowcontrol.apiserver.k8s.io/flowschemas": {
    spec: { priorityLevelConfiguration: { name: "a" }, matchingPrecedence: 1_000 },
  },
  "flowcontrol.apiserver.k8s.io/prioritylevelconfigurations": {
    spec: { type: "Limited", limited: { limitResponse: { type: "Reject" } } },
  },
  "resource.k8s.io/resourceslices": {
    spec: { driver: "a.example.com", nodeName: "a", pool: { name: "a", generation: 1, resourceSliceCount: 1 } },
  },
  "resource.k8s.io/devicetaintrules": { spec: { taint: { key: "example.com/a", effect: "NoSchedule" } } },
  "resource.k8s.io/resourceclaims": { spec: {} },
  "resource.k8s.io/resourceclaimtemplates": { spec: { spec: {} } },
  "resource.k8s.io/resourcepoolstatusrequests": { spec: { driver: "a.example.com" } },
  "scheduling.k8s.io/podgroups": { spec: { schedulingPolicy: { basic: {} } } },
  "scheduling.k8s.io/workloads": { spec: { podGroupTemplates: [{ name: "a", schedulingPolicy: { basic: {} } }] } },
  "storagemigration.k8s.io/storageversionmigrations": {
    spec: { resource: { group: "apps", resource: "deployments" } },
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
