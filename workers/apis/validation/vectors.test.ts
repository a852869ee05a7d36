import { describe, expect, it } from "vitest";
import type { Causes } from "./checks.ts";
import { validatePodBody } from "./pods.ts";
import { defaulted, merge } from "./testing/defaulted.ts";
import { validObject } from "./testing/valid-objects.ts";
import { validate, validateStatusUpdate, validateUpdate } from "./validation.ts";

/** What is changed in the valid manifest, and all causes as `field: message`. */
type Vector = [name: string, change: object, causes: string[]];

function texts(causes: { field: string; message: string }[]): string[] {
  return causes.map(({ field, message }) => `${field}: ${message}`);
}

function creates(resource: string, vectors: Vector[]): void {
  describe(`${resource}, new`, () => {
    it.each(vectors)("%s", (_name, change, causes) => {
      const { gr, gvk, manifest } = validObject(resource);
      expect(texts(validate(gr, defaulted(gvk, merge(manifest, change))))).toEqual(causes);
    });
  });
}

/** `base` is made part of the old object first. */
function updates(resource: string, vectors: [...Vector, base?: object][], check = validateUpdate): void {
  describe(`${resource}, ${check === validateUpdate ? "changed" : "status changed"}`, () => {
    it.each(vectors)("%s", (_name, change, causes, base = {}) => {
      const { gr, gvk, manifest } = validObject(resource);
      const old = merge(manifest, base);
      expect(texts(check(gr, defaulted(gvk, merge(old, change)), defaulted(gvk, old)))).toEqual(causes);
    });
  });
}

const c = (change: object) => ({
  spec: {
    containers: [{ name: "web", image: "nginx", imagePullPolicy: "Always", ...change }],
    volumes: [],
    initContainers: [],
  },
});
const spec = (change: object) => ({ spec: change });
const label =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";

