import { expect, it } from "vitest";
import { applyStrategicMergePatch } from "../../apimachinery/patch/strategic-merge-patch.ts";
import { schemaTable } from "../../apis/schema-table.ts";
import type { PodStatus } from "../types.ts";
import { statusPatch } from "./status-patch.ts";

/** What the API server makes of the patch. */
function applied(base: Partial<PodStatus>, status: PodStatus): Partial<PodStatus> | undefined {
  const patch = statusPatch(base, status);
  if (patch === undefined) return undefined;
  const pod = schemaTable.structOfKind("", "v1", "Pod")!;
  const patched = applyStrategicMergePatch({ status: base }, { status: patch }, pod, schemaTable);
  return (patched as { status: PodStatus }).status;
}

const conditions: PodStatus["conditions"] = [
  { type: "Ready", status: "False", reason: "ContainersNotReady", message: "containers with unready status: [main]" },
  { type: "PodScheduled", status: "True" },
];

it("leads from any status to the other as a strategic merge patch, removed reasons included", () => {
  const base: PodStatus = { phase: "Pending", podIP: "10.0.0.1", podIPs: [{ ip: "10.0.0.1" }], conditions };
  const next: PodStatus = {
    phase: "Running",
    podIP: "10.0.0.2",
    podIPs: [{ ip: "10.0.0.2" }],
    hostIPs: [{ ip: "172.18.0.2" }],
    conditions: [
      { type: "Initialized", status: "True" },
      { type: "Ready", status: "True" },
      { type: "PodScheduled", status: "True" },
    ],
  };
  expect(applied(base, next)).toEqual(next);
  expect(applied(next, next)).toBeUndefined();
});

it("leaves conditions of others alone, also those it does not know", () => {
  const theirs: PodStatus["conditions"] = [{ type: "example.com/gate", status: "True" }, ...conditions];
  const next: PodStatus = {
    phase: "Running",
    conditions: [{ type: "example.com/gate", status: "False" }, { type: "Ready", status: "True" }, conditions[1]!],
  };
  expect(applied({ phase: "Pending", conditions: theirs }, next)!.conditions).toEqual([
    { type: "example.com/gate", status: "True" },
    { type: "Ready", status: "True" },
    { type: "PodScheduled", status: "True" },
  ]);
});
