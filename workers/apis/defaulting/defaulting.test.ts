import { describe, expect, test } from "vitest";
import type { GroupVersionKind } from "../../apimachinery/gvk.ts";
import { decodeObject } from "../codec/decode.ts";
import { applyDefaults } from "./defaulting.ts";

function defaulted(apiVersion: string, kind: string, object: object): any {
  const [group, version] = apiVersion.includes("/") ? apiVersion.split("/") : ["", apiVersion];
  const gvk = { group, version, kind } as GroupVersionKind;
  const body = new TextEncoder().encode(JSON.stringify({ apiVersion, kind, ...object }));
  const decoded = decodeObject(body, "application/json", gvk, { fieldValidation: "Strict" }).object;
  applyDefaults(gvk, decoded);
  const once = JSON.stringify(decoded);
  applyDefaults(gvk, decoded);
  expect(JSON.stringify(decoded), "applied twice").toBe(once);
  return decoded;
}

const spec = (value: object) => ({ spec: value });

describe("pods", () => {
  test("what upstream answers for a bare pod", () => {
    expect(defaulted("v1", "Pod", spec({ containers: [{ name: "c", image: "nginx" }] })).spec).toEqual({
      containers: [
        {
          name: "c",
          image: "nginx",
          imagePullPolicy: "Always",
          resources: {},
          terminationMessagePath: "/dev/termination-log",
          terminationMessagePolicy: "File",
        },
      ],
      dnsPolicy: "ClusterFirst",
      enableServiceLinks: true,
      restartPolicy: "Always",
      schedulerName: "default-scheduler",
      securityContext: {},
      terminationGracePeriodSeconds: 30,
    });
  });

  test.each([
    ["nginx", "Always"],
    ["nginx:latest", "Always"],
    ["nginx:1.27", "IfNotPresent"],
    ["registry.example.com:5000/team/app", "Always"],
    ["registry.example.com:5000/team/app:v1", "IfNotPresent"],
    [`nginx@sha256:${"a".repeat(64)}`, "IfNotPresent"],
    [`nginx:latest@sha256:${"a".repeat(64)}`, "Always"],
    ["Not A Reference", "IfNotPresent"],
    ["", "IfNotPresent"],
  ])("image %s is pulled %s", (image, policy) => {
    expect(
      defaulted("v1", "Pod", spec({ containers: [{ name: "c", image }] })).spec.containers[0].imagePullPolicy,
    ).toBe(policy);
  });

  test("containers' parts", () => {
    const pod = defaulted(
      "v1",
      "Pod",
      spec({
        hostNetwork: true,
        serviceAccount: "sa",
        containers: [
          {
            name: "c",
            image: "x:1",
            ports: [{ containerPort: 80 }],
            env: [{ name: "A", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }],
            resources: { limits: { cpu: "1", memory: "1Gi", tiny: "1u", constructor: "2" }, requests: { cpu: "500m" } },
            livenessProbe: { httpGet: { port: 80 } },
            readinessProbe: { grpc: { port: 1 }, periodSeconds: 5 },
            lifecycle: { preStop: { httpGet: { port: "x", scheme: "HTTPS" } } },
          },
        ],
      }),
    ).spec;
    expect(pod.serviceAccountName).toBe("sa");
    expect(pod.containers[0]).toMatchObject({
      ports: [{ containerPort: 80, hostPort: 80, protocol: "TCP" }],
      env: [{ valueFrom: { fieldRef: { apiVersion: "v1" } } }],
      resources: {
        limits: { cpu: "1", memory: "1Gi", tiny: "1m", constructor: "2" },
        requests: { cpu: "500m", memory: "1Gi", tiny: "1m", constructor: "2" },
      },
      livenessProbe: {
        httpGet: { port: 80, path: "/", scheme: "HTTP" },
        timeoutSeconds: 1,
        periodSeconds: 10,
        successThreshold: 1,
        failureThreshold: 3,
      },
      readinessProbe: { grpc: { port: 1, service: "" }, periodSeconds: 5 },
      lifecycle: { preStop: { httpGet: { path: "/", scheme: "HTTPS" } } },
    });
  });

  test("volumes", () => {
    const volumes = [
      { name: "none" },
      { name: "secret", secret: { secretName: "s" } },
      { name: "config", configMap: { name: "c", defaultMode: 256 } },
      { name: "host", hostPath: { path: "/x" } },
      {
        name: "projected",
        projected: {
          sources: [
            { serviceAccountToken: { path: "t" } },
            { downwardAPI: { items: [{ path: "p", fieldRef: { fieldPath: "metadata.name" } }] } },
          ],
        },
      },
      { name: "image", image: { reference: "x:1" } },
      { name: "claim", ephemeral: { volumeClaimTemplate: { spec: {} } } },
    ];
    expect(defaulted("v1", "Pod", spec({ containers: [], volumes })).spec.volumes).toEqual([
      { name: "none", emptyDir: {} },
      { name: "secret", secret: { secretName: "s", defaultMode: 420 } },
      { name: "config", configMap: { name: "c", defaultMode: 256 } },
      { name: "host", hostPath: { path: "/x", type: "" } },
      {
        name: "projected",
        projected: {
          defaultMode: 420,
          sources: [
            { serviceAccountToken: { path: "t", expirationSeconds: 3600 } },
            { downwardAPI: { items: [{ path: "p", fieldRef: { apiVersion: "v1", fieldPath: "metadata.name" } }] } },
          ],
        },
      },
      { name: "image", image: { reference: "x:1", pullPolicy: "IfNotPresent" } },
      {
        name: "claim",
        ephemeral: { volumeClaimTemplate: { metadata: {}, spec: { resources: {}, volumeMode: "Filesystem" } } },
      },
    ]);
  });

  test("requests of the whole pod", () => {
    const pod = defaulted(
      "v1",
      "Pod",
      spec({
        resources: { limits: { cpu: "4", memory: "1Gi" } },
        containers: [
          { name: "a", resources: { requests: { cpu: "500m" } } },
          { name: "b", resources: { requests: { cpu: "1", constructor: "1" } } },
        ],
        initContainers: [{ name: "i", resources: { requests: { cpu: "3" } } }],
      }),
    );
    expect(pod.spec.resources.requests).toEqual({ cpu: "3", memory: "1Gi" });
  });
});

