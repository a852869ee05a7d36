import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../apimachinery/meta.ts";
import { catalog } from "../catalog.ts";
import { printerFor } from "./printers.ts";

const now = Date.parse("2026-06-01T12:00:00Z");
const ago = (seconds: number) => new Date(now - seconds * 1000).toISOString().replace(".000Z", "Z");
const created = ago(5 * 3600);

function cellsOf(resource: string, object: Partial<KubeObject>): unknown[] {
  const [plural = "", group = ""] = resource.split("@");
  const { metadata, ...rest } = object;
  return printerFor(group, plural).cells(
    { metadata: { name: "x", creationTimestamp: created, ...metadata }, ...rest },
    now,
  );
}

const columnsOf = (resource: string, priority?: number) => {
  const [plural = "", group = ""] = resource.split("@");
  return printerFor(group, plural)
    .columns.filter((column) => priority === undefined || column.priority === priority)
    .map((column) => column.name)
    .join("|");
};

const template = {
  spec: {
    containers: [
      { name: "a", image: "a:1" },
      { name: "b", image: "b:2" },
    ],
  },
};
const selector = { matchLabels: { app: "x" }, matchExpressions: [{ key: "tier", operator: "In", values: ["b", "a"] }] };
const quota = {
  hard: { pods: "10", "limits.cpu": "4", "limits.memory": "2Gi" },
  used: { pods: "3", "limits.cpu": "500m" },
};

