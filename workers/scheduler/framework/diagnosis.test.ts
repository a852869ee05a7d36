import { describe, expect, it } from "vitest";
import { Diagnosis, fitErrorMessage } from "./diagnosis.ts";
import { unresolvable, unschedulable } from "./status.ts";

describe("fitErrorMessage", () => {
  const diagnosis = (fill: (diagnosis: Diagnosis) => void) => {
    const filled = new Diagnosis();
    fill(filled);
    return filled;
  };

  it.each([
    {
      name: "sorts counted reasons as texts",
      numAllNodes: 12,
      diagnosis: diagnosis(({ nodeToStatus }) => {
        for (let i = 0; i < 10; i++) nodeToStatus.set(`n${i}`, unschedulable("P", "Insufficient memory"));
        nodeToStatus.set("x", unschedulable("P", "Insufficient cpu", "Too many pods"));
        nodeToStatus.set("y", unschedulable("P", "Insufficient cpu"));
      }),
      want: "0/12 nodes are available: 1 Too many pods, 10 Insufficient memory, 2 Insufficient cpu.",
    },
    {
      name: "counts nodes that were not examined under their common reason",
      numAllNodes: 3,
      diagnosis: diagnosis(({ nodeToStatus }) => {
        nodeToStatus.set("a", unschedulable("P", "Too many pods"));
        nodeToStatus.absentNodesStatus = unresolvable("", "node(s) didn't satisfy plugin(s) [NodeAffinity]");
      }),
      want: "0/3 nodes are available: 1 Too many pods, 2 node(s) didn't satisfy plugin(s) [NodeAffinity].",
    },
    {
      name: "says what PreFilter said instead, and what PostFilter adds",
      numAllNodes: 3,
      diagnosis: diagnosis((filled) => {
        filled.preFilterMsg = "pod affinity terms conflict";
        filled.nodeToStatus.absentNodesStatus = unresolvable("NodeAffinity", "pod affinity terms conflict");
        filled.postFilterMsg = "preemption: x";
      }),
      want: "0/3 nodes are available: pod affinity terms conflict. preemption: x",
    },
    {
      name: "has nothing to say about unexplained nodes",
      numAllNodes: 2,
      diagnosis: new Diagnosis(),
      want: "0/2 nodes are available:",
    },
  ])("$name", ({ numAllNodes, diagnosis: given, want }) => {
    expect(fitErrorMessage(numAllNodes, given)).toBe(want);
  });
});