creates("pods", [
  ["no containers", spec({ containers: [] }), ["spec.containers: Required value"]],
  [
    "container without name and image",
    c({ name: "", image: "" }),
    ["spec.containers[0].name: Required value", "spec.containers[0].image: Required value"],
  ],
  ["bad container name", c({ name: "Web" }), [`spec.containers[0].name: Invalid value: "Web": ${label}`]],
  [
    "padded image",
    c({ image: " nginx" }),
    ['spec.containers[0].image: Invalid value: " nginx": must not have leading or trailing whitespace'],
  ],
  [
    "pull policy",
    c({ imagePullPolicy: "Sometimes" }),
    [
      'spec.containers[0].imagePullPolicy: Unsupported value: "Sometimes": supported values: "Always", "IfNotPresent", "Never"',
    ],
  ],
  [
    "restart policy",
    spec({ restartPolicy: "Sometimes" }),
    ['spec.restartPolicy: Unsupported value: "Sometimes": supported values: "Always", "OnFailure", "Never"'],
  ],
  [
    "dns policy",
    spec({ dnsPolicy: "Mine" }),
    [
      'spec.dnsPolicy: Unsupported value: "Mine": supported values: "ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"',
    ],
  ],
  [
    "dns policy None without servers",
    spec({ dnsPolicy: "None", dnsConfig: { nameservers: [] } }),
    ["spec.dnsConfig.nameservers: Required value: must provide at least one DNS nameserver when `dnsPolicy` is None"],
  ],
  [
    "request above limit",
    c({ resources: { requests: { cpu: "2" }, limits: { cpu: "1" } } }),
    ['spec.containers[0].resources.requests: Invalid value: "2": must be less than or equal to cpu limit of 1'],
  ],
  [
    "negative limit",
    c({ resources: { limits: { memory: "-1" }, requests: { memory: "-1" } } }),
    [
      'spec.containers[0].resources.limits[memory]: Invalid value: "-1": must be greater than or equal to 0',
      'spec.containers[0].resources.requests[memory]: Invalid value: "-1": must be greater than or equal to 0',
    ],
  ],
  [
    "unknown resource",
    c({ resources: { limits: { gpu: "1" }, requests: { gpu: "1" } } }),
    ["limits", "requests"].flatMap((list) => [
      `spec.containers[0].resources.${list}[gpu]: Invalid value: "gpu": must be a standard resource type or fully qualified`,
      `spec.containers[0].resources.${list}[gpu]: Invalid value: "gpu": must be a standard resource for containers`,
    ]),
  ],
  [
    "extended resource without limit",
    c({ resources: { requests: { "example.com/gpu": "1" } } }),
    ["spec.containers[0].resources.limits: Required value: Limit must be set for non overcommitable resources"],
  ],
  [
    "half a device",
    c({ resources: { limits: { "example.com/gpu": "500m" }, requests: { "example.com/gpu": "500m" } } }),
    [
      'spec.containers[0].resources.limits[example.com/gpu]: Invalid value: "500m": must be an integer',
      'spec.containers[0].resources.requests[example.com/gpu]: Invalid value: "500m": must be an integer',
    ],
  ],
  [
    "huge pages alone",
    c({ resources: { limits: { "hugepages-2Mi": "3Mi" }, requests: { "hugepages-2Mi": "3Mi" } } }),
    [
      'spec.containers[0].resources.limits[hugepages-2Mi]: Invalid value: "3Mi": 3Mi is not positive integer multiple of hugepages-2Mi',
      'spec.containers[0].resources.requests[hugepages-2Mi]: Invalid value: "3Mi": 3Mi is not positive integer multiple of hugepages-2Mi',
      "spec.containers[0].resources: Forbidden: HugePages require cpu or memory",
    ],
  ],
  [
    "claim that the pod does not have",
    c({ resources: { claims: [{ name: "gpu" }] } }),
    [
      'spec.containers[0].resources.claims[0]: Not found: "gpu": must be one of the names in pod.spec.resourceClaims which is empty',
    ],
  ],
  [
    "ports",
    c({ ports: [{ containerPort: 70_000 }, { name: "http" }, { name: "http", containerPort: 1, protocol: "HTTP" }] }),
    [
      "spec.containers[0].ports[0].containerPort: Invalid value: 70000: must be between 1 and 65535, inclusive",
      "spec.containers[0].ports[1].containerPort: Required value",
      'spec.containers[0].ports[2].name: Duplicate value: "http"',
      'spec.containers[0].ports[2].protocol: Unsupported value: "HTTP": supported values: "SCTP", "TCP", "UDP"',
    ],
  ],
  [
    "host ports twice",
    c({
      ports: [
        { containerPort: 1, hostPort: 80 },
        { containerPort: 2, hostPort: 80 },
      ],
    }),
    ['spec.containers[0].ports[1].hostPort: Duplicate value: "TCP//80"'],
  ],
  [
    "host network",
    merge(
      c({ ports: [{ containerPort: 1, hostPort: 80 }] }),
      spec({ hostNetwork: true, securityContext: { sysctls: undefined } }),
    ),
    ["spec.containers[0].ports[0].hostPort: Invalid value: 80: must match `containerPort` when `hostNetwork` is true"],
  ],
  [
    "env",
    c({
      env: [
        { name: "" },
        { name: "A=B" },
        { name: "A", value: "b", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
        { name: "B", valueFrom: {} },
        { name: "C", valueFrom: { fieldRef: { fieldPath: "spec.volumes" } } },
        { name: "D", valueFrom: { fieldRef: { fieldPath: "status.phase" } } },
        { name: "E", valueFrom: { resourceFieldRef: { resource: "limits.cpu", divisor: "10m" } } },
        { name: "F", valueFrom: { configMapKeyRef: { name: "a", key: "" } } },
      ],
    }),
    [
      "spec.containers[0].env[0].name: Required value",
      "spec.containers[0].env[1].name: Invalid value: \"A=B\": a valid environment variable name must consist only of printable ASCII characters other than '='",
      'spec.containers[0].env[2].valueFrom: Invalid value: "": may not be specified when `value` is not empty',
      'spec.containers[0].env[3].valueFrom: Invalid value: "": must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`',
      'spec.containers[0].env[4].valueFrom.fieldRef.fieldPath: Invalid value: "spec.volumes": error converting fieldPath: field label not supported: spec.volumes',
      'spec.containers[0].env[5].valueFrom.fieldRef.fieldPath: Unsupported value: "status.phase": supported values: "metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName", "spec.serviceAccountName", "status.hostIP", "status.hostIPs", "status.podIP", "status.podIPs"',
      'spec.containers[0].env[6].valueFrom.resourceFieldRef.divisor: Invalid value: "limits.cpu": only divisor\'s values 1m and 1 are supported with the cpu resource',
      "spec.containers[0].env[7].valueFrom.configMapKeyRef.key: Required value",
    ],
  ],
  [
    "probes",
    c({
      livenessProbe: { httpGet: { port: 0 }, successThreshold: 2 },
      readinessProbe: { exec: { command: [] }, tcpSocket: { port: 1 }, terminationGracePeriodSeconds: 3 },
      startupProbe: { periodSeconds: -1 },
    }),
    [
      "spec.containers[0].livenessProbe.httpGet.port: Invalid value: 0: must be between 1 and 65535, inclusive",
      "spec.containers[0].livenessProbe.successThreshold: Invalid value: 2: must be 1",
      "spec.containers[0].readinessProbe.exec.command: Required value",
      "spec.containers[0].readinessProbe.tcpSocket: Forbidden: may not specify more than 1 handler type",
      "spec.containers[0].readinessProbe.terminationGracePeriodSeconds: Invalid value: 3: must not be set for readinessProbes",
      "spec.containers[0].startupProbe: Required value: must specify a handler type",
      "spec.containers[0].startupProbe.periodSeconds: Invalid value: -1: must be greater than or equal to 0",
    ],
  ],
  [
    "sleep longer than the grace period",
    c({ lifecycle: { preStop: { sleep: { seconds: 31 } } } }),
    [
      "spec.containers[0].lifecycle.preStop.sleep: Invalid value: 31: must be non-negative and less than terminationGracePeriodSeconds (30)",
    ],
  ],
  [
    "restart rules without a policy",
    c({ restartPolicyRules: [{ action: "Again", exitCodes: { operator: "Equals", values: [1] } }] }),
    [
      "spec.containers[0].restartPolicy: Required value: must specify restartPolicy when restart rules are used",
      'spec.containers[0].restartPolicyRules[0].action: Unsupported value: "Again": supported values: "Restart", "RestartAllContainers"',
      'spec.containers[0].restartPolicyRules[0].exitCodes.operator: Unsupported value: "Equals": supported values: "In", "NotIn"',
    ],
  ],
  [
    "mounts",
    c({
      volumeMounts: [
        { name: "none", mountPath: "/a" },
        { name: "none", mountPath: "/a", subPath: "../b" },
      ],
    }),
    [
      'spec.containers[0].volumeMounts[0].name: Not found: "none"',
      'spec.containers[0].volumeMounts[1].name: Not found: "none"',
      'spec.containers[0].volumeMounts[1].mountPath: Invalid value: "/a": must be unique',
      "spec.containers[0].volumeMounts.subPath: Invalid value: \"../b\": must not contain '..'",
    ],
  ],
  [
    "volumes",
    merge(c({}), {
      spec: {
        volumes: [
          { name: "a", emptyDir: {}, hostPath: { path: "/" } },
          { name: "b", configMap: { name: "", defaultMode: 4096 } },
          { name: "b" },
          { name: "b", persistentVolumeClaim: { claimName: "" } },
          { name: "c", hostPath: { path: "/a/../b", type: "Thing" } },
          { name: "d", projected: { sources: [{ serviceAccountToken: { path: "t", expirationSeconds: 5 } }] } },
          { name: "d", csi: { driver: "" } },
          { name: "b", emptyDir: {} },
        ],
      },
    }),
    [
      "spec.volumes[0].hostPath: Forbidden: may not specify more than 1 volume type",
      "spec.volumes[1].configMap.name: Required value",
      "spec.volumes[1].configMap.defaultMode: Invalid value: 4096: must be a number between 0 and 0777 (octal), both inclusive",
      "spec.volumes[3].persistentVolumeClaim.claimName: Required value",
      'spec.volumes[3].name: Duplicate value: "b"',
      "spec.volumes[4].hostPath.path: Invalid value: \"/a/../b\": must not contain '..'",
      'spec.volumes[4].hostPath.type: Unsupported value: "Thing": supported values: "", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket"',
      "spec.volumes[5].projected.sources[0].serviceAccountToken.expirationSeconds: Invalid value: 5: may not specify a duration less than 10 minutes",
      "spec.volumes[6].csi.driver: Required value",
      "spec.volumes[6].csi.driver: Invalid value: \"\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
      'spec.volumes[7].name: Duplicate value: "b"',
    ],
  ],
  [
    "tolerations",
    spec({
      tolerations: [
        { operator: "Equal" },
        { key: "a", operator: "Exists", value: "b" },
        { key: "a", effect: "Never", tolerationSeconds: 1 },
      ],
    }),
    [
      'spec.tolerations[0].operator: Invalid value: "Equal": operator must be Exists when `key` is empty, which means "match all values and all keys"',
      "spec.tolerations[1].operator: Invalid value: \"b\": value must be empty when `operator` is 'Exists'",
      "spec.tolerations[2].effect: Invalid value: \"Never\": effect must be 'NoExecute' when `tolerationSeconds` is set",
      'spec.tolerations[2].effect: Unsupported value: "Never": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"',
    ],
  ],
  [
    "spread constraints",
    spec({
      topologySpreadConstraints: [
        { maxSkew: 0, topologyKey: "", whenUnsatisfiable: "Panic", minDomains: 1 },
        { maxSkew: 1, topologyKey: "z", whenUnsatisfiable: "ScheduleAnyway", matchLabelKeys: ["a"] },
        { maxSkew: 1, topologyKey: "z", whenUnsatisfiable: "ScheduleAnyway", labelSelector: {} },
      ],
    }),
    [
      "spec.topologySpreadConstraints[0].maxSkew: Invalid value: 0: must be greater than zero",
      "spec.topologySpreadConstraints[0].topologyKey: Required value: can not be empty",
      'spec.topologySpreadConstraints[0].whenUnsatisfiable: Unsupported value: "Panic": supported values: "DoNotSchedule", "ScheduleAnyway"',
      "spec.topologySpreadConstraints[0].minDomains: Invalid value: 1: can only use minDomains if whenUnsatisfiable=DoNotSchedule, not Panic",
      'spec.topologySpreadConstraints[1].{topologyKey, whenUnsatisfiable}: Duplicate value: "{z, ScheduleAnyway}"',
      "spec.topologySpreadConstraints[1].matchLabelKeys: Forbidden: must not be specified when labelSelector is not set",
    ],
  ],
  [
    "affinity",
    spec({
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchExpressions: [{ key: "a", operator: "Gt", values: [] }] }],
          },
        },
        podAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [
            { topologyKey: "z", labelSelector: { matchExpressions: [{ key: "a", operator: "In" }] } },
          ],
        },
        podAntiAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 101, podAffinityTerm: { topologyKey: "z" } }],
        },
      },
    }),
    [
      "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].values: Required value: must be specified single value when `operator` is 'Lt' or 'Gt'",
      "spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].labelSelector.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
      "spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight: Invalid value: 101: must be in the range 1-100",
    ],
  ],
  [
    "security",
    merge(
      c({ securityContext: { runAsUser: -1, privileged: true, allowPrivilegeEscalation: false } }),
      spec({ securityContext: { seccompProfile: { type: "Localhost" } } }),
    ),
    [
      "spec.containers[0].securityContext.runAsUser: Invalid value: -1: must be between 0 and 2147483647, inclusive",
      'spec.containers[0].securityContext: Invalid value: {"Capabilities":null,"Privileged":true,"SELinuxOptions":null,"WindowsOptions":null,"RunAsUser":-1,"RunAsGroup":null,"RunAsNonRoot":null,"ReadOnlyRootFilesystem":null,"AllowPrivilegeEscalation":false,"ProcMount":null,"SeccompProfile":null,"AppArmorProfile":null}: cannot set `allowPrivilegeEscalation` to false and `privileged` to true',
      "spec.securityContext.seccompProfile.localhostProfile: Required value: must be set when seccomp type is Localhost",
    ],
  ],
  [
    "ephemeral containers",
    spec({ ephemeralContainers: [{ name: "debug", image: "busybox" }] }),
    ["spec.ephemeralContainers: Forbidden: cannot be set on create"],
  ],
  [
    "node of a gated pod",
    spec({ nodeName: "a", schedulingGates: [{ name: "example.com/a" }] }),
    ["spec.nodeName: Forbidden: cannot be set until all schedulingGates have been cleared"],
  ],
  [
    "deadline",
    spec({ activeDeadlineSeconds: 0 }),
    ["spec.activeDeadlineSeconds: Invalid value: 0: must be between 1 and 2147483647, inclusive"],
  ],
  [
    "operating system",
    spec({ os: { name: "plan9" } }),
    ['spec.os: Unsupported value: "plan9": supported values: "linux", "windows"'],
  ],
  [
    "preemption policy",
    spec({ preemptionPolicy: "Always" }),
    ['spec.preemptionPolicy: Unsupported value: "Always": supported values: "PreemptLowerPriority", "Never"'],
  ],
  [
    "sidecar fields on an init container",
    spec({ initContainers: [{ name: "i", image: "b", lifecycle: { preStop: { exec: { command: ["a"] } } } }] }),
    ["spec.initContainers[0].lifecycle: Forbidden: may not be set for init containers without restartPolicy=Always"],
  ],
]);