/** Vectors in upstream's order of columns; "5h" is the age. */
const vectors: [string, Partial<KubeObject>, unknown[]][] = [
  [
    "deployments@apps",
    {
      spec: { replicas: 3, template, selector },
      status: { readyReplicas: 2, updatedReplicas: 1, availableReplicas: 2 },
    },
    ["x", "2/3", 1, 2, "5h", "a,b", "a:1,b:2", "app=x,tier in (a,b)"],
  ],
  ["deployments@apps", { spec: { selector: {} } }, ["x", "0/0", 0, 0, "5h", "", "", ""]],
  [
    "replicasets@apps",
    { spec: { replicas: 3, template, selector }, status: { replicas: 2, readyReplicas: 1 } },
    ["x", 3, 2, 1, "5h", "a,b", "a:1,b:2", "app=x,tier in (a,b)"],
  ],
  ["replicasets@apps", { spec: { selector: {} } }, ["x", 0, 0, 0, "5h", "", "", "<none>"]],
  [
    "replicationcontrollers",
    { spec: { replicas: 1, template, selector: { b: "2", a: "1" } }, status: { replicas: 1 } },
    ["x", 1, 1, 0, "5h", "a,b", "a:1,b:2", "a=1,b=2"],
  ],
  [
    "statefulsets@apps",
    { spec: { replicas: 2, template }, status: { readyReplicas: 1 } },
    ["x", "1/2", "5h", "a,b", "a:1,b:2"],
  ],
  [
    "daemonsets@apps",
    {
      spec: { selector, template: { spec: { ...template.spec, nodeSelector: { disk: "ssd" } } } },
      status: {
        desiredNumberScheduled: 5,
        currentNumberScheduled: 4,
        numberReady: 3,
        updatedNumberScheduled: 2,
        numberAvailable: 1,
      },
    },
    ["x", 5, 4, 3, 2, 1, "disk=ssd", "5h", "a,b", "a:1,b:2", "app=x,tier in (a,b)"],
  ],
  [
    "controllerrevisions@apps",
    {
      metadata: {
        ownerReferences: [{ apiVersion: "apps/v1", kind: "DaemonSet", name: "ds", uid: "u", controller: true }],
      },
      revision: 4,
    },
    ["x", "daemonset.apps/ds", 4, "5h"],
  ],
  [
    "jobs@batch",
    {
      spec: { completions: 4, template, selector: { matchLabels: { job: "x" } } },
      status: {
        succeeded: 4,
        startTime: ago(3600),
        completionTime: ago(3500),
        conditions: [{ type: "Complete", status: "True" }],
      },
    },
    ["x", "Complete", "4/4", "100s", "5h", "a,b", "a:1,b:2", "job=x"],
  ],
  [
    "jobs@batch",
    { spec: { parallelism: 3 }, status: { startTime: ago(600) } },
    ["x", "Running", "0/1 of 3", "10m", "5h", "", "", "<none>"],
  ],
  [
    "jobs@batch",
    { spec: { parallelism: 1 }, status: { conditions: [{ type: "Suspended", status: "True" }] } },
    ["x", "Suspended", "0/1", "", "5h", "", "", "<none>"],
  ],
  [
    "cronjobs@batch",
    {
      spec: { schedule: "* * * * *", suspend: false, jobTemplate: { spec: { template } } },
      status: { active: [{}], lastScheduleTime: ago(30) },
    },
    ["x", "* * * * *", "<none>", "False", 1, "30s", "5h", "a,b", "a:1,b:2", "<none>"],
  ],
  [
    "cronjobs@batch",
    { spec: { schedule: "@daily", timeZone: "Europe/Zurich" } },
    ["x", "@daily", "Europe/Zurich", "<unset>", 0, "<none>", "5h", "", "", "<none>"],
  ],
  [
    "services",
    {
      spec: {
        type: "ClusterIP",
        clusterIP: "10.0.0.1",
        clusterIPs: ["10.0.0.1"],
        ports: [
          { port: 80, protocol: "TCP" },
          { port: 53, protocol: "UDP" },
        ],
        selector: { app: "x" },
      },
    },
    ["x", "ClusterIP", "10.0.0.1", "<none>", "80/TCP,53/UDP", "5h", "app=x"],
  ],
  [
    "services",
    {
      spec: { type: "LoadBalancer", clusterIPs: ["10.0.0.1"], ports: [{ port: 80, nodePort: 30080, protocol: "TCP" }] },
      status: { loadBalancer: {} },
    },
    ["x", "LoadBalancer", "10.0.0.1", "<pending>", "80:30080/TCP", "5h", "<none>"],
  ],
  [
    "services",
    {
      spec: { type: "LoadBalancer", clusterIPs: ["10.0.0.1"], externalIPs: ["9.9.9.9"] },
      status: {
        loadBalancer: { ingress: [{ hostname: "a-long-host.example.com" }, { ip: "1.2.3.4" }, { ip: "1.2.3.4" }] },
      },
    },
    ["x", "LoadBalancer", "10.0.0.1", "1.2.3.4,a-long-host.example.com,9.9.9.9", "<none>", "5h", "<none>"],
  ],
  [
    "services",
    { spec: { type: "ExternalName", externalName: "example.com" } },
    ["x", "ExternalName", "<none>", "example.com", "<none>", "5h", "<none>"],
  ],
  [
    "services",
    { spec: { type: "ClusterIP", clusterIPs: ["None"] } },
    ["x", "ClusterIP", "None", "<none>", "<none>", "5h", "<none>"],
  ],
  [
    "endpoints",
    { subsets: [{ addresses: [{ ip: "1.1.1.1" }, { ip: "fd00::2" }], ports: [{ port: 80 }, { port: 443 }] }] },
    ["x", "1.1.1.1:80,[fd00::2]:80,1.1.1.1:443 + 1 more...", "5h"],
  ],
  ["endpoints", { subsets: [{ addresses: [{ ip: "1.1.1.1" }] }] }, ["x", "1.1.1.1", "5h"]],
  ["endpoints", {}, ["x", "<none>", "5h"]],
  [
    "endpointslices@discovery.k8s.io",
    {
      addressType: "IPv4",
      ports: [{ port: 80 }, { name: "any" }, {}, { port: 9 }],
      endpoints: [{ addresses: ["1.1.1.1"] }, { addresses: ["1.1.1.2"] }],
    },
    ["x", "IPv4", "80,any,* + 1 more...", "1.1.1.1,1.1.1.2", "5h"],
  ],
  ["endpointslices@discovery.k8s.io", { addressType: "IPv6" }, ["x", "IPv6", "<unset>", "<unset>", "5h"]],
  [
    "nodes",
    {
      metadata: {
        labels: {
          "node-role.kubernetes.io/worker": "",
          "node-role.kubernetes.io/control-plane": "",
          "kubernetes.io/role": "edge",
        },
      },
      spec: { unschedulable: true },
      status: {
        conditions: [{ type: "Ready", status: "True" }],
        addresses: [
          { type: "Hostname", address: "h" },
          { type: "InternalIP", address: "10.0.0.9" },
        ],
        nodeInfo: {
          kubeletVersion: "v1.36.0",
          osImage: "Linux",
          kernelVersion: "6.1",
          containerRuntimeVersion: "sim://1",
        },
      },
    },
    [
      "x",
      "Ready,SchedulingDisabled",
      "control-plane,edge,worker",
      "5h",
      "v1.36.0",
      "10.0.0.9",
      "<none>",
      "Linux",
      "6.1",
      "sim://1",
    ],
  ],
  [
    "nodes",
    { status: { conditions: [{ type: "Ready", status: "Unknown" }] } },
    ["x", "NotReady", "<none>", "5h", "", "<none>", "<none>", "<unknown>", "<unknown>", "<unknown>"],
  ],
  ["namespaces", { status: { phase: "Active" } }, ["x", "Active", "5h"]],
  ["secrets", { type: "Opaque", data: { a: "", b: "" } }, ["x", "Opaque", 2, "5h"]],
  ["configmaps", { data: { a: "" }, binaryData: { b: "" } }, ["x", 2, "5h"]],
  ["serviceaccounts", { secrets: [{ name: "s" }] }, ["x", 1, "5h"]],
  [
    "events",
    {
      involvedObject: { kind: "Pod", name: "web", fieldPath: "spec.containers{a}" },
      type: "Warning",
      reason: "BackOff",
      message: " again \n",
      source: { component: "kubelet", host: "n1" },
      firstTimestamp: ago(600),
      lastTimestamp: ago(60),
      count: 7,
    },
    ["60s", "Warning", "BackOff", "pod/web", "spec.containers{a}", "kubelet, n1", "again", "10m", 7, "x"],
  ],
  [
    "events@events.k8s.io",
    {
      regarding: { kind: "Pod", name: "web" },
      type: "Normal",
      reason: "Scheduled",
      note: "done",
      reportingController: "default-scheduler",
      eventTime: ago(60).replace("Z", ".123456Z"),
      deprecatedFirstTimestamp: null,
      deprecatedLastTimestamp: null,
    },
    ["59s", "Normal", "Scheduled", "pod/web", "", "default-scheduler", "done", "59s", 1, "x"],
  ],
  [
    "events",
    {
      involvedObject: { kind: "Node" },
      type: "Normal",
      reason: "R",
      eventTime: created,
      series: { count: 5, lastObservedTime: ago(10) },
      reportingComponent: "c",
      reportingInstance: "i",
    },
    ["10s", "Normal", "R", "node", "", "c, i", "", "5h", 5, "x"],
  ],
  [
    "persistentvolumes",
    {
      spec: {
        capacity: { storage: "10Gi" },
        accessModes: ["ReadWriteMany", "ReadWriteOnce"],
        persistentVolumeReclaimPolicy: "Retain",
        claimRef: { namespace: "ns", name: "c" },
        storageClassName: "fast",
        volumeMode: "Block",
      },
      status: { phase: "Bound" },
    },
    ["x", "10Gi", "RWO,RWX", "Retain", "Bound", "ns/c", "fast", "<unset>", "", "5h", "Block"],
  ],
  [
    "persistentvolumeclaims",
    {
      metadata: { annotations: { "volume.beta.kubernetes.io/storage-class": "old" } },
      spec: { volumeName: "pv", storageClassName: "new", volumeAttributesClassName: "gold", volumeMode: "Filesystem" },
      status: { phase: "Bound", accessModes: ["ReadWriteOncePod"], capacity: { storage: "1Gi" } },
    },
    ["x", "Bound", "pv", "1Gi", "RWOP", "old", "gold", "5h", "Filesystem"],
  ],
  [
    "persistentvolumeclaims",
    {
      metadata: { deletionTimestamp: ago(1) },
      spec: { resources: { requests: { storage: "1Gi" } } },
      status: { phase: "Pending" },
    },
    ["x", "Terminating", "", "", "", "", "<unset>", "5h", "<unset>"],
  ],
  ["resourcequotas", { status: quota }, ["x", "pods: 3/10", "limits.cpu: 500m/4, limits.memory: 0/2Gi", "5h"]],
  [
    "podtemplates",
    { template: { metadata: { labels: { b: "2", a: "1" } }, ...template } },
    ["x", "a,b", "a:1,b:2", "a=1,b=2"],
  ],
  [
    "componentstatuses",
    { conditions: [{ type: "Healthy", status: "True", message: "ok" }] },
    ["x", "Healthy", "ok", ""],
  ],
  [
    "ingresses@networking.k8s.io",
    {
      spec: {
        ingressClassName: "nginx",
        rules: [{ host: "a" }, { host: "b" }, { host: "c" }, {}],
        tls: [{}],
      },
      status: { loadBalancer: { ingress: [{ ip: "2.2.2.2" }, { hostname: "long-name.example.com" }] } },
    },
    ["x", "nginx", "a,b,c + 1 more...", "2.2.2.2,long-name.example.com", "80, 443", "5h"],
  ],
  ["ingresses@networking.k8s.io", { spec: { rules: [{}] } }, ["x", "<none>", "*", "", "80", "5h"]],
  [
    "ingressclasses@networking.k8s.io",
    { spec: { controller: "c/d", parameters: { apiGroup: "g.io", kind: "P", name: "p" } } },
    ["x", "c/d", "P.g.io/p", "5h"],
  ],
  ["networkpolicies@networking.k8s.io", { spec: { podSelector: {} } }, ["x", "<none>", "5h"]],
  ["networkpolicies@networking.k8s.io", { spec: { podSelector: selector } }, ["x", "app=x,tier in (a,b)", "5h"]],
  [
    "networkpolicies@networking.k8s.io",
    { spec: { podSelector: { matchExpressions: [{ key: "a", operator: "Bad" }] } } },
    ["x", "<error>", "5h"],
  ],
  [
    "servicecidrs@networking.k8s.io",
    { spec: { cidrs: ["10.0.0.0/24", "fd00::/64"] } },
    ["x", "10.0.0.0/24,fd00::/64", "5h"],
  ],
  [
    "ipaddresses@networking.k8s.io",
    { spec: { parentRef: { resource: "services", namespace: "ns", name: "s" } } },
    ["x", "services/ns/s"],
  ],
  [
    "poddisruptionbudgets@policy",
    { spec: { minAvailable: "50%" }, status: { disruptionsAllowed: 2 } },
    ["x", "50%", "N/A", 2, "5h"],
  ],
  ["poddisruptionbudgets@policy", { spec: { maxUnavailable: 0 } }, ["x", "N/A", "0", 0, "5h"]],
  [
    "rolebindings@rbac.authorization.k8s.io",
    {
      roleRef: { kind: "ClusterRole", name: "view" },
      subjects: [
        { kind: "User", name: "u" },
        { kind: "Group", name: "g1" },
        { kind: "Group", name: "g2" },
        { kind: "ServiceAccount", namespace: "ns", name: "sa" },
      ],
    },
    ["x", "ClusterRole/view", "5h", "u", "g1, g2", "ns/sa"],
  ],
  ["roles@rbac.authorization.k8s.io", {}, ["x", created]],
  [
    "storageclasses@storage.k8s.io",
    { metadata: { annotations: { "storageclass.kubernetes.io/is-default-class": "true" } }, provisioner: "p" },
    ["x (default)", "p", "Delete", "Immediate", false, "5h"],
  ],
  [
    "volumeattachments@storage.k8s.io",
    { spec: { attacher: "d", source: { persistentVolumeName: "pv" }, nodeName: "n" }, status: { attached: true } },
    ["x", "d", "pv", "n", true, "5h"],
  ],
  ["csinodes@storage.k8s.io", { spec: { drivers: [{}, {}] } }, ["x", 2, "5h"]],
  [
    "csidrivers@storage.k8s.io",
    {
      spec: {
        attachRequired: false,
        tokenRequests: [{ audience: "a" }, { audience: "b" }],
        volumeLifecycleModes: ["Ephemeral"],
      },
    },
    ["x", false, false, false, "a,b", false, "Ephemeral", "5h"],
  ],
  ["csidrivers@storage.k8s.io", { spec: {} }, ["x", true, false, false, "<unset>", false, "<none>", "5h"]],
  ["csistoragecapacities@storage.k8s.io", { storageClassName: "s", capacity: "1024Mi" }, ["x", "s", "1Gi"]],
  ["csistoragecapacities@storage.k8s.io", { storageClassName: "s" }, ["x", "s", "<unset>"]],
  ["volumeattributesclasses@storage.k8s.io", { driverName: "d" }, ["x", "d", "5h"]],
  ["validatingwebhookconfigurations@admissionregistration.k8s.io", { webhooks: [{}, {}] }, ["x", 2, "5h"]],
  [
    "validatingadmissionpolicies@admissionregistration.k8s.io",
    { spec: { paramKind: { apiVersion: "v1", kind: "ConfigMap" }, validations: [{}] } },
    ["x", 1, "v1/ConfigMap", "5h"],
  ],
  [
    "validatingadmissionpolicybindings@admissionregistration.k8s.io",
    { spec: { policyName: "p", paramRef: { name: "c" } } },
    ["x", "p", "*/c", "5h"],
  ],
  [
    "mutatingadmissionpolicybindings@admissionregistration.k8s.io",
    { spec: { policyName: "p", paramRef: { selector } } },
    [
      "x",
      "p",
      "&LabelSelector{MatchLabels:map[string]string{app: x,},MatchExpressions:[]LabelSelectorRequirement{" +
        "LabelSelectorRequirement{Key:tier,Operator:In,Values:[b a],},},}",
      "5h",
    ],
  ],
  [
    "certificatesigningrequests@certificates.k8s.io",
    {
      spec: { signerName: "s/x", username: "u", expirationSeconds: 3600 },
      status: { conditions: [{ type: "Approved", status: "True" }], certificate: "Yw==" },
    },
    ["x", "5h", "s/x", "u", "60m", "Approved,Issued"],
  ],
  [
    "certificatesigningrequests@certificates.k8s.io",
    { spec: { username: "u" } },
    ["x", "5h", "<none>", "u", "<none>", "Pending"],
  ],
  ["clustertrustbundles@certificates.k8s.io", {}, ["x", "<none>"]],
  [
    "podcertificaterequests@certificates.k8s.io",
    {
      spec: { podName: "p", serviceAccountName: "sa", nodeName: "n", signerName: "s" },
      status: { conditions: [{ type: "Issued", status: "True" }] },
    },
    ["x", "p", "sa", "n", "s", "Issued"],
  ],
  ["leases@coordination.k8s.io", { spec: { holderIdentity: "h" } }, ["x", "h", "5h"]],
  [
    "leasecandidates@coordination.k8s.io",
    { spec: { leaseName: "l", binaryVersion: "1.36.0", emulationVersion: "1.35.0" } },
    ["x", "l", "1.36.0", "1.35.0", "5h"],
  ],
  [
    "flowschemas@flowcontrol.apiserver.k8s.io",
    {
      spec: {
        matchingPrecedence: 500,
        priorityLevelConfiguration: { name: "pl" },
        distinguisherMethod: { type: "ByUser" },
      },
      status: { conditions: [{ type: "Dangling", status: "False" }] },
    },
    ["x", "pl", 500, "ByUser", "5h", "False"],
  ],
  [
    "prioritylevelconfigurations@flowcontrol.apiserver.k8s.io",
    {
      spec: {
        type: "Limited",
        limited: {
          nominalConcurrencyShares: 30,
          limitResponse: { type: "Queue", queuing: { queues: 64, handSize: 6, queueLengthLimit: 50 } },
        },
      },
    },
    ["x", "Limited", 30, 64, 6, 50, "5h"],
  ],
  [
    "prioritylevelconfigurations@flowcontrol.apiserver.k8s.io",
    { spec: { type: "Exempt" } },
    ["x", "Exempt", "<none>", "<none>", "<none>", "<none>", "5h"],
  ],
  [
    "priorityclasses@scheduling.k8s.io",
    { value: 1000, globalDefault: true, preemptionPolicy: "Never" },
    ["x", 1000, true, "5h", "Never"],
  ],
  [
    "podgroups@scheduling.k8s.io",
    {
      spec: { schedulingPolicy: { gang: {} }, podGroupTemplateRef: { workload: { workloadName: "w" } } },
      status: { conditions: [{ type: "PodGroupScheduled", status: "False" }] },
    },
    ["x", "Gang", "w", "Unschedulable", "5h"],
  ],
  ["runtimeclasses@node.k8s.io", { handler: "runc" }, ["x", "runc", "5h"]],
  [
    "resourceclaims@resource.k8s.io",
    { metadata: { deletionTimestamp: ago(1) }, status: { allocation: {}, reservedFor: [{}] } },
    ["x", "deleted,allocated,reserved", "5h"],
  ],
  ["resourceclaims@resource.k8s.io", {}, ["x", "pending", "5h"]],
  [
    "resourceslices@resource.k8s.io",
    { spec: { nodeName: "n", driver: "d", pool: { name: "p" } } },
    ["x", "n", "d", "p", "5h"],
  ],
  [
    "devicetaintrules@resource.k8s.io",
    { spec: { taint: { key: "k", value: "v", effect: "NoExecute", timeAdded: ago(60) } } },
    ["x", "k", "v", "NoExecute", "60s", "5h"],
  ],
  [
    "resourcepoolstatusrequests@resource.k8s.io",
    {
      spec: { driver: "d" },
      status: {
        poolCount: 3,
        pools: [
          { totalDevices: 4, availableDevices: 1 },
          { totalDevices: 2, allocatedDevices: 2, validationError: "e" },
        ],
        conditions: [{ type: "Complete", status: "True", lastTransitionTime: ago(60) }],
      },
    },
    ["x", "d", "6", "1", "2", "0", "1", 3, "Complete (2/3 pools)", "60s"],
  ],
  [
    "resourcepoolstatusrequests@resource.k8s.io",
    { spec: { driver: "d" } },
    ["x", "d", "-", "-", "-", "-", "-", 0, "Pending", "<none>"],
  ],
  [
    "apiservices@apiregistration.k8s.io",
    {
      spec: { service: { namespace: "ns", name: "s" } },
      status: { conditions: [{ type: "Available", status: "False", reason: "MissingEndpoints" }] },
    },
    ["x", "ns/s", "False (MissingEndpoints)", "5h"],
  ],
  [
    "apiservices@apiregistration.k8s.io",
    { status: { conditions: [{ type: "Available", status: "True", reason: "Local" }] } },
    ["x", "Local", "True", "5h"],
  ],
  [
    "storageversions@internal.apiserver.k8s.io",
    { status: { commonEncodingVersion: "v1", storageVersions: [{ apiServerID: "a", encodingVersion: "v1" }] } },
    ["x", "v1", "a=v1", "5h"],
  ],
  [
    "storageversionmigrations@storagemigration.k8s.io",
    {
      spec: { resource: { group: "apps", resource: "deployments" } },
      status: {
        conditions: [
          { type: "Running", status: "False" },
          { type: "Succeeded", status: "True" },
        ],
      },
    },
    ["x", "deployments.apps", "Succeeded"],
  ],
];

