import { expect, test } from "vitest";
import type { KubeObject } from "../../apimachinery/meta.ts";
import { nodesResource } from "../gvrs.ts";
import { ControllerHarness } from "../testing/controller-harness.ts";
import { newNodeIPAMController } from "./node-ipam-controller.ts";

const node = (name: string, spec: object = {}): KubeObject => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name },
  spec,
});

test("every node gets its own range, held ones are kept, freed ones come back, none left is said", async () => {
  const harness = new ControllerHarness();
  const held = { podCIDR: "10.244.0.0/24", podCIDRs: ["10.244.0.0/24"] };
  harness.client.seed([node("c", held), node("a"), node("b")]);
  const options = { clusterCIDR: "10.244.0.0/22", nodeCIDRMaskSize: 24 };
  await harness.start(newNodeIPAMController(harness.context, options));
  const cidrs = (): unknown[] => harness.client.all(nodesResource).map(({ spec }) => spec.podCIDR);
  expect(cidrs()).toEqual(["10.244.1.0/24", "10.244.2.0/24", "10.244.0.0/24"]);
  harness.client.seed([node("d"), node("e")]);
  await harness.settle();
  expect(cidrs()).toEqual(["10.244.1.0/24", "10.244.2.0/24", "10.244.0.0/24", "10.244.3.0/24", undefined]);
  expect(harness.events[0]).toMatchObject({ about: "e", message: "Node e status is now: CIDRNotAvailable" });
  await harness.client.delete(nodesResource, undefined, "b");
  await harness.settle();
  expect(cidrs().at(-1)).toBe("10.244.2.0/24");
  await harness.stop();
});
