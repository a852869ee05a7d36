import type { GroupResource, GroupVersionKind } from "../../../apimachinery/gvk.ts";
import type { KubeObject } from "../../../apimachinery/meta.ts";
import { defaulted } from "./defaulted.ts";

const uid = "0b9c2a3e-5c1f-4f53-9d6a-2f4a0f1f0c11";
const labels = { app: "web" };
const container = { name: "web", image: "nginx:1.29" };
const template = { metadata: { labels }, spec: { containers: [container] } };
const jobLabels = {
  "batch.kubernetes.io/controller-uid": uid,
  "batch.kubernetes.io/job-name": "job",
  "controller-uid": uid,
  "job-name": "job",
};
const jobTemplate = (given: object) => ({ ...given, spec: { restartPolicy: "Never", containers: [container] } });

interface ValidKind {
  gr: GroupResource;
  gvk: GroupVersionKind;
  manifest: Record<string, any>;
}

function kind(
  group: string,
  version: string,
  name: string,
  resource: string,
  manifest: Record<string, any>,
): ValidKind {
  const metadata = {
    name: resource === "cronjobs" ? "cron" : resource.slice(0, -1),
    namespace: "default",
    uid,
    ...manifest["metadata"],
  };
  return { gr: { group, resource }, gvk: { group, version, kind: name }, manifest: { ...manifest, metadata } };
}