test.each(vectors)("%s %#", (resource, object, expected) => {
  expect(cellsOf(resource, object)).toEqual(expected);
});

describe("horizontal pod autoscalers", () => {
  const resource = (current: number | undefined, target: number | undefined) => ({
    spec: { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: target } } },
    status: { type: "Resource", resource: { name: "cpu", current: { averageUtilization: current } } },
  });
  const targets = (metrics: object[], currentMetrics: object[] = []) =>
    cellsOf("horizontalpodautoscalers@autoscaling", { spec: { metrics }, status: { currentMetrics } })[2];

  test("all cells", () => {
    const cpu = resource(30, 80);
    const object = {
      spec: { scaleTargetRef: { kind: "Deployment", name: "d" }, minReplicas: 2, maxReplicas: 9, metrics: [cpu.spec] },
      status: { currentReplicas: 3, currentMetrics: [cpu.status] },
    };
    const cells = ["x", "Deployment/d", "cpu: 30%/80%", "2", 9, 3, "5h"];
    expect(cellsOf("horizontalpodautoscalers@autoscaling", object)).toEqual(cells);
  });

  test("the v1 form shows the same", () => {
    const object = {
      spec: { scaleTargetRef: { kind: "Deployment", name: "d" }, maxReplicas: 9, targetCPUUtilizationPercentage: 80 },
      status: { currentReplicas: 3, currentCPUUtilizationPercentage: 30 },
    };
    const cells = ["x", "Deployment/d", "cpu: 30%/80%", "<unset>", 9, 3, "5h"];
    expect(cellsOf("horizontalpodautoscalers@autoscaling", object)).toEqual(cells);
  });

  test("targets", () => {
    expect(targets([])).toBe("<none>");
    expect(targets([resource(1, 80).spec])).toBe("cpu: <unknown>/80%");
    expect(targets([resource(1, undefined).spec])).toBe("cpu: <unknown>/<auto>");
    const pods = { type: "Pods", pods: { target: { averageValue: "100m" } } };
    expect(targets([pods], [{ type: "Pods", pods: { current: { averageValue: "50m" } } }])).toBe("50m/100m");
    const external = { type: "External", external: { target: { averageValue: "10" } } };
    expect(targets([external], [{ external: { current: { averageValue: "4" } } }])).toBe("4/10 (avg)");
    const object = { type: "Object", object: { target: { value: "10" } } };
    expect(targets([object])).toBe("<unknown>/10");
    const memory = {
      type: "ContainerResource",
      containerResource: { name: "memory", target: { averageValue: "1024Mi" } },
    };
    expect(targets([memory, { type: "Other" }, pods])).toBe("memory: <unknown>/1Gi, <unknown type> + 1 more...");
  });
});