const immutablePod =
  "spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)\n";
const base = c({});

updates("pods", [
  ["image", c({ image: "nginx:2" }), [], base],
  ["deadline", spec({ activeDeadlineSeconds: 10 }), [], base],
  [
    "longer deadline",
    spec({ activeDeadlineSeconds: 20 }),
    ["spec.activeDeadlineSeconds: Invalid value: 20: must be less than or equal to previous value"],
    merge(base, spec({ activeDeadlineSeconds: 10 })),
  ],
  [
    "no deadline",
    spec({ activeDeadlineSeconds: undefined }),
    ['spec.activeDeadlineSeconds: Invalid value: "null": must not update from a positive integer to nil value'],
    merge(base, spec({ activeDeadlineSeconds: 10 })),
  ],
  ["command", c({ command: ["a"] }), [immutablePod], base],
  ["node", spec({ nodeName: "a" }), [immutablePod], base],
  [
    "more containers",
    spec({
      containers: [
        { name: "web", image: "nginx" },
        { name: "b", image: "b" },
      ],
    }),
    ["spec.containers: Forbidden: pod updates may not add or remove containers"],
    base,
  ],
  [
    "toleration taken away",
    spec({ tolerations: [] }),
    ["spec.tolerations: Forbidden: existing toleration can not be modified except its tolerationSeconds"],
    base,
  ],
  [
    "toleration added",
    spec({ tolerations: [{ key: "a", operator: "Exists" }] }),
    [],
    merge(base, spec({ tolerations: [] })),
  ],
  [
    "gate added",
    spec({ schedulingGates: [{ name: "example.com/a" }] }),
    [
      "spec.schedulingGates[0].name: Forbidden: only deletion is allowed, but found new scheduling gate 'example.com/a'",
    ],
    base,
  ],
  [
    "gated: node selector",
    spec({ nodeSelector: { zone: "a" } }),
    [],
    merge(base, spec({ schedulingGates: [{ name: "example.com/a" }] })),
  ],
  [
    "gated: node selector replaced",
    spec({ nodeSelector: { disk: "slow" } }),
    [
      'spec.nodeSelector: Invalid value: {"disk":"slow"}: only additions to spec.nodeSelector are allowed (no mutations or deletions)',
    ],
    merge(base, spec({ schedulingGates: [{ name: "example.com/a" }] })),
  ],
]);

