import { describe, expect, it } from "vitest";
import type { KubeObject } from "../../apimachinery/meta.ts";
import { nodeUpdateEvent } from "../cluster-events.ts";
import type { ClusterEvent } from "../framework/events.ts";
import { Action } from "../framework/events.ts";
import { PodInfo } from "../framework/pod-info.ts";
import { QueueingHints } from "../queue/hints.ts";
import { makeNode, makePod } from "../testing/builders.ts";
import { Fixture } from "../testing/fixture.ts";
import { names } from "./names.ts";

const hints = new QueueingHints(new Fixture({ nodes: [] }).framework.eventRegistrations());

/** Plugins whose rejection of the pod the change may lift. */
function helped(pod: KubeObject, event: ClusterEvent, previous?: KubeObject, current?: KubeObject): string[] {
  const info = new PodInfo(pod);
  return hints
    .forEvent(event)
    .filter(({ hint }) => hint === undefined || hint(info, previous, current))
    .map(({ plugin }) => plugin)
    .filter((plugin, index, all) => all.indexOf(plugin) === index);
}

const nodeAdd = { resource: "Node", action: Action.Add } as const;
const podDelete = { resource: "AssignedPod", action: Action.Delete } as const;
const podAdd = { resource: "AssignedPod", action: Action.Add } as const;

describe("queueing hints", () => {
  it("a new node helps where it suits the pod", () => {
    const pod = makePod("p", { requests: { cpu: "2" }, spec: { nodeSelector: { disk: "ssd" } } });
    const suits = helped(pod, nodeAdd, undefined, makeNode("n", { labels: { disk: "ssd" } }));
    expect(suits).toEqual(
      expect.arrayContaining([
        names.nodeUnschedulable,
        names.taintToleration,
        names.nodeAffinity,
        names.nodePorts,
        names.nodeResourcesFit,
      ]),
    );
    const bad = makeNode("n", {
      unschedulable: true,
      taints: [{ key: "a", effect: "NoSchedule" }],
      allocatable: { cpu: "1", memory: "1Gi", pods: "1" },
    });
    const helpedByBad = helped(pod, nodeAdd, undefined, bad);
    for (const name of [names.nodeUnschedulable, names.taintToleration, names.nodeAffinity, names.nodeResourcesFit]) {
      expect(helpedByBad).not.toContain(name);
    }
  });

  it("an update of a node helps by what changed", () => {
    const pod = makePod("p", { requests: { cpu: "2" } });
    const before = makeNode("n", { taints: [{ key: "a", effect: "NoSchedule" }], unschedulable: true });
    const update = (after: KubeObject) => helped(pod, nodeUpdateEvent(before, after)!, before, after);
    expect(update({ ...before, spec: { unschedulable: true } })).toContain(names.taintToleration);
    expect(update({ ...before, spec: { unschedulable: true } })).not.toContain(names.nodeUnschedulable);
    expect(update({ ...before, spec: { taints: before.spec.taints } })).toContain(names.nodeUnschedulable);
    const grown = { ...before, status: { allocatable: { ...before.status.allocatable, cpu: "8" } } };
    expect(update(grown)).toEqual([names.nodeResourcesFit]);
    const elsewhere = { ...before, status: { allocatable: { ...before.status.allocatable, memory: "32Gi" } } };
    expect(update(elsewhere)).toEqual([]);
    const heartbeat = { ...before, status: { ...before.status, conditions: [{ type: "Ready", status: "True" }] } };
    const beat = {
      ...heartbeat,
      status: { ...heartbeat.status, conditions: [{ type: "Ready", status: "True", lastHeartbeatTime: "x" }] },
    };
    expect(nodeUpdateEvent(heartbeat, beat)).toBeUndefined();
  });

  it("a deleted pod helps by its ports, its room and its place in affinity and spreading", () => {
    const web = { labelSelector: { matchLabels: { app: "web" } }, topologyKey: "kubernetes.io/hostname" };
    const pod = makePod("p", {
      ports: [80],
      spec: {
        affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [web] } },
        topologySpreadConstraints: [{ ...web, maxSkew: 1, whenUnsatisfiable: "DoNotSchedule" }],
      },
    });
    const own = makePod("own", { node: "n", ports: [80], labels: { app: "web" } });
    expect(helped(pod, podDelete, own)).toEqual([
      names.nodePorts,
      names.nodeResourcesFit,
      names.podTopologySpread,
      names.interPodAffinity,
    ]);
    expect(helped(pod, podDelete, makePod("other", { node: "n", ports: [81] }))).toEqual([names.nodeResourcesFit]);
  });

  it("a new pod helps those who want to be near it", () => {
    const term = { labelSelector: { matchLabels: { app: "db" } }, topologyKey: "kubernetes.io/hostname" };
    const pod = makePod("p", {
      spec: { affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } } },
    });
    expect(helped(pod, podAdd, undefined, makePod("db", { node: "n", labels: { app: "db" } }))).toEqual([
      names.interPodAffinity,
    ]);
    expect(helped(pod, podAdd, undefined, makePod("web", { node: "n", labels: { app: "web" } }))).toEqual([]);
  });
});