const template = {
  metadata: { labels: { app: "a" } },
  spec: { containers: [{ name: "c", image: "x:1" }], hostNetwork: true },
};

describe("workloads", () => {
  test("templates get no service links and no host ports", () => {
    const { template: defaultedTemplate } = defaulted("apps/v1", "Deployment", spec({ template })).spec;
    expect(defaultedTemplate.spec).toMatchObject({ dnsPolicy: "ClusterFirst", restartPolicy: "Always" });
    expect(defaultedTemplate.spec.enableServiceLinks).toBeUndefined();
  });
  test.each<[string, string, object, object]>([
    [
      "apps/v1",
      "Deployment",
      { template },
      {
        replicas: 1,
        revisionHistoryLimit: 10,
        progressDeadlineSeconds: 600,
        strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: "25%", maxUnavailable: "25%" } },
      },
    ],
    [
      "apps/v1",
      "Deployment",
      { replicas: 0, strategy: { type: "Recreate" }, template },
      { replicas: 0, strategy: { type: "Recreate" } },
    ],
    ["apps/v1", "ReplicaSet", { template }, { replicas: 1 }],
    [
      "apps/v1",
      "DaemonSet",
      { template },
      {
        revisionHistoryLimit: 10,
        updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } },
      },
    ],
    [
      "apps/v1",
      "StatefulSet",
      { template, serviceName: "s", volumeClaimTemplates: [{ metadata: { name: "d" }, spec: {} }] },
      {
        replicas: 1,
        revisionHistoryLimit: 10,
        podManagementPolicy: "OrderedReady",
        updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 0, maxUnavailable: 1 } },
        persistentVolumeClaimRetentionPolicy: { whenDeleted: "Retain", whenScaled: "Retain" },
        volumeClaimTemplates: [
          {
            apiVersion: "v1",
            kind: "PersistentVolumeClaim",
            spec: { volumeMode: "Filesystem" },
            status: { phase: "Pending" },
          },
        ],
      },
    ],
    [
      "batch/v1",
      "Job",
      { template },
      {
        completions: 1,
        parallelism: 1,
        backoffLimit: 6,
        completionMode: "NonIndexed",
        suspend: false,
        manualSelector: false,
        podReplacementPolicy: "TerminatingOrFailed",
      },
    ],
    [
      "batch/v1",
      "Job",
      { parallelism: 2, backoffLimitPerIndex: 1, template },
      { parallelism: 2, backoffLimit: 2147483647 },
    ],
    [
      "batch/v1",
      "CronJob",
      { schedule: "* * * * *", jobTemplate: { spec: { template } } },
      { concurrencyPolicy: "Allow", suspend: false, successfulJobsHistoryLimit: 3, failedJobsHistoryLimit: 1 },
    ],
    ["v1", "ReplicationController", { template }, { replicas: 1, selector: { app: "a" } }],
  ])("%s %s %j", (apiVersion, kind, given, expected) => {
    expect(defaulted(apiVersion, kind, spec(given)).spec).toMatchObject(expected);
  });
  test("a parallel job has no completions, and takes its template's labels", () => {
    const job = defaulted("batch/v1", "Job", spec({ parallelism: 2, template }));
    expect(job.spec.completions).toBeUndefined();
    expect(job.metadata.labels).toEqual({ app: "a" });
  });
});