const status = (change: object) => ({ status: change });
const ended = (exitCode: number) => ({ containerStatuses: [{ name: "web", state: { terminated: { exitCode } } }] });
const running = { containerStatuses: [{ name: "web", state: { running: {} } }] };

updates(
  "pods",
  [
    [
      "running again",
      status(running),
      ["status.containerStatuses[0].state: Forbidden: may not be transitioned to non-terminated state"],
      { spec: { restartPolicy: "Never" }, status: ended(1) },
    ],
    ["running again after a failure", status(running), [], { spec: { restartPolicy: "OnFailure" }, status: ended(1) }],
    [
      "class of service",
      status({ qosClass: "Guaranteed" }),
      ['status.qosClass: Invalid value: "Guaranteed": field is immutable'],
      status({ qosClass: "Burstable" }),
    ],
    [
      "addresses",
      status({ podIPs: [{ ip: "a" }] }),
      ['status.podIPs[0]: Invalid value: "a": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'],
    ],
    [
      "two addresses of a family",
      status({ podIPs: [{ ip: "10.0.0.1" }, { ip: "10.0.0.2" }] }),
      [
        'status.podIPs: Invalid value: [{"IP":"10.0.0.1"},{"IP":"10.0.0.2"}]: may specify no more than one IP for each IP family',
      ],
    ],
  ],
  validateStatusUpdate,
);

creates("services", [
  ["no ports", spec({ ports: [] }), ["spec.ports: Required value"]],
  ["headless without ports", spec({ ports: [], clusterIP: "None" }), []],
  [
    "port",
    spec({ ports: [{ port: 0 }] }),
    [
      "spec.ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive",
      "spec.ports[0].targetPort: Invalid value: 0: must be between 1 and 65535, inclusive",
    ],
  ],
  [
    "two ports without names",
    spec({ ports: [{ port: 80 }, { port: 80 }] }),
    [
      "spec.ports[0].name: Required value",
      "spec.ports[1].name: Required value",
      'spec.ports[1]: Duplicate value: {"Name":"","Protocol":"TCP","AppProtocol":null,"Port":80,"TargetPort":0,"NodePort":0}',
    ],
  ],
  [
    "type",
    spec({ type: "Balancer", internalTrafficPolicy: "Cluster" }),
    [
      'spec.type: Unsupported value: "Balancer": supported values: "ClusterIP", "ExternalName", "LoadBalancer", "NodePort"',
    ],
  ],
  ["external name", spec({ type: "ExternalName" }), ["spec.externalName: Required value"]],
  [
    "node port of a cluster IP",
    spec({ ports: [{ port: 80, nodePort: 30_000 }] }),
    ["spec.ports[0].nodePort: Forbidden: may not be used when `type` is 'ClusterIP'"],
  ],
  [
    "cluster IP",
    spec({ clusterIP: "10.96.0" }),
    ['spec.clusterIPs[0]: Invalid value: "10.96.0": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'],
  ],
  [
    "headless load balancer",
    spec({ type: "LoadBalancer", clusterIP: "None" }),
    ["spec.clusterIPs[0]: Invalid value: \"None\": may not be set to 'None' for LoadBalancer services"],
  ],
  [
    "traffic policy",
    spec({ externalTrafficPolicy: "Local" }),
    ['spec.externalTrafficPolicy: Invalid value: "Local": may only be set for externally-accessible services'],
  ],
  [
    "affinity",
    spec({ sessionAffinity: "Cookie" }),
    ['spec.sessionAffinity: Unsupported value: "Cookie": supported values: "ClientIP", "None"'],
  ],
  [
    "loopback",
    spec({ externalIPs: ["127.0.0.1"] }),
    ['spec.externalIPs[0]: Invalid value: "127.0.0.1": may not be in the loopback range (127.0.0.0/8, ::1/128)'],
  ],
  [
    "load balancer class",
    spec({ loadBalancerClass: "example.com/a" }),
    ["spec.loadBalancerClass: Forbidden: may only be used when `type` is 'LoadBalancer'"],
  ],
]);

