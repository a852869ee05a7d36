import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../apimachinery/meta.ts";
import { warningsForNewFinalizers } from "./finalizers.ts";
import { warningsForCidr, warningsForIp } from "./ip.ts";
import { warningsOnCreate, warningsOnUpdate } from "./warnings.ts";

const container = { name: "c", image: "i" };

function pod(spec: object, annotations: Record<string, string> = {}): KubeObject {
  return { metadata: { name: "p", annotations }, spec: { containers: [container], ...spec } };
}

const ofPod = (spec: object, annotations?: Record<string, string>) =>
  warningsOnCreate({ group: "", resource: "pods" }, pod(spec, annotations));

/** Texts as pkg/api/pod/warnings_test.go (1.36) has them. */
describe("pods", () => {
  test("one that is as it should be has none", () => {
    const full = {
      containers: [
        {
          ...container,
          env: [
            { name: "A", value: "1" },
            { name: "A", value: "$(A):2" },
          ],
          ports: [{ containerPort: 80, protocol: "TCP", name: "http" }],
          resources: { requests: { memory: "64Mi", cpu: "100m" } },
        },
        { name: "d", image: "i", ports: [{ containerPort: 80, protocol: "UDP", name: "dns" }] },
      ],
      terminationGracePeriodSeconds: 0,
      nodeSelector: { "kubernetes.io/os": "linux" },
      imagePullSecrets: [{ name: "a" }, { name: "b" }],
    };
    expect(ofPod(full)).toEqual([]);
  });

  test.each([
    [
      { nodeSelector: { "beta.kubernetes.io/arch": "x" } },
      'spec.nodeSelector[beta.kubernetes.io/arch]: deprecated since v1.14; use "kubernetes.io/arch" instead',
    ],
    [
      {
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [{}, { matchExpressions: [{ key: "node-role.kubernetes.io/master" }] }],
            },
          },
        },
      },
      'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[1].matchExpressions[0].key: node-role.kubernetes.io/master is use "node-role.kubernetes.io/control-plane" instead',
    ],
    [
      { topologySpreadConstraints: [{ topologyKey: "a", labelSelector: {} }, { topologyKey: "b" }] },
      "spec.topologySpreadConstraints[1].labelSelector: a null labelSelector results in matching no pod",
    ],
    [
      { affinity: { podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ podAffinityTerm: {} }] } } },
      "spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].podAffinityTerm.labelSelector: a null labelSelector results in matching no pod",
    ],
    [{ volumes: [{ name: "v", gitRepo: {} }] }, "spec.volumes[0].gitRepo: deprecated in v1.11"],
    [
      { volumes: [{ name: "v", storageos: {} }] },
      "spec.volumes[0].storageOS: deprecated in v1.22, non-functional in v1.25+",
    ],
    [{ hostAliases: [{ ip: "1.1.1.1" }, { ip: "1.1.1.1" }] }, 'spec.hostAliases[1].ip: duplicate ip "1.1.1.1"'],
    [{ imagePullSecrets: [{ name: "a" }, { name: "a" }] }, 'spec.imagePullSecrets[1].name: duplicate name "a"'],
    [{ imagePullSecrets: [{}] }, 'spec.imagePullSecrets[0].name: invalid empty name ""'],
    [
      { overhead: { memory: "0.1" } },
      'spec.overhead[memory]: fractional byte value "100m" is invalid, must be an integer',
    ],
    [
      { containers: [{ ...container, resources: { limits: { "ephemeral-storage": "500m" } } }] },
      'spec.containers[0].resources.limits[ephemeral-storage]: fractional byte value "500m" is invalid, must be an integer',
    ],
    [
      {
        containers: [
          {
            ...container,
            env: [
              { name: "A", value: "1" },
              { name: "A", value: "2" },
            ],
          },
        ],
      },
      'spec.containers[0].env[1]: hides previous definition of "A", which may be dropped when using apply',
    ],
    [
      { terminationGracePeriodSeconds: -1 },
      "spec.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1",
    ],
    [
      { containers: [{ ...container, ports: [{ containerPort: 80, protocol: "TCP", hostIP: "1.1.1.1" }] }] },
      "spec.containers[0].ports[0]: hostIP set without hostPort: {Name: HostPort:0 ContainerPort:80 Protocol:TCP HostIP:1.1.1.1}",
    ],
    [
      { dnsConfig: { nameservers: ["1.2.3.04"] } },
      'spec.dnsConfig.nameservers[0]: non-standard IP address "1.2.3.04" will be considered invalid in a future Kubernetes release: use "1.2.3.4"',
    ],
    [
      { volumes: [{ name: "v", configMap: { name: "m", items: [{ path: "a/b" }, { path: "a" }] } }] },
      'volume "v" (ConfigMap "m"): overlapping paths: "a" with "a/b"',
    ],
    [
      {
        volumes: [
          {
            name: "v",
            projected: {
              sources: [
                { serviceAccountToken: { path: "token" } },
                { secret: { name: "s", items: [{ path: "token/x" }] } },
              ],
            },
          },
        ],
      },
      'volume "v" (Projected): overlapping paths: "token/x" (Secret "s") with "token" (ServiceAccountToken)',
    ],
    [{ volumes: [{ name: "v", projected: { sources: [{}] } }] }, 'volume "v" (Projected) has no sources provided'],
  ])("%j", (spec, warning) => expect(ofPod(spec)).toEqual([warning]));

  test.each([
    [{}, {}, "duplicate"],
    [{ hostPort: 81 }, {}, "overlapping"],
    [{ hostPort: 81, hostIP: "1.1.1.1" }, { hostPort: 81 }, "dangerously ambiguous"],
    [{ hostPort: 81 }, { hostPort: 82 }, undefined],
  ])("ports %j and %j: %s", (first, second, relation) => {
    const port = { containerPort: 80, protocol: "TCP" };
    const containers = [
      { ...container, ports: [{ ...port, ...first }] },
      { ...container, name: "d", ports: [{ ...port, ...second }] },
    ];
    const expected = `spec.containers[1].ports[0]: ${relation} port definition with spec.containers[0].ports[0]`;
    expect(ofPod({ containers })).toEqual(relation === undefined ? [] : [expected]);
  });

  test("a port name counts once in a pod, unless its init container has ended by then", () => {
    const named = (containerPort: number) => [{ containerPort, protocol: "TCP", name: "http" }];
    const other = (rest: object) => ({
      initContainers: [{ name: "init", image: "i", ports: named(1), ...rest }],
      containers: [{ ...container, ports: named(2) }],
    });
    expect(ofPod(other({}))).toEqual([]);
    expect(ofPod(other({ restartPolicy: "Always" }))).toEqual([
      'spec.containers[0].ports[0]: duplicate port name "http" with spec.initContainers[0].ports[0], services and probes that select ports by name will use spec.initContainers[0].ports[0]',
    ]);
  });

  test("annotations that fields have replaced", () => {
    const annotations = {
      "scheduler.alpha.kubernetes.io/critical-pod": "",
      "seccomp.security.alpha.kubernetes.io/pod": "runtime/default",
      "container.apparmor.security.beta.kubernetes.io/c": "unconfined",
    };
    expect(ofPod({}, annotations)).toEqual([
      'metadata.annotations[scheduler.alpha.kubernetes.io/critical-pod]: non-functional in v1.16+; use the "priorityClassName" field instead',
      'metadata.annotations[seccomp.security.alpha.kubernetes.io/pod]: non-functional in v1.27+; use the "seccompProfile" field instead',
      'metadata.annotations[container.apparmor.security.beta.kubernetes.io/c]: deprecated since v1.30; use the "appArmorProfile" field instead',
    ]);
    const profiles = { securityContext: { seccompProfile: {}, appArmorProfile: {} } };
    expect(ofPod(profiles, annotations)).toHaveLength(1);
  });

  test("updates are silent", () => {
    const object = pod({ terminationGracePeriodSeconds: -1 });
    expect(warningsOnUpdate({ group: "", resource: "pods" }, object, object)).toEqual([]);
  });
});