test("flow schemas come in matching order", () => {
  const { compare } = printerFor("flowcontrol.apiserver.k8s.io", "flowschemas");
  const schema = (name: string, matchingPrecedence: number) => ({ metadata: { name }, spec: { matchingPrecedence } });
  const sorted = [schema("b", 9), schema("c", 1), schema("a", 9)].toSorted(compare);
  expect(sorted.map(({ metadata }) => metadata.name)).toEqual(["c", "a", "b"]);
});

test("columns, with wide ones apart", () => {
  expect(columnsOf("pods", 0)).toBe("Name|Ready|Status|Restarts|Age");
  expect(columnsOf("pods", 1)).toBe("IP|Node|Nominated Node|Readiness Gates");
  expect(columnsOf("deployments@apps", 0)).toBe("Name|Ready|Up-to-date|Available|Age");
  expect(columnsOf("daemonsets@apps", 0)).toBe("Name|Desired|Current|Ready|Up-to-date|Available|Node Selector|Age");
  expect(columnsOf("jobs@batch", 0)).toBe("Name|Status|Completions|Duration|Age");
  expect(columnsOf("cronjobs@batch", 0)).toBe("Name|Schedule|Timezone|Suspend|Active|Last Schedule|Age");
  expect(columnsOf("nodes", 0)).toBe("Name|Status|Roles|Age|Version");
  expect(columnsOf("nodes", 1)).toBe("Internal-IP|External-IP|OS-Image|Kernel-Version|Container-Runtime");
  expect(columnsOf("services", 0)).toBe("Name|Type|Cluster-IP|External-IP|Port(s)|Age");
  expect(columnsOf("events", 0)).toBe("Last Seen|Type|Reason|Object|Message");
  expect(columnsOf("events@events.k8s.io")).toBe(
    "Last Seen|Type|Reason|Object|Subobject|Source|Message|First Seen|Count|Name",
  );
  expect(columnsOf("persistentvolumes", 1)).toBe("VolumeMode");
  expect(columnsOf("rolebindings@rbac.authorization.k8s.io", 1)).toBe("Users|Groups|ServiceAccounts");
  expect(columnsOf("customresourcedefinitions@apiextensions.k8s.io")).toBe("Name|Created At");
  expect(columnsOf("limitranges")).toBe("Name|Created At");
  expect(columnsOf("deployments/scale@apps")).toBe("Name|Desired|Available|Age");
});

test("a time that is missing is unknown, one in the future is invalid", () => {
  const namespaces = printerFor("", "namespaces");
  expect(namespaces.cells({ metadata: { name: "x", creationTimestamp: null } }, now)[2]).toBe("<unknown>");
  expect(namespaces.cells({ metadata: { name: "x", creationTimestamp: ago(-60) } }, now)[2]).toBe("<invalid>");
});

const resources = catalog
  .groups()
  .flatMap(({ group, versions }) => versions.flatMap((version) => catalog.resources(group, version)))
  .filter(({ persisted }) => persisted);

test.each(resources.map(({ group, version, resource }) => [group, version, resource] as const))(
  "%s/%s %s: a Name column, and one cell for each column of an object without fields",
  (group, _version, resource) => {
    const printer = printerFor(group, resource);
    expect(printer.columns.map((column) => column.name)).toContain("Name");
    for (const object of [{ metadata: {} }, { metadata: {}, spec: {}, status: {} }]) {
      const cells = printer.cells(object, now);
      expect(cells).toHaveLength(printer.columns.length);
      expect(cells).not.toContain(undefined);
    }
  },
);

test("resource names that are members of every object have the default columns", () => {
  expect(columnsOf("constructor@apps")).toBe("Name|Created At");
});