updates("services", [
  [
    "cluster IP",
    spec({ clusterIP: "10.96.0.8", clusterIPs: ["10.96.0.8"] }),
    ['spec.clusterIPs[0]: Invalid value: ["10.96.0.8"]: may not change once set'],
    spec({ clusterIP: "10.96.0.7", clusterIPs: ["10.96.0.7"] }),
  ],
]);

creates("deployments", [
  [
    "selector",
    spec({ selector: { matchLabels: { app: "db" } } }),
    ['spec.template.metadata.labels: Invalid value: {"app":"web"}: `selector` does not match template `labels`'],
  ],
  [
    "no selector",
    spec({ selector: undefined }),
    [
      "spec.selector: Required value",
      'spec.template.metadata.labels: Invalid value: {"app":"web"}: `selector` does not match template `labels`',
    ],
  ],
  [
    "empty selector",
    spec({ selector: { matchLabels: undefined } }),
    ["spec.selector: Invalid value: {}: empty selector is invalid for deployment"],
  ],
  [
    "selector operator",
    spec({ selector: { matchLabels: undefined, matchExpressions: [{ key: "app", operator: "Is" }] } }),
    [
      'spec.selector.matchExpressions[0].operator: Invalid value: "Is": not a valid selector operator',
      'spec.selector: Invalid value: {"matchExpressions":[{"key":"app","operator":"Is"}]}: invalid label selector',
    ],
  ],
  ["replicas", spec({ replicas: -1 }), ["spec.replicas: Invalid value: -1: must be greater than or equal to 0"]],
  [
    "restart policy",
    spec({ template: { spec: { restartPolicy: "Never" } } }),
    ['spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"'],
  ],
  [
    "deadline",
    spec({ progressDeadlineSeconds: 10, minReadySeconds: 10 }),
    ["spec.progressDeadlineSeconds: Invalid value: 10: must be greater than minReadySeconds"],
  ],
  [
    "surge",
    spec({ strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: "0%" } } }),
    ['spec.strategy.rollingUpdate.maxUnavailable: Invalid value: "0%": may not be 0 when `maxSurge` is 0'],
  ],
  [
    "percentage",
    spec({ strategy: { rollingUpdate: { maxUnavailable: "101%" } } }),
    ['spec.strategy.rollingUpdate.maxUnavailable: Invalid value: "101%": must not be greater than 100%'],
  ],
  [
    "recreate",
    spec({ strategy: { type: "Recreate", rollingUpdate: { maxSurge: 1 } } }),
    ["spec.strategy.rollingUpdate: Forbidden: may not be specified when strategy `type` is 'Recreate'"],
  ],
  [
    "container of the template",
    spec({ template: { spec: { containers: [{ name: "web", image: "" }] } } }),
    ["spec.template.spec.containers[0].image: Required value"],
  ],
]);
updates("deployments", [
  [
    "selector",
    {
      spec: {
        selector: { matchLabels: { app: "web", tier: "front" } },
        template: { metadata: { labels: { tier: "front" } } },
      },
    },
    ['spec.selector: Invalid value: {"matchLabels":{"app":"web","tier":"front"}}: field is immutable'],
  ],
]);
updates(
  "deployments",
  [
    [
      "counts",
      status({ replicas: 1, readyReplicas: 2 }),
      ["status.readyReplicas: Invalid value: 2: cannot be greater than status.replicas"],
    ],
  ],
  validateStatusUpdate,
);

creates("daemonsets", [
  [
    "surge and unavailable",
    spec({ updateStrategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } } }),
    ["spec.updateStrategy.rollingUpdate.maxSurge: Invalid value: 1: may not be set when maxUnavailable is non-zero"],
  ],
]);
creates("statefulsets", [
  [
    "policy",
    spec({ podManagementPolicy: "Any" }),
    ["spec.podManagementPolicy: Invalid value: \"Any\": must be 'OrderedReady' or 'Parallel'"],
  ],
  [
    "retention",
    spec({ persistentVolumeClaimRetentionPolicy: { whenDeleted: "Keep", whenScaled: "Retain" } }),
    [
      'spec.persistentVolumeClaimRetentionPolicy.whenDeleted: Unsupported value: "Keep": supported values: "Retain", "Delete"',
    ],
  ],
]);
const claimed = {
  spec: {
    volumeClaimTemplates: [
      {
        metadata: { name: "data" },
        spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
      },
    ],
    template: {
      spec: {
        containers: [
          {
            name: "web",
            image: "nginx",
            volumeMounts: [
              { name: "data", mountPath: "/a" },
              { name: "none", mountPath: "/b" },
            ],
          },
        ],
      },
    },
  },
};
creates("statefulsets", [
  [
    "volume that no claim stands for",
    claimed,
    ['spec.template.spec.containers[0].volumeMounts[1].name: Not found: "none"'],
  ],
  ["service", spec({ serviceName: "a.b" }), ['spec.serviceName: Invalid value: "a.b": must not contain dots']],
  [
    "claim",
    spec({
      volumeClaimTemplates: [{ metadata: { name: "data" }, spec: { resources: { requests: { storage: "1Gi" } } } }],
    }),
    ["spec.volumeClaimTemplates[0].spec.accessModes: Required value: at least 1 access mode is required"],
  ],
]);
updates("statefulsets", [
  ["what was wrong before may stay", spec({ replicas: 5 }), [], claimed],
  ["replicas", spec({ replicas: 5, minReadySeconds: 3 }), []],
  [
    "service",
    spec({ serviceName: "other" }),
    [
      "spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
    ],
  ],
]);
updates("controllerrevisions", [
  ["data", { data: { a: "c" } }, ['data: Invalid value: {"a":"c"}: field is immutable']],
]);

