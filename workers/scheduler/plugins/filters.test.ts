import { describe, expect, it } from "vitest";
import type { KubeObject } from "../../apimachinery/meta.ts";
import type { PodOptions } from "../testing/builders.ts";
import { makeNode, makePod } from "../testing/builders.ts";
import type { ClusterState } from "../testing/fixture.ts";
import { Fixture } from "../testing/fixture.ts";

interface Vector extends Omit<ClusterState, "nodes"> {
  name: string;
  nodes?: KubeObject[];
  pod: PodOptions;
  want: Record<string, string>;
}

function check(vectors: Vector[]): void {
  it.each(vectors)("$name", ({ nodes = [makeNode("n")], pods, namespaces, pod, want }) => {
    const fixture = new Fixture({ nodes, ...(pods ? { pods } : {}), ...(namespaces ? { namespaces } : {}) });
    expect(fixture.filter(makePod("incoming", pod))).toEqual(want);
  });
}

describe("NodeUnschedulable, NodeName", () => {
  check([
    {
      name: "a cordoned node takes only who tolerates it",
      nodes: [makeNode("n", { unschedulable: true })],
      pod: {},
      want: { n: "node(s) were unschedulable" },
    },
    {
      name: "and takes who does",
      nodes: [makeNode("n", { unschedulable: true })],
      pod: { spec: { tolerations: [{ key: "node.kubernetes.io/unschedulable", operator: "Exists" }] } },
      want: { n: "" },
    },
  ]);
});

describe("TaintToleration", () => {
  const taint = (effect: string) => [makeNode("n", { taints: [{ key: "k", value: "v", effect }] })];
  const untolerated = { n: "node(s) had untolerated taint(s)" };
  const with_ = (toleration: object) => ({ spec: { tolerations: [toleration] } });
  check([
    { name: "NoSchedule repels", nodes: taint("NoSchedule"), pod: {}, want: untolerated },
    { name: "NoExecute repels", nodes: taint("NoExecute"), pod: {}, want: untolerated },
    { name: "PreferNoSchedule does not", nodes: taint("PreferNoSchedule"), pod: {}, want: { n: "" } },
    {
      name: "Equal needs the value",
      nodes: taint("NoSchedule"),
      pod: with_({ key: "k", value: "x" }),
      want: untolerated,
    },
    { name: "Equal is the default", nodes: taint("NoSchedule"), pod: with_({ key: "k", value: "v" }), want: { n: "" } },
    {
      name: "Exists ignores the value",
      nodes: taint("NoSchedule"),
      pod: with_({ key: "k", operator: "Exists" }),
      want: { n: "" },
    },
    { name: "no key tolerates all", nodes: taint("NoExecute"), pod: with_({ operator: "Exists" }), want: { n: "" } },
    {
      name: "the effect must match",
      nodes: taint("NoExecute"),
      pod: with_({ key: "k", operator: "Exists", effect: "NoSchedule" }),
      want: untolerated,
    },
  ]);
});

