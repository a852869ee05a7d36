import { describe, expect, it } from "vitest";
import { CycleState } from "./framework/cycle-state.ts";
import { PodInfo } from "./framework/pod-info.ts";
import { numFeasibleNodesToFind, SchedulingAlgorithm, selectHost } from "./schedule-pod.ts";
import { makeNode, makePod } from "./testing/builders.ts";
import { Fixture } from "./testing/fixture.ts";
import { seededRandom } from "./testing/harness.ts";

describe("numFeasibleNodesToFind", () => {
  it.each([
    [0, 10, 10],
    [0, 99, 99],
    [0, 1000, 420],
    [0, 6000, 300],
    [40, 1000, 400],
    [40, 200, 100],
    [100, 200, 200],
  ])("percentage %i of %i nodes: %i", (percentage, nodes, want) => {
    expect(numFeasibleNodesToFind(percentage, nodes)).toBe(want);
  });
});

describe("selectHost", () => {
  it("takes the highest, and each of equals about as often", () => {
    expect(selectHost([1, 3, 2], () => 0.5)).toBe(1);
    const random = seededRandom(11);
    const chosen = [0, 0, 0, 0];
    for (let i = 0; i < 3000; i++) chosen[selectHost([5, 1, 5, 5], random)]!++;
    expect(chosen[1]).toBe(0);
    for (const i of [0, 2, 3]) expect(Math.abs(chosen[i]! - 1000)).toBeLessThan(120);
  });
});

describe("SchedulingAlgorithm", () => {
  it("examines only as many nodes as it needs, and goes on where it left off", () => {
    const { framework, snapshot } = new Fixture({ nodes: Array.from({ length: 400 }, (_, i) => makeNode(`n${i}`)) });
    const algorithm = new SchedulingAlgorithm(framework, snapshot, seededRandom(1), 25);
    const found: number[] = [];
    for (let i = 0; i < 4; i++) {
      const result = algorithm.schedulePod(new CycleState(), new PodInfo(makePod(`p${i}`)));
      if (result.kind !== "scheduled") throw new Error(result.kind);
      expect([result.evaluatedNodes, result.feasibleNodes]).toEqual([100, 100]);
      found.push(Number(result.nodeName.slice(1)));
    }
    expect(found.map((index) => Math.floor(index / 100))).toEqual([0, 1, 2, 3]);
  });

  it("leaves room for nominated pods that are at least as important", () => {
    const { framework, snapshot, nominator } = new Fixture({ nodes: [makeNode("n")] });
    const algorithm = new SchedulingAlgorithm(framework, snapshot, seededRandom(1));
    nominator.addNominatedPod(new PodInfo(makePod("nominated", { priority: 10, requests: { cpu: "3" } })), "n");
    const attempt = (priority: number) =>
      algorithm.schedulePod(new CycleState(), new PodInfo(makePod("p", { priority, requests: { cpu: "2" } }))).kind;
    expect([attempt(9), attempt(10), attempt(11)]).toEqual(["unfit", "unfit", "scheduled"]);
    nominator.addNominatedPod(new PodInfo(makePod("nominated")), "");
    expect(attempt(9)).toBe("scheduled");
  });

  it("names the plugin that left out the nodes of a daemon pod", () => {
    const { framework, snapshot } = new Fixture({
      nodes: [makeNode("a"), makeNode("b"), makeNode("c", { allocatable: { cpu: "1", memory: "1Gi", pods: "0" } })],
    });
    const field = { matchFields: [{ key: "metadata.name", operator: "In", values: ["c"] }] };
    const affinity = {
      nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [field] } },
    };
    const algorithm = new SchedulingAlgorithm(framework, snapshot, seededRandom(1));
    const result = algorithm.schedulePod(new CycleState(), new PodInfo(makePod("p", { spec: { affinity } })));
    if (result.kind !== "unfit") throw new Error(result.kind);
    expect(result.diagnosis.nodeToStatus.get("c").message).toBe("Too many pods");
    expect(result.diagnosis.nodeToStatus.get("a").message).toBe("node(s) didn't satisfy plugin(s) [NodeAffinity]");
    expect([...result.diagnosis.unschedulablePlugins].sort()).toEqual(["NodeAffinity", "NodeResourcesFit"]);
  });
});