describe("services", () => {
  test.each<[object, object]>([
    [
      { ports: [{ port: 80 }] },
      {
        type: "ClusterIP",
        sessionAffinity: "None",
        internalTrafficPolicy: "Cluster",
        ports: [{ port: 80, protocol: "TCP", targetPort: 80 }],
      },
    ],
    [
      { type: "NodePort", ports: [{ port: 80, targetPort: "web" }] },
      { externalTrafficPolicy: "Cluster", ports: [{ targetPort: "web" }] },
    ],
    [{ type: "LoadBalancer" }, { externalTrafficPolicy: "Cluster", allocateLoadBalancerNodePorts: true }],
    [{ sessionAffinity: "ClientIP" }, { sessionAffinityConfig: { clientIP: { timeoutSeconds: 10800 } } }],
  ])("%j", (given, expected) => {
    expect(defaulted("v1", "Service", spec(given)).spec).toMatchObject(expected);
  });
  test("an external name has no traffic policies", () => {
    const service = defaulted("v1", "Service", spec({ type: "ExternalName", externalName: "x" })).spec;
    expect(service.internalTrafficPolicy).toBeUndefined();
    expect(service.externalTrafficPolicy).toBeUndefined();
  });
});

test.each<[string, string, object, object]>([
  [
    "v1",
    "Namespace",
    { metadata: { name: "n" } },
    { metadata: { labels: { "kubernetes.io/metadata.name": "n" } }, status: { phase: "Active" } },
  ],
  [
    "v1",
    "Secret",
    { stringData: { a: "é", b: "2" }, data: { b: "MQ==" } },
    { type: "Opaque", data: { a: "w6k=", b: "Mg==" } },
  ],
  ["v1", "Node", { status: { capacity: { cpu: "4" } } }, { status: { allocatable: { cpu: "4" } } }],
  [
    "v1",
    "PersistentVolume",
    { spec: { hostPath: { path: "/x" } } },
    {
      spec: { persistentVolumeReclaimPolicy: "Retain", volumeMode: "Filesystem", hostPath: { type: "" } },
      status: { phase: "Pending" },
    },
  ],
  ["v1", "PersistentVolumeClaim", {}, { spec: { volumeMode: "Filesystem" }, status: { phase: "Pending" } }],
  ["v1", "Endpoints", { subsets: [{ ports: [{ port: 1 }] }] }, { subsets: [{ ports: [{ protocol: "TCP" }] }] }],
  [
    "v1",
    "LimitRange",
    { spec: { limits: [{ type: "Container", max: { cpu: "2" }, min: { memory: "1Mi" } }] } },
    { spec: { limits: [{ default: { cpu: "2" }, defaultRequest: { cpu: "2", memory: "1Mi" } }] } },
  ],
  [
    "discovery.k8s.io/v1",
    "EndpointSlice",
    { addressType: "IPv4", endpoints: [], ports: [{ port: 1 }] },
    { ports: [{ name: "", protocol: "TCP", port: 1 }] },
  ],
  [
    "storage.k8s.io/v1",
    "StorageClass",
    { provisioner: "p" },
    { reclaimPolicy: "Delete", volumeBindingMode: "Immediate" },
  ],
  [
    "storage.k8s.io/v1",
    "CSIDriver",
    { spec: {} },
    { spec: { attachRequired: true, fsGroupPolicy: "ReadWriteOnceWithFSType", volumeLifecycleModes: ["Persistent"] } },
  ],
  [
    "networking.k8s.io/v1",
    "NetworkPolicy",
    { spec: { egress: [{ ports: [{ port: 1 }] }] } },
    { spec: { podSelector: {}, policyTypes: ["Ingress", "Egress"], egress: [{ ports: [{ protocol: "TCP" }] }] } },
  ],
  ["networking.k8s.io/v1", "NetworkPolicy", { spec: { podSelector: {} } }, { spec: { policyTypes: ["Ingress"] } }],
  [
    "rbac.authorization.k8s.io/v1",
    "RoleBinding",
    {
      roleRef: { kind: "Role", name: "r" },
      subjects: [
        { kind: "User", name: "u" },
        { kind: "ServiceAccount", name: "s" },
      ],
    },
    {
      roleRef: { apiGroup: "rbac.authorization.k8s.io" },
      subjects: [
        { kind: "User", name: "u", apiGroup: "rbac.authorization.k8s.io" },
        { kind: "ServiceAccount", name: "s" },
      ],
    },
  ],
  ["scheduling.k8s.io/v1", "PriorityClass", { value: 1 }, { preemptionPolicy: "PreemptLowerPriority" }],
  [
    "autoscaling/v2",
    "HorizontalPodAutoscaler",
    { spec: { maxReplicas: 3, behavior: { scaleDown: { selectPolicy: "Min" } } } },
    {
      spec: {
        minReplicas: 1,
        metrics: [{ resource: { name: "cpu", target: { averageUtilization: 80 } } }],
        behavior: {
          scaleUp: { stabilizationWindowSeconds: 0 },
          scaleDown: { selectPolicy: "Min", policies: [{ type: "Percent", value: 100, periodSeconds: 15 }] },
        },
      },
    },
  ],
  [
    "admissionregistration.k8s.io/v1",
    "MutatingWebhookConfiguration",
    {
      webhooks: [
        { name: "w", clientConfig: { service: { name: "s", namespace: "n" } }, rules: [{ resources: ["pods"] }] },
      ],
    },
    {
      webhooks: [
        {
          failurePolicy: "Fail",
          matchPolicy: "Equivalent",
          timeoutSeconds: 10,
          namespaceSelector: {},
          objectSelector: {},
          reinvocationPolicy: "Never",
          clientConfig: { service: { port: 443 } },
          rules: [{ scope: "*" }],
        },
      ],
    },
  ],
  [
    "admissionregistration.k8s.io/v1",
    "ValidatingAdmissionPolicy",
    { spec: { matchConstraints: { resourceRules: [{ resources: ["pods"] }] } } },
    {
      spec: {
        failurePolicy: "Fail",
        matchConstraints: { matchPolicy: "Equivalent", namespaceSelector: {}, resourceRules: [{ scope: "*" }] },
      },
    },
  ],
  [
    "flowcontrol.apiserver.k8s.io/v1",
    "FlowSchema",
    { spec: { priorityLevelConfiguration: { name: "x" } } },
    { spec: { matchingPrecedence: 1000 } },
  ],
  [
    "flowcontrol.apiserver.k8s.io/v1",
    "PriorityLevelConfiguration",
    { spec: { type: "Limited", limited: { limitResponse: { type: "Queue", queuing: {} } } } },
    {
      spec: {
        limited: {
          nominalConcurrencyShares: 30,
          lendablePercent: 0,
          limitResponse: { queuing: { queues: 64, handSize: 8, queueLengthLimit: 50 } },
        },
      },
    },
  ],
  [
    "apiextensions.k8s.io/v1",
    "CustomResourceDefinition",
    {
      spec: {
        group: "x.io",
        scope: "Namespaced",
        names: { kind: "Foo", plural: "foos" },
        versions: [{ name: "v1", served: true, storage: true }],
      },
    },
    {
      spec: { names: { singular: "foo", listKind: "FooList" }, conversion: { strategy: "None" } },
      status: { storedVersions: ["v1"] },
    },
  ],
  [
    "apiregistration.k8s.io/v1",
    "APIService",
    { spec: { service: { name: "s", namespace: "n" } } },
    { spec: { service: { port: 443 } } },
  ],
])("%s %s", (apiVersion, kind, given, expected) => {
  expect(defaulted(apiVersion, kind, given)).toMatchObject(expected);
});
