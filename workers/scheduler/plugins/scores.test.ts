import { describe, expect, it } from "vitest";
import { makeNode, makePod } from "../testing/builders.ts";
import { Fixture } from "../testing/fixture.ts";
import { names } from "./names.ts";

const small = { cpu: "4", memory: "10000", pods: "110" };

describe("scores", () => {
  it("NodeResourcesFit prefers the emptiest, containers without requests counting with defaults", () => {
    const fixture = new Fixture({
      nodes: [makeNode("busy"), makeNode("idle")],
      pods: [makePod("old", { node: "busy", requests: { cpu: "2", memory: "8Gi" } })],
    });
    // idle: cpu (4000-1000)*100/4000 = 75, memory (16-4)/16 = 75. busy: 25 and 25.
    expect(fixture.score(makePod("p", { requests: { cpu: "1", memory: "4Gi" } }), names.nodeResourcesFit)).toEqual({
      busy: 25,
      idle: 75,
    });
    // 100m more leave 97 of cpu and 200Mi more 98 of memory: 97. On the busy node 47 and 48: 47.
    expect(fixture.score(makePod("p"), names.nodeResourcesFit)).toEqual({ busy: 47, idle: 97 });
  });

  it("NodeResourcesBalancedAllocation prefers like shares and skips best-effort pods", () => {
    const fixture = new Fixture({
      nodes: [makeNode("n1", { allocatable: small }), makeNode("n2", { allocatable: small })],
      pods: [makePod("old", { node: "n2", requests: { cpu: "2" } })],
    });
    // n1: |0.25 - 0.5| / 2 = 0.125; n2: |0.75 - 0.5| / 2 = 0.125.
    expect(
      fixture.score(makePod("p", { requests: { cpu: "1", memory: "5000" } }), names.nodeResourcesBalancedAllocation),
    ).toEqual({ n1: 87, n2: 87 });
    expect(
      fixture.score(makePod("p", { requests: { memory: "5000" } }), names.nodeResourcesBalancedAllocation),
    ).toEqual({ n1: 75, n2: 100 });
    expect(fixture.score(makePod("p"), names.nodeResourcesBalancedAllocation)).toBeUndefined();
  });

  it("TaintToleration counts PreferNoSchedule taints against the worst node", () => {
    const taint = (key: string) => ({ key, effect: "PreferNoSchedule" });
    const fixture = new Fixture({
      nodes: [
        makeNode("none"),
        makeNode("one", { taints: [taint("a")] }),
        makeNode("two", { taints: [taint("b"), taint("c")] }),
      ],
    });
    expect(fixture.score(makePod("p"), names.taintToleration, 3)).toEqual({ none: 100, one: 50, two: 0 });
    const tolerant = makePod("p", {
      spec: {
        tolerations: [
          { key: "b", operator: "Exists" },
          { key: "c", operator: "Exists", effect: "NoSchedule" },
        ],
      },
    });
    expect(fixture.score(tolerant, names.taintToleration, 3)).toEqual({ none: 100, one: 0, two: 0 });
  });

  it("NodeAffinity adds up the weights of preferred terms", () => {
    const preferred = [
      { weight: 30, preference: { matchExpressions: [{ key: "disk", operator: "In", values: ["ssd"] }] } },
      { weight: 10, preference: { matchExpressions: [{ key: "zone", operator: "Exists" }] } },
      { weight: 50, preference: {} },
    ];
    const fixture = new Fixture({
      nodes: [
        makeNode("both", { labels: { disk: "ssd", zone: "a" } }),
        makeNode("zone", { labels: { zone: "a" } }),
        makeNode("none"),
      ],
    });
    const pod = makePod("p", {
      spec: { affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: preferred } } },
    });
    expect(fixture.score(pod, names.nodeAffinity, 2)).toEqual({ both: 100, zone: 25, none: 0 });
    expect(fixture.score(makePod("p"), names.nodeAffinity, 2)).toBeUndefined();
  });

  it("ImageLocality grows with size and spread of the images", () => {
    const image = { names: ["nginx:latest"], sizeBytes: 1000 * 1024 * 1024 };
    const fixture = new Fixture({ nodes: [makeNode("has", { images: [image] }), makeNode("lacks")] });
    // Half of the nodes have it: (500 - 23) * 100 / (1000 - 23).
    expect(fixture.score(makePod("p"), names.imageLocality)).toEqual({ has: 48, lacks: 0 });
  });

  it("InterPodAffinity weighs preferences of both sides", () => {
    const preferred = (kind: string, weight: number, app: string) => ({
      affinity: {
        [kind]: {
          preferredDuringSchedulingIgnoredDuringExecution: [
            {
              weight,
              podAffinityTerm: { topologyKey: "kubernetes.io/hostname", labelSelector: { matchLabels: { app } } },
            },
          ],
        },
      },
    });
    const fixture = new Fixture({
      nodes: [makeNode("a"), makeNode("b"), makeNode("c")],
      pods: [
        makePod("db", { node: "a", labels: { app: "db" } }),
        makePod("shy", { node: "b", labels: { app: "shy" }, spec: preferred("podAntiAffinity", 20, "web") }),
      ],
    });
    const pod = makePod("p", { labels: { app: "web" }, spec: preferred("podAffinity", 80, "db") });
    // 80, -20 and 0, spread over [0, 100].
    expect(fixture.score(pod, names.interPodAffinity, 2)).toEqual({ a: 100, b: 0, c: 20 });
    expect(fixture.score(makePod("p", { labels: { app: "other" } }), names.interPodAffinity, 2)).toBeUndefined();
  });

  it("PodTopologySpread prefers emptier domains, also without constraints when a workload selects the pod", () => {
    const zone = (name: string) => ({ "topology.kubernetes.io/zone": name });
    const nodes = [
      makeNode("a1", { labels: zone("a") }),
      makeNode("a2", { labels: zone("a") }),
      makeNode("b1", { labels: zone("b") }),
    ];
    const pods = [
      makePod("w1", { node: "a1", labels: { app: "web" } }),
      makePod("w2", { node: "a1", labels: { app: "web" } }),
    ];
    const constraint = {
      maxSkew: 1,
      topologyKey: "topology.kubernetes.io/zone",
      whenUnsatisfiable: "ScheduleAnyway",
      labelSelector: { matchLabels: { app: "web" } },
    };
    const explicit = new Fixture({ nodes, pods });
    // Zone a counts 2 * ln 4 = 3, zone b 0: 100 * (3 + 0 - score) / 3.
    expect(
      explicit.score(
        makePod("p", { labels: { app: "web" }, spec: { topologySpreadConstraints: [constraint] } }),
        names.podTopologySpread,
        2,
      ),
    ).toEqual({ a1: 0, a2: 0, b1: 100 });
    expect(explicit.score(makePod("p", { labels: { app: "web" } }), names.podTopologySpread, 2)).toBeUndefined();

    const replicaSet = {
      kind: "ReplicaSet",
      metadata: { name: "web" },
      spec: { selector: { matchLabels: { app: "web" } } },
    };
    const owned = makePod("p", { labels: { app: "web" } });
    owned.metadata.ownerReferences = [
      { apiVersion: "apps/v1", kind: "ReplicaSet", name: "web", uid: "u", controller: true },
    ];
    const byDefault = new Fixture({ nodes, pods, controllers: [replicaSet] });
    // Host: 2 ln 5 + 2, zone: 2 ln 4 + 4. a1: 12, a2: 9, b1: 6; 100 * (12 + 6 - score) / 12.
    expect(byDefault.score(owned, names.podTopologySpread, 2)).toEqual({ a1: 50, a2: 75, b1: 100 });
    const byService = new Fixture({
      nodes,
      pods,
      services: [{ metadata: { name: "s" }, spec: { selector: { app: "web" } } }],
    });
    expect(byService.score(makePod("p", { labels: { app: "web" } }), names.podTopologySpread, 2)).toEqual({
      a1: 50,
      a2: 75,
      b1: 100,
    });
  });
});