describe("NodeAffinity", () => {
  const nodes = [makeNode("a", { labels: { disk: "ssd", cores: "8" } }), makeNode("b", { labels: { disk: "hdd" } })];
  const mismatch = "node(s) didn't match Pod's node affinity/selector";
  const required = (...nodeSelectorTerms: object[]) => ({
    spec: { affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } } },
  });
  const expression = (key: string, operator: string, ...values: string[]) => ({
    matchExpressions: [{ key, operator, ...(values.length > 0 ? { values } : {}) }],
  });
  const field = (...values: string[]) => ({ matchFields: [{ key: "metadata.name", operator: "In", values }] });
  check([
    { name: "nodeSelector", nodes, pod: { spec: { nodeSelector: { disk: "ssd" } } }, want: { a: "", b: mismatch } },
    { name: "In", nodes, pod: required(expression("disk", "In", "ssd", "nvme")), want: { a: "", b: mismatch } },
    {
      name: "NotIn holds without the label",
      nodes,
      pod: required(expression("cores", "NotIn", "8")),
      want: { a: mismatch, b: "" },
    },
    { name: "Exists", nodes, pod: required(expression("cores", "Exists")), want: { a: "", b: mismatch } },
    { name: "DoesNotExist", nodes, pod: required(expression("cores", "DoesNotExist")), want: { a: mismatch, b: "" } },
    { name: "Gt compares numbers", nodes, pod: required(expression("cores", "Gt", "7")), want: { a: "", b: mismatch } },
    {
      name: "Lt compares numbers",
      nodes,
      pod: required(expression("cores", "Lt", "10")),
      want: { a: "", b: mismatch },
    },
    {
      name: "terms are alternatives",
      nodes,
      pod: required(expression("disk", "In", "ssd"), expression("disk", "In", "hdd")),
      want: { a: "", b: "" },
    },
    { name: "an empty term matches nothing", nodes, pod: required({}), want: { a: mismatch, b: mismatch } },
    {
      name: "a named node excludes the others early",
      nodes,
      pod: required(field("b")),
      want: { a: "excluded", b: "" },
    },
    {
      name: "contradicting names are refused at once",
      nodes,
      pod: required({ matchFields: [...field("a").matchFields, ...field("b").matchFields] }),
      want: { a: "pod affinity terms conflict", b: "pod affinity terms conflict" },
    },
  ]);
});

describe("NodePorts", () => {
  const taken = "node(s) didn't have free ports for the requested pod ports";
  const port = (hostPort: number, hostIP?: string, protocol = "TCP") => ({
    spec: { containers: [{ name: "c", ports: [{ hostPort, hostIP, protocol }] }] },
  });
  const existing = (options: PodOptions) => [makePod("old", { ...options, spec: { ...options.spec, nodeName: "n" } })];
  check([
    { name: "same port", pods: existing(port(80)), pod: port(80), want: { n: taken } },
    { name: "another port", pods: existing(port(80)), pod: port(81), want: { n: "" } },
    { name: "another protocol", pods: existing(port(80)), pod: port(80, undefined, "UDP"), want: { n: "" } },
    { name: "another address", pods: existing(port(80, "10.0.0.1")), pod: port(80, "10.0.0.2"), want: { n: "" } },
    {
      name: "any address conflicts with each",
      pods: existing(port(80, "10.0.0.1")),
      pod: port(80),
      want: { n: taken },
    },
    { name: "and each with any", pods: existing(port(80)), pod: port(80, "10.0.0.1"), want: { n: taken } },
    {
      name: "a sidecar's port counts",
      pods: existing({
        spec: { containers: [], initContainers: [{ name: "s", restartPolicy: "Always", ports: [{ hostPort: 80 }] }] },
      }),
      pod: port(80),
      want: { n: taken },
    },
  ]);
});