/** One valid object of each kind of core, apps, batch, policy and autoscaling; the pod has something of everything. */
export const validKinds: readonly ValidKind[] = [
  kind("", "v1", "Pod", "pods", {
    spec: {
      serviceAccountName: "default",
      nodeSelector: { disk: "fast" },
      containers: [
        {
          ...container,
          ports: [
            { name: "http", containerPort: 80 },
            { containerPort: 443, hostPort: 443, protocol: "UDP" },
          ],
          env: [
            { name: "A", value: "b" },
            { name: "POD", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
            { name: "CPU", valueFrom: { resourceFieldRef: { resource: "limits.cpu", divisor: "1m" } } },
            { name: "KEY", valueFrom: { secretKeyRef: { name: "s", key: "k" } } },
          ],
          envFrom: [{ prefix: "P_", configMapRef: { name: "cm" } }],
          resources: { requests: { cpu: "100m", memory: "64Mi" }, limits: { cpu: "1", memory: "128Mi" } },
          volumeMounts: [
            { name: "data", mountPath: "/data", subPath: "a" },
            { name: "token", mountPath: "/var/run/token" },
          ],
          livenessProbe: { httpGet: { port: "http" } },
          readinessProbe: { tcpSocket: { port: 80 } },
          startupProbe: { exec: { command: ["true"] } },
          lifecycle: { preStop: { sleep: { seconds: 5 } } },
          securityContext: {
            runAsUser: 1000,
            allowPrivilegeEscalation: false,
            seccompProfile: { type: "RuntimeDefault" },
          },
        },
      ],
      initContainers: [
        { name: "init", image: "busybox" },
        { name: "sidecar", image: "busybox", restartPolicy: "Always", readinessProbe: { grpc: { port: 9000 } } },
      ],
      volumes: [
        { name: "data", emptyDir: { sizeLimit: "1Gi" } },
        { name: "config", configMap: { name: "cm", items: [{ key: "k", path: "p", mode: 0o400 }] } },
        {
          name: "token",
          projected: {
            sources: [
              { serviceAccountToken: { path: "token", expirationSeconds: 3607 } },
              { configMap: { name: "kube-root-ca.crt", items: [{ key: "ca.crt", path: "ca.crt" }] } },
              { downwardAPI: { items: [{ path: "namespace", fieldRef: { fieldPath: "metadata.namespace" } }] } },
            ],
          },
        },
        { name: "claim", persistentVolumeClaim: { claimName: "c" } },
        {
          name: "scratch",
          ephemeral: {
            volumeClaimTemplate: {
              spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
            },
          },
        },
      ],
      tolerations: [
        { key: "node.kubernetes.io/not-ready", operator: "Exists", effect: "NoExecute", tolerationSeconds: 300 },
      ],
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchExpressions: [{ key: "zone", operator: "In", values: ["a"] }] }],
          },
        },
        podAntiAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [
            { weight: 1, podAffinityTerm: { topologyKey: "zone", labelSelector: { matchLabels: labels } } },
          ],
        },
      },
      topologySpreadConstraints: [
        { maxSkew: 1, topologyKey: "zone", whenUnsatisfiable: "DoNotSchedule", labelSelector: { matchLabels: labels } },
      ],
      dnsConfig: { nameservers: ["10.0.0.10"], searches: ["a.b"], options: [{ name: "ndots", value: "2" }] },
      hostAliases: [{ ip: "10.1.2.3", hostnames: ["a.example"] }],
      readinessGates: [{ conditionType: "example.com/ready" }],
      securityContext: { fsGroup: 1000, sysctls: [{ name: "net.ipv4.tcp_syncookies", value: "1" }] },
    },
  }),
  kind("", "v1", "PodTemplate", "podtemplates", { template }),
  kind("", "v1", "ReplicationController", "replicationcontrollers", {
    spec: { replicas: 1, selector: labels, template },
  }),
  kind("", "v1", "Service", "services", { spec: { selector: labels, ports: [{ port: 80, targetPort: "http" }] } }),
  kind("", "v1", "Endpoints", "endpoints", {
    subsets: [{ addresses: [{ ip: "10.1.0.1", nodeName: "n" }], ports: [{ port: 80 }] }],
  }),
  kind("", "v1", "ConfigMap", "configmaps", { data: { "a.txt": "b" }, binaryData: { c: "AAE=" } }),
  kind("", "v1", "Secret", "secrets", { type: "Opaque", data: { a: "YQ==" } }),
  kind("", "v1", "ServiceAccount", "serviceaccounts", {}),
  kind("", "v1", "PersistentVolume", "persistentvolumes", {
    spec: { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], hostPath: { path: "/data" } },
  }),
  kind("", "v1", "PersistentVolumeClaim", "persistentvolumeclaims", {
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
  }),
  kind("", "v1", "Node", "nodes", {
    spec: { podCIDRs: ["10.1.0.0/24"], podCIDR: "10.1.0.0/24", taints: [{ key: "a", effect: "NoSchedule" }] },
    status: { capacity: { cpu: "8", pods: "110" } },
  }),
  kind("", "v1", "Namespace", "namespaces", { spec: { finalizers: ["kubernetes"] } }),
  kind("", "v1", "ResourceQuota", "resourcequotas", { spec: { hard: { pods: "10", "requests.cpu": "4" } } }),
  kind("", "v1", "LimitRange", "limitranges", {
    spec: { limits: [{ type: "Container", max: { cpu: "2" }, min: { cpu: "100m" }, default: { cpu: "1" } }] },
  }),
  kind("", "v1", "Event", "events", {
    involvedObject: { kind: "Pod", namespace: "default", name: "a" },
    reason: "Tested",
    type: "Normal",
  }),
  kind("apps", "v1", "Deployment", "deployments", {
    spec: { replicas: 2, selector: { matchLabels: labels }, template },
  }),
  kind("apps", "v1", "ReplicaSet", "replicasets", {
    spec: { replicas: 2, selector: { matchLabels: labels }, template },
  }),
  kind("apps", "v1", "DaemonSet", "daemonsets", { spec: { selector: { matchLabels: labels }, template } }),
  kind("apps", "v1", "StatefulSet", "statefulsets", {
    spec: { serviceName: "web", replicas: 2, selector: { matchLabels: labels }, template },
  }),
  kind("apps", "v1", "ControllerRevision", "controllerrevisions", { revision: 1, data: { a: "b" } }),
  kind("batch", "v1", "Job", "jobs", {
    spec: {
      selector: { matchLabels: { "batch.kubernetes.io/controller-uid": uid } },
      template: jobTemplate({ metadata: { labels: jobLabels } }),
    },
  }),
  kind("batch", "v1", "CronJob", "cronjobs", {
    spec: {
      schedule: "*/5 * * * 1-5",
      timeZone: "Europe/Zurich",
      jobTemplate: { spec: { template: jobTemplate({}) } },
    },
  }),
  kind("policy", "v1", "PodDisruptionBudget", "poddisruptionbudgets", {
    spec: { minAvailable: "50%", selector: { matchLabels: labels } },
  }),
  kind("autoscaling", "v2", "HorizontalPodAutoscaler", "horizontalpodautoscalers", {
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
      minReplicas: 1,
      maxReplicas: 5,
      metrics: [
        { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 80 } } },
      ],
    },
  }),
];

/** A fresh copy of the valid object of a resource. */
export function validObject(resource: string): {
  gr: GroupResource;
  gvk: GroupVersionKind;
  manifest: any;
  object: KubeObject;
} {
  const found = validKinds.find(({ gr }) => gr.resource === resource);
  if (found === undefined) throw new Error(`no valid ${resource}`);
  return { ...found, manifest: structuredClone(found.manifest), object: defaulted(found.gvk, found.manifest) };
}