creates("jobs", [
  [
    "restart policy",
    spec({ template: { spec: { restartPolicy: "Always" } } }),
    ['spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"'],
  ],
  [
    "indexed",
    spec({ completionMode: "Indexed", parallelism: 2 }),
    ["spec.completions: Required value: when completion mode is Indexed"],
  ],
  [
    "backoff per index",
    spec({ backoffLimitPerIndex: 1 }),
    ["spec.backoffLimitPerIndex: Invalid value: 1: requires indexed completion mode"],
  ],
  [
    "managed by",
    spec({ managedBy: "me" }),
    ['spec.managedBy: Invalid value: "me": must be a domain-prefixed path (such as "acme.io/foo")'],
  ],
  [
    "failure policy",
    spec({
      podFailurePolicy: {
        rules: [{ action: "Retry", onExitCodes: { operator: "In", values: [2, 0, 2] } }, { action: "Ignore" }],
      },
    }),
    [
      'spec.podFailurePolicy.rules[0].action: Unsupported value: "Retry": supported values: "Count", "FailIndex", "FailJob", "Ignore"',
      "spec.podFailurePolicy.rules[0].onExitCodes.values[1]: Invalid value: 0: must not be 0 for the In operator",
      "spec.podFailurePolicy.rules[0].onExitCodes.values[2]: Duplicate value: 2",
      "spec.podFailurePolicy.rules[0].onExitCodes.values: Invalid value: [2,0,2]: must be ordered",
      "spec.podFailurePolicy.rules[1]: Invalid value: specifying one of OnExitCodes and OnPodConditions is required",
    ],
  ],
  [
    "success policy",
    spec({
      completionMode: "Indexed",
      completions: 3,
      successPolicy: { rules: [{ succeededIndexes: "2-1" }, { succeededCount: 4 }, {}] },
    }),
    [
      'spec.successPolicy.rules[0].succeededIndexes: Invalid value: "2-1": error parsing succeededIndexes: non-increasing order, previous: 2, current: 1',
      "spec.successPolicy.rules[1].succeededCount: Invalid value: 4: must be less than or equal to 3 (the number of specified completions)",
      "spec.successPolicy.rules[2]: Required value: at least one of succeededCount or succeededIndexes must be specified",
    ],
  ],
  [
    "labels of another job",
    spec({ template: { metadata: { labels: { "job-name": undefined } } } }),
    ["spec.template.metadata.labels[job-name]: Required value: must be 'job'"],
  ],
]);
updates("jobs", [
  ["parallelism", spec({ parallelism: 3 }), [], spec({ parallelism: 1, completions: 5 })],
  ["completions", spec({ completions: 2 }), ["spec.completions: Invalid value: 2: field is immutable"]],
  [
    "node selector while suspended",
    spec({ template: { spec: { nodeSelector: { a: "b" } } } }),
    [],
    spec({ suspend: true }),
  ],
]);
creates("cronjobs", [
  [
    "fields",
    spec({ schedule: "* * * *" }),
    ['spec.schedule: Invalid value: "* * * *": expected exactly 5 fields, found 4: [* * * *]'],
  ],
  [
    "range",
    spec({ schedule: "61 * * * *" }),
    ['spec.schedule: Invalid value: "61 * * * *": end of range (61) above maximum (59): 61'],
  ],
  [
    "word",
    spec({ schedule: "a * * * *" }),
    [
      'spec.schedule: Invalid value: "a * * * *": failed to parse int from a: strconv.Atoi: parsing "a": invalid syntax',
    ],
  ],
  ["descriptor", spec({ schedule: "@daily" }), []],
  [
    "zone in the schedule",
    spec({ schedule: "TZ=UTC 0 * * * *" }),
    [
      'spec.schedule: Invalid value: "TZ=UTC 0 * * * *": cannot use TZ or CRON_TZ in schedule, use timeZone field instead',
    ],
  ],
  [
    "zone",
    spec({ timeZone: "Mars/Olympus" }),
    ['spec.timeZone: Invalid value: "Mars/Olympus": unknown time zone Mars/Olympus'],
  ],
  [
    "policy",
    spec({ concurrencyPolicy: "Maybe" }),
    ['spec.concurrencyPolicy: Unsupported value: "Maybe": supported values: "Allow", "Forbid", "Replace"'],
  ],
  [
    "long name",
    { metadata: { name: "a".repeat(53) } },
    [`metadata.name: Invalid value: "${"a".repeat(53)}": must be no more than 52 characters`],
  ],
]);