describe("NodeResourcesFit", () => {
  const nodes = [makeNode("n", { allocatable: { cpu: "2", memory: "2Gi", pods: "2", "example.com/gpu": "1" } })];
  const container = (requests: object, more: object = {}) => ({ name: "c", resources: { requests }, ...more });
  check([
    { name: "fits exactly", nodes, pod: { requests: { cpu: "2", memory: "2Gi" } }, want: { n: "" } },
    {
      name: "names every lack",
      nodes,
      pod: { requests: { cpu: "2001m", memory: "3Gi" } },
      want: { n: "Insufficient cpu, Insufficient memory" },
    },
    {
      name: "counts what is taken",
      nodes,
      pods: [makePod("old", { node: "n", requests: { cpu: "1500m" } })],
      pod: { requests: { cpu: "501m" } },
      want: { n: "Insufficient cpu" },
    },
    {
      name: "pods are a resource",
      nodes,
      pods: [makePod("o1", { node: "n" }), makePod("o2", { node: "n" })],
      pod: {},
      want: { n: "Too many pods" },
    },
    {
      name: "extended resources",
      nodes,
      pod: { requests: { "example.com/gpu": "2" } },
      want: { n: "Insufficient example.com/gpu" },
    },
    {
      name: "unknown extended resources",
      nodes,
      pod: { requests: { "example.com/fpga": "1" } },
      want: { n: "Insufficient example.com/fpga" },
    },
    {
      name: "init containers count by their maximum",
      nodes,
      pod: {
        requests: { cpu: "1" },
        spec: {
          containers: [container({ cpu: "1" })],
          initContainers: [container({ cpu: "2" }), container({ cpu: "2" })],
        },
      },
      want: { n: "" },
    },
    {
      name: "sidecars run beside later init containers",
      nodes,
      pod: {
        spec: {
          containers: [],
          initContainers: [container({ cpu: "1" }, { restartPolicy: "Always" }), container({ cpu: "1500m" })],
        },
      },
      want: { n: "Insufficient cpu" },
    },
    {
      name: "but not beside earlier ones",
      nodes,
      pod: {
        spec: {
          containers: [],
          initContainers: [container({ cpu: "1500m" }), container({ cpu: "1" }, { restartPolicy: "Always" })],
        },
      },
      want: { n: "" },
    },
    {
      name: "overhead is added",
      nodes,
      pod: { requests: { cpu: "2" }, spec: { containers: [container({ cpu: "2" })], overhead: { cpu: "1m" } } },
      want: { n: "Insufficient cpu" },
    },
    {
      name: "pod-level requests replace those of the containers",
      nodes,
      pod: { spec: { containers: [container({ cpu: "1" })], resources: { requests: { cpu: "3" } } } },
      want: { n: "Insufficient cpu" },
    },
    {
      name: "a resize that is under way holds the larger amount",
      nodes,
      pods: [
        makePod("old", {
          node: "n",
          requests: { cpu: "100m" },
          status: {
            containerStatuses: [
              { name: "main", resources: { requests: { cpu: "1" } }, allocatedResources: { cpu: "1" } },
            ],
          },
        }),
      ],
      pod: { requests: { cpu: "1500m" } },
      want: { n: "Insufficient cpu" },
    },
  ]);
});

describe("InterPodAffinity", () => {
  const nodes = [
    makeNode("a1", { labels: { zone: "a" } }),
    makeNode("a2", { labels: { zone: "a" } }),
    makeNode("b1", { labels: { zone: "b" } }),
    makeNode("none"),
  ];
  const term = (app: string, topologyKey = "zone", more: object = {}) => ({
    labelSelector: { matchLabels: { app } },
    topologyKey,
    ...more,
  });
  const affinity = (...terms: object[]) => ({
    affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms } },
  });
  const anti = (...terms: object[]) => ({
    affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms } },
  });
  const db = makePod("db", { node: "a1", labels: { app: "db" } });
  const no = {
    affinity: "node(s) didn't match pod affinity rules",
    anti: "node(s) didn't match pod anti-affinity rules",
    existing: "node(s) didn't satisfy existing pods anti-affinity rules",
  };
  check([
    {
      name: "affinity to the domain",
      nodes,
      pods: [db],
      pod: { spec: affinity(term("db")) },
      want: { a1: "", a2: "", b1: no.affinity, none: no.affinity },
    },
    {
      name: "no such pod",
      nodes,
      pods: [db],
      pod: { spec: affinity(term("cache")) },
      want: { a1: no.affinity, a2: no.affinity, b1: no.affinity, none: no.affinity },
    },
    {
      name: "the first of its own group goes anywhere with the label",
      nodes,
      pods: [db],
      pod: { labels: { app: "cache" }, spec: affinity(term("cache")) },
      want: { a1: "", a2: "", b1: "", none: no.affinity },
    },
    {
      name: "anti-affinity",
      nodes,
      pods: [db],
      pod: { spec: anti(term("db")) },
      want: { a1: no.anti, a2: no.anti, b1: "", none: "" },
    },
    {
      name: "anti-affinity of those who are there",
      nodes,
      pods: [makePod("shy", { node: "b1", spec: anti(term("web")) })],
      pod: { labels: { app: "web" } },
      want: { a1: "", a2: "", b1: no.existing, none: "" },
    },
    {
      name: "another namespace does not count",
      nodes,
      pods: [db],
      pod: { namespace: "other", spec: anti(term("db")) },
      want: { a1: "", a2: "", b1: "", none: "" },
    },
    {
      name: "unless it is listed",
      nodes,
      pods: [db],
      pod: { namespace: "other", spec: anti(term("db", "zone", { namespaces: ["default"] })) },
      want: { a1: no.anti, a2: no.anti, b1: "", none: "" },
    },
    {
      name: "or selected",
      nodes,
      pods: [db],
      namespaces: { default: { team: "x" } },
      pod: {
        namespace: "other",
        spec: anti(term("db", "zone", { namespaceSelector: { matchLabels: { team: "x" } } })),
      },
      want: { a1: no.anti, a2: no.anti, b1: "", none: "" },
    },
  ]);
});