describe("workloads", () => {
  const deployments = { group: "apps", resource: "deployments" };
  const deployment = (generation: number): KubeObject => ({
    metadata: { name: "a.b", generation },
    spec: { template: { metadata: {}, spec: { containers: [container], terminationGracePeriodSeconds: -1 } } },
  });
  const inTemplate =
    "spec.template.spec.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1";

  test("by their template and their name, on an update only when the spec has changed", () => {
    expect(warningsOnCreate(deployments, deployment(1))).toEqual([
      "metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended: [must not contain dots]",
      inTemplate,
    ]);
    expect(warningsOnUpdate(deployments, deployment(2), deployment(1))).toEqual([inTemplate]);
    expect(warningsOnUpdate(deployments, deployment(1), deployment(1))).toEqual([]);
  });

  test("a schedule with a time zone in it", () => {
    const cronJob: KubeObject = {
      metadata: { name: "a" },
      spec: { schedule: "TZ=UTC * * * * *", jobTemplate: { spec: { template: pod({}) } } },
    };
    expect(warningsOnUpdate({ group: "batch", resource: "cronjobs" }, cronJob, cronJob)).toEqual([
      "cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details",
    ]);
  });
});

describe("other kinds", () => {
  test.each([
    [
      "services",
      { spec: { type: "ClusterIP", clusterIP: "None", sessionAffinity: "ClientIP" } },
      ["spec.SessionAffinity is ignored for headless services"],
    ],
    [
      "services",
      { spec: { type: "ClusterIP", sessionAffinity: "None", externalName: "x", trafficDistribution: "PreferClose" } },
      [
        'spec.externalName is ignored when spec.type is not "ExternalName"',
        'spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"',
      ],
    ],
    [
      "persistentvolumes",
      { spec: { persistentVolumeReclaimPolicy: "Recycle", glusterfs: {} } },
      [
        "spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.",
        "spec.glusterfs: deprecated in v1.25, non-functional in v1.26+",
      ],
    ],
    [
      "persistentvolumeclaims",
      { spec: { resources: { requests: { storage: "1500m" } } } },
      ['spec.resources.requests[storage]: fractional byte value "1500m" is invalid, must be an integer'],
    ],
    ["nodes", { spec: { configSource: {} } }, ["spec.configSource: the feature is removed"]],
    [
      "ingresses.networking.k8s.io",
      { metadata: { annotations: { "kubernetes.io/ingress.class": "nginx" } }, spec: {} },
      [`annotation "kubernetes.io/ingress.class" is deprecated, please use 'spec.ingressClassName' instead`],
    ],
    [
      "networkpolicies.networking.k8s.io",
      { spec: { egress: [{ to: [{ ipBlock: { cidr: "10.0.0.1/24" } }] }] } },
      [
        'spec.egress[0].to[0].ipBlock.cidr: CIDR value "10.0.0.1/24" is ambiguous in this context (should be "10.0.0.0/24" or "10.0.0.1/32"?)',
      ],
    ],
  ])("%s %j", (name, object, expected) => {
    const [resource = "", ...group] = name.split(".");
    const created = { metadata: {}, ...object } as KubeObject;
    expect(warningsOnCreate({ group: group.join("."), resource }, created)).toEqual(expected);
  });

  test("a custom object's new finalizers", () => {
    const object = (...finalizers: string[]): KubeObject => ({ metadata: { finalizers } });
    expect(warningsForNewFinalizers(object("x", "a.b/c", "orphan"), undefined)).toEqual([
      'metadata.finalizers: "x": prefer a domain-qualified finalizer name including a path (/) to avoid accidental conflicts with other finalizer writers',
    ]);
    expect(warningsForNewFinalizers(object("x"), object("x"))).toEqual([]);
  });
});