creates("configmaps", [
  [
    "key",
    { data: { "a b": "" } },
    [
      "data[a b]: Invalid value: \"a b\": a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')",
    ],
  ],
  ["key twice", { data: { c: "" } }, ['data[c]: Invalid value: "c": duplicate of key present in binaryData']],
  ["size", { data: { a: "x".repeat(1024 * 1024 + 1) } }, ["[]: Too long: may not be more than 1048576 bytes"]],
]);
updates("configmaps", [
  [
    "immutable",
    { immutable: undefined, data: { "a.txt": "c" } },
    [
      "immutable: Forbidden: field is immutable when `immutable` is set",
      "data: Forbidden: field is immutable when `immutable` is set",
    ],
    { immutable: true },
  ],
]);
creates("secrets", [
  ["tls", { type: "kubernetes.io/tls" }, ["data[tls.crt]: Required value", "data[tls.key]: Required value"]],
  [
    "docker config",
    { type: "kubernetes.io/dockerconfigjson", data: { ".dockerconfigjson": btoa("x") } },
    [
      "data[.dockerconfigjson]: Invalid value: \"<secret contents redacted>\": invalid character 'x' looking for beginning of value",
    ],
  ],
  [
    "token",
    { type: "kubernetes.io/service-account-token" },
    ["metadata.annotations[kubernetes.io/service-account.name]: Required value"],
  ],
]);
updates("secrets", [["type", { type: "example.com/a" }, ['type: Invalid value: "example.com/a": field is immutable']]]);

creates("persistentvolumes", [
  ["no source", spec({ hostPath: undefined }), ["spec: Required value: must specify a volume type"]],
  [
    "no capacity",
    spec({ capacity: undefined }),
    ["spec.capacity: Required value", 'spec.capacity: Unsupported value: {}: supported values: "storage"'],
  ],
  [
    "access modes",
    spec({ accessModes: ["ReadWriteOncePod", "ReadWriteOnce"] }),
    ["spec.accessModes: Forbidden: may not use ReadWriteOncePod with other access modes"],
  ],
  [
    "local",
    spec({ hostPath: undefined, local: { path: "/a" } }),
    ["spec.nodeAffinity: Required value: Local volume requires node affinity"],
  ],
  [
    "root recycled",
    spec({ hostPath: { path: "/" }, persistentVolumeReclaimPolicy: "Recycle" }),
    ["spec.persistentVolumeReclaimPolicy: Forbidden: may not be 'recycle' for a hostPath mount of '/'"],
  ],
]);
const affinity = (...keys: string[]) => ({
  required: { nodeSelectorTerms: [{ matchExpressions: keys.map((key) => ({ key, operator: "Exists" })) }] },
});
updates("persistentvolumes", [
  [
    "source",
    spec({ hostPath: { path: "/b" } }),
    ["spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is immutable after creation\n"],
  ],
  [
    "node affinity without one of its expressions",
    spec({ nodeAffinity: affinity("a") }),
    [
      expect.stringMatching(
        /^nodeAffinity: Invalid value: .*: field is immutable, except for updating from beta label to GA$/,
      ),
    ],
    spec({ nodeAffinity: affinity("a", "b") }),
  ],
]);
creates("persistentvolumeclaims", [
  [
    "nothing",
    spec({ accessModes: [], resources: undefined }),
    ["spec.accessModes: Required value: at least 1 access mode is required", "spec.resources[storage]: Required value"],
  ],
  [
    "size",
    spec({ resources: { requests: { storage: "0" } } }),
    ['spec.resources[storage]: Invalid value: "0": must be greater than zero'],
  ],
  [
    "mode",
    spec({ accessModes: ["ReadMostly"] }),
    [
      'spec.accessModes: Unsupported value: "ReadMostly": supported values: "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"',
    ],
  ],
]);
const fixedClaim =
  "spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims\n";
const bound = { status: { phase: "Bound", capacity: { storage: "1Gi" } } };
updates("persistentvolumeclaims", [
  ["size before it is bound", spec({ resources: { requests: { storage: "2Gi" } } }), [fixedClaim]],
  ["size once it is bound", spec({ resources: { requests: { storage: "2Gi" } } }), [], bound],
  [
    "smaller",
    spec({ resources: { requests: { storage: "512Mi" } } }),
    ["spec.resources.requests.storage: Forbidden: field can not be less than status.capacity"],
    bound,
  ],
  ["volume, once", spec({ volumeName: "v" }), []],
  ["access mode", spec({ accessModes: ["ReadOnlyMany"] }), [fixedClaim]],
]);

creates("nodes", [
  [
    "taints",
    spec({ taints: [{ key: "a", effect: "NoSchedule" }, { key: "a", effect: "NoSchedule" }, { key: "b" }] }),
    [
      'metadata.taints[1]: Duplicate value: {"Key":"a","Value":"","Effect":"NoSchedule","TimeAdded":null}: taints must be unique by key and effect pair',
      "metadata.taints[2].effect: Required value",
    ],
  ],
  [
    "address range",
    spec({ podCIDRs: ["10.1.0.0"] }),
    ['spec.podCIDRs[0]: Invalid value: "10.1.0.0": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)'],
  ],
]);
updates("nodes", [
  [
    "address range",
    spec({ podCIDRs: ["10.2.0.0/24"] }),
    ['spec.podCIDRs: Forbidden: node updates may not change podCIDR except from "" to valid'],
  ],
  [
    "provider",
    spec({ providerID: "b" }),
    ['spec.providerID: Forbidden: node updates may not change providerID except from "" to valid'],
    spec({ providerID: "a" }),
  ],
]);
updates(
  "namespaces",
  [
    [
      "phase",
      status({ phase: "Terminating" }),
      ["status.Phase: Invalid value: \"Terminating\": may only be 'Active' if `deletionTimestamp` is empty"],
    ],
  ],
  validateStatusUpdate,
);