describe("PodTopologySpread", () => {
  const nodes = [
    makeNode("a1", { labels: { zone: "a" } }),
    makeNode("b1", { labels: { zone: "b" } }),
    makeNode("none"),
  ];
  const web = (name: string, node: string, more: PodOptions = {}) =>
    makePod(name, { node, labels: { app: "web" }, ...more });
  const spread = (more: object = {}): PodOptions => ({
    labels: { app: "web" },
    spec: {
      topologySpreadConstraints: [
        {
          maxSkew: 1,
          topologyKey: "zone",
          whenUnsatisfiable: "DoNotSchedule",
          labelSelector: { matchLabels: { app: "web" } },
          ...more,
        },
      ],
    },
  });
  const no = "node(s) didn't match pod topology spread constraints";
  const missing = `${no} (missing required label)`;
  check([
    {
      name: "the emptier domain",
      nodes,
      pods: [web("w", "a1")],
      pod: spread(),
      want: { a1: no, b1: "", none: missing },
    },
    {
      name: "within the skew",
      nodes,
      pods: [web("w", "a1")],
      pod: spread({ maxSkew: 2 }),
      want: { a1: "", b1: "", none: missing },
    },
    {
      name: "pods on their way out do not count",
      nodes,
      pods: [
        { ...web("w", "a1"), metadata: { ...web("w", "a1").metadata, deletionTimestamp: "2026-01-01T00:00:00Z" } },
      ],
      pod: spread(),
      want: { a1: "", b1: "", none: missing },
    },
    {
      name: "too few domains hold the minimum at 0",
      nodes,
      pods: [web("w", "a1"), web("v", "b1")],
      pod: spread({ minDomains: 3 }),
      want: { a1: no, b1: no, none: missing },
    },
    {
      name: "nodes that the pod cannot use are no domains",
      nodes,
      pods: [web("w", "a1")],
      pod: { ...spread(), spec: { ...spread().spec, nodeSelector: { zone: "a" } } },
      want: {
        a1: "",
        b1: "node(s) didn't match Pod's node affinity/selector",
        none: "node(s) didn't match Pod's node affinity/selector",
      },
    },
    {
      name: "unless the policy says to ignore that",
      nodes,
      pods: [web("w", "a1")],
      pod: {
        ...spread({ nodeAffinityPolicy: "Ignore" }),
        spec: { ...spread({ nodeAffinityPolicy: "Ignore" }).spec, nodeSelector: { zone: "a" } },
      },
      want: {
        a1: no,
        b1: "node(s) didn't match Pod's node affinity/selector",
        none: "node(s) didn't match Pod's node affinity/selector",
      },
    },
    {
      name: "matchLabelKeys narrow to the pod's own revision",
      nodes,
      pods: [web("w", "a1", { labels: { app: "web", rev: "1" } })],
      pod: { ...spread({ matchLabelKeys: ["rev"] }), labels: { app: "web", rev: "2" } },
      want: { a1: "", b1: "", none: missing },
    },
  ]);
});