/** As k8s.io/apimachinery pkg/util/validation/ip_test.go (1.36). */
describe("addresses", () => {
  const future = "will be considered invalid in a future Kubernetes release: use";
  test.each([
    ["192.12.2.2", undefined],
    ["192.012.2.2", `f: non-standard IP address "192.012.2.2" ${future} "192.12.2.2"`],
    ["fd00::1", undefined],
    ["FD00::1", 'f: IPv6 address "FD00::1" should be in RFC 5952 canonical format ("fd00::1")'],
    ["fd00:0:0:0:0:0:0:1", 'f: IPv6 address "fd00:0:0:0:0:0:0:1" should be in RFC 5952 canonical format ("fd00::1")'],
    ["::ffff:1.2.3.4", `f: non-standard IP address "::ffff:1.2.3.4" ${future} "1.2.3.4"`],
  ])("%s", (text, warning) => expect(warningsForIp("f", text)).toEqual(warning === undefined ? [] : [warning]));

  test.each([
    ["192.12.0.0/16", []],
    [
      "192.12.3.1/22",
      ['f: CIDR value "192.12.3.1/22" is ambiguous in this context (should be "192.12.0.0/22" or "192.12.3.1/32"?)'],
    ],
    ["192.012.2.0/24", [`f: non-standard CIDR value "192.012.2.0/24" ${future} "192.12.2.0/24"`]],
    ["2001:DB8::/32", ['f: IPv6 CIDR value "2001:DB8::/32" should be in RFC 5952 canonical format ("2001:db8::/32")']],
    ["2001:db8::/32", []],
  ])("%s", (text, warnings) => expect(warningsForCidr("f", text)).toEqual(warnings));
});