creates("resourcequotas", [
  [
    "name",
    spec({ hard: { things: "1" } }),
    [
      'spec.hard[things]: Invalid value: "things": must be a standard resource type or fully qualified',
      'spec.hard[things]: Invalid value: "things": must be a standard resource for quota',
    ],
  ],
  ["count", spec({ hard: { pods: "1500m" } }), ['spec.hard[pods]: Invalid value: "1500m": must be an integer']],
  [
    "scopes",
    spec({ hard: { "requests.cpu": "1" }, scopes: ["BestEffort"] }),
    ['spec.scopes: Invalid value: ["BestEffort"]: unsupported scope applied to resource'],
  ],
]);
updates("resourcequotas", [
  [
    "scopes",
    spec({ scopes: ["NotTerminating"] }),
    ['spec.scopes: Invalid value: ["NotTerminating"]: field is immutable'],
  ],
]);
creates("limitranges", [
  [
    "order",
    spec({ limits: [{ type: "Container", min: { cpu: "2" }, max: { cpu: "1" } }] }),
    [
      'spec.limits[0].min[cpu]: Invalid value: "2": min value 2 is greater than max value 1',
      'spec.limits[0].defaultRequest[cpu]: Invalid value: "1": min value 2 is greater than default request value 1',
      'spec.limits[0].default[cpu]: Invalid value: "2": min value 2 is greater than default value 1',
    ],
  ],
  [
    "pod",
    spec({ limits: [{ type: "Pod", default: { cpu: "1" } }] }),
    ["spec.limits[0].default: Forbidden: may not be specified when `type` is 'Pod'"],
  ],
  [
    "claim",
    spec({ limits: [{ type: "PersistentVolumeClaim" }] }),
    [
      "spec.limits[0].limits: Required value: either minimum or maximum storage value is required, but neither was provided",
    ],
  ],
]);

creates("endpoints", [
  [
    "empty subset",
    { subsets: [{ ports: [{ port: 80 }] }] },
    ["subsets[0]: Required value: must specify `addresses` or `notReadyAddresses`"],
  ],
  [
    "link-local",
    { subsets: [{ addresses: [{ ip: "169.254.1.1" }] }] },
    [
      'subsets[0].addresses[0].ip: Invalid value: "169.254.1.1": may not be in the link-local range (169.254.0.0/16, fe80::/10)',
    ],
  ],
]);
creates("events", [
  [
    "namespace",
    { involvedObject: { namespace: "other" } },
    ['involvedObject.namespace: Invalid value: "other": does not match event.namespace'],
  ],
]);
creates("replicationcontrollers", [
  [
    "selector",
    spec({ selector: { app: "db" } }),
    ['spec.template.metadata.labels: Invalid value: {"app":"web"}: `selector` does not match template `labels`'],
  ],
]);

creates("poddisruptionbudgets", [
  [
    "both",
    spec({ maxUnavailable: 1 }),
    [
      'spec: Invalid value: {"MinAvailable":"50%","Selector":{"matchLabels":{"app":"web"}},"MaxUnavailable":1,"UnhealthyPodEvictionPolicy":null}: minAvailable and maxUnavailable cannot be both set',
    ],
  ],
  [
    "percentage",
    spec({ minAvailable: "half" }),
    [
      "spec.minAvailable: Invalid value: \"half\": a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')",
    ],
  ],
]);
creates("horizontalpodautoscalers", [
  [
    "replicas",
    spec({ minReplicas: 0, maxReplicas: 0 }),
    [
      "spec.minReplicas: Invalid value: 0: must be greater than or equal to 1",
      "spec.maxReplicas: Invalid value: 0: must be greater than 0",
      "spec.metrics: Forbidden: must specify at least one Object or External metric to support scaling to zero replicas",
    ],
  ],
  [
    "order",
    spec({ minReplicas: 6 }),
    ["spec.maxReplicas: Invalid value: 5: must be greater than or equal to `minReplicas`"],
  ],
  ["target", spec({ scaleTargetRef: { name: "" } }), ["spec.scaleTargetRef.name: Required value"]],
  [
    "metric",
    spec({ metrics: [{ type: "Pods", resource: { name: "cpu", target: { type: "Utilization" } } }] }),
    [
      "spec.metrics[0].resource.target.averageUtilization: Required value: must set either a target raw value or a target utilization",
      "spec.metrics[0].pods: Required value: must populate information for the given metric source",
    ],
  ],
  [
    "window",
    spec({
      behavior: {
        scaleDown: { stabilizationWindowSeconds: 4000, policies: [{ type: "Pods", value: 1, periodSeconds: 1 }] },
      },
    }),
    ["spec.behavior.scaleDown.stabilizationWindowSeconds: Invalid value: 4000: must be less than or equal to 3600"],
  ],
]);

describe("ephemeral containers of a running pod", () => {
  it("have neither probes nor ports, and a target that is there", () => {
    const { gvk, manifest } = validObject("pods");
    const pod = defaulted(
      gvk,
      merge(manifest, {
        spec: {
          ephemeralContainers: [
            { name: "debug", image: "busybox", resources: {}, targetContainerName: "web" },
            {
              name: "web",
              image: "busybox",
              targetContainerName: "debug",
              ports: [{ containerPort: 1 }],
              lifecycle: {},
            },
          ],
        },
      }),
    );
    const causes: Causes = [];
    validatePodBody(pod, causes);
    expect(texts(causes)).toEqual([
      'spec.ephemeralContainers[1].name: Duplicate value: "web"',
      'spec.ephemeralContainers[1].targetContainerName: Not found: "debug"',
      "spec.ephemeralContainers[1].ports: Forbidden: cannot be set for an Ephemeral Container",
      "spec.ephemeralContainers[1].lifecycle: Forbidden: cannot be set for an Ephemeral Container",
    ]);
  });
});
