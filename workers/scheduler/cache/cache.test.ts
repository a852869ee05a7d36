import { describe, expect, it } from "vitest";
import { FakeClock } from "../../apimachinery/clock.ts";
import { PodInfo } from "../framework/pod-info.ts";
import { makeNode, makePod } from "../testing/builders.ts";
import { seededRandom } from "../testing/harness.ts";
import { Cache } from "./cache.ts";
import { NodeTree } from "./node-tree.ts";
import { Snapshot } from "./snapshot.ts";

const bound = (name: string, node: string, cpu = "1") => new PodInfo(makePod(name, { node, requests: { cpu } }));

describe("Cache", () => {
  it("counts an assumed pod at once; forgetting gives the room back, confirming keeps it", () => {
    const cache = new Cache(new FakeClock());
    const node = cache.addOrUpdateNode(makeNode("n"));
    cache.assumePod(bound("a", "n"));
    expect(() => cache.assumePod(bound("a", "n"))).toThrow("is in the cache, so can't be assumed");
    expect(node.requested.milliCPU).toBe(1000);
    expect(cache.forgetPod("uid-default-a")).toBe(true);
    expect(node.requested.milliCPU).toBe(0);

    cache.assumePod(bound("a", "n"));
    cache.addPod(bound("a", "n", "2"));
    expect([cache.assumedCount, node.requested.milliCPU]).toEqual([0, 2000]);
    expect(cache.forgetPod("uid-default-a")).toBe(false);
    cache.removePod("uid-default-a");
    expect([node.requested.milliCPU, node.pods.size]).toEqual([0, 0]);
  });

  it("a pod confirmed on another node than assumed counts there only", () => {
    const cache = new Cache(new FakeClock());
    const [n, m] = ["n", "m"].map((name) => cache.addOrUpdateNode(makeNode(name)));
    cache.assumePod(bound("a", "n"));
    cache.addPod(bound("a", "m"));
    expect([n!.requested.milliCPU, m!.requested.milliCPU]).toEqual([0, 1000]);
  });

  it("expires assumed pods only after their binding finished, and only if asked to", async () => {
    const clock = new FakeClock();
    const forever = new Cache(clock);
    const cache = new Cache(clock, { assumedPodTtlMilliseconds: 30_000 });
    for (const one of [forever, cache]) {
      one.assumePod(bound("a", "n"));
      one.assumePod(bound("b", "n"));
      one.finishBinding("uid-default-a");
    }
    await clock.advance(29_999);
    expect(cache.cleanupAssumedPods()).toEqual([]);
    await clock.advance(1);
    expect(cache.cleanupAssumedPods().map(({ name }) => name)).toEqual(["a"]);
    expect([cache.podCount, forever.cleanupAssumedPods().length, forever.podCount]).toEqual([1, 0, 2]);
  });

  it("keeps pods of a node that is gone until they are gone too, out of the snapshot", () => {
    const cache = new Cache(new FakeClock());
    const snapshot = new Snapshot();
    cache.addPod(bound("early", "n"));
    cache.updateSnapshot(snapshot);
    expect(snapshot.numNodes).toBe(0);
    cache.addOrUpdateNode(makeNode("n"));
    cache.updateSnapshot(snapshot);
    expect(snapshot.get("n")?.requested.milliCPU).toBe(1000);
    cache.removeNode("n");
    cache.updateSnapshot(snapshot);
    expect([snapshot.numNodes, cache.getNode("n")?.pods.size]).toEqual([0, 1]);
    cache.removePod("uid-default-early");
    expect(cache.getNode("n")).toBeUndefined();
  });

  it("an incremental snapshot equals a fresh one after random changes", () => {
    const random = seededRandom(3);
    const cache = new Cache(new FakeClock());
    const incremental = new Snapshot();
    const anti = {
      affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: "zone" }] } },
    };
    for (let step = 0; step < 2000; step++) {
      const node = `n${Math.floor(random() * 8)}`;
      const name = `p${Math.floor(random() * 30)}`;
      const action = random();
      if (action < 0.1)
        cache.addOrUpdateNode(
          makeNode(node, { labels: { "topology.kubernetes.io/zone": `z${Math.floor(random() * 3)}` } }),
        );
      else if (action < 0.15) cache.removeNode(node);
      else if (action < 0.6)
        cache.addPod(
          new PodInfo(makePod(name, { node, requests: { cpu: "100m" }, ...(random() < 0.3 ? { spec: anti } : {}) })),
        );
      else cache.removePod(`uid-default-${name}`);
      if (random() < 0.5) continue;
      cache.updateSnapshot(incremental);
      const fresh = new Snapshot();
      cache.updateSnapshot(fresh);
      expect(incremental.nodeInfoList).toEqual(fresh.nodeInfoList);
      const namesOf = (infos: ReadonlySet<{ name: string }>) => [...infos].map((info) => info.name).sort();
      expect(namesOf(incremental.havePodsWithAffinity)).toEqual(namesOf(fresh.havePodsWithAffinity));
      expect(namesOf(incremental.havePodsWithRequiredAntiAffinity)).toEqual(
        namesOf(fresh.havePodsWithRequiredAntiAffinity),
      );
      for (const info of fresh.nodeInfoList) expect(info.requested.milliCPU).toBe(100 * info.pods.size);
    }
  });

  it("lists nodes alternating between zones", () => {
    const tree = new NodeTree();
    for (const [name, zone] of [
      ["a1", "a"],
      ["a2", "a"],
      ["b1", "b"],
      ["a3", "a"],
    ] as const) {
      tree.addOrUpdate(makeNode(name, { labels: { "topology.kubernetes.io/zone": zone } }));
    }
    expect(tree.list()).toEqual(["a1", "b1", "a2", "a3"]);
  });
});
