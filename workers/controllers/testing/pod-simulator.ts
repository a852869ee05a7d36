import { formatTime } from "../../apimachinery/clock.ts";
import type { KubeObject } from "../../apimachinery/meta.ts";
import { podsResource } from "../gvrs.ts";
import type { ControllerHarness } from "./controller-harness.ts";

/** Marks a pod running, ready or not, as a kubelet would. */
export async function setPodReady(harness: ControllerHarness, pod: KubeObject, ready: boolean): Promise<void> {
  const lastTransitionTime = formatTime(harness.clock.now());
  const conditions = [{ type: "Ready", status: ready ? "True" : "False", lastTransitionTime }];
  const status = { ...pod.status, phase: "Running", conditions };
  const current = await harness.client.get(podsResource, pod.metadata.namespace, pod.metadata.name!);
  await harness.client.update(podsResource, { ...current, status }, "status");
}

/** All pods that are not being deleted. */
export function livePods(harness: ControllerHarness): KubeObject[] {
  return harness.client.all(podsResource).filter(({ metadata }) => metadata.deletionTimestamp === undefined);
}

/** Makes all live pods ready and lets the controllers react. */
export async function makeAllReady(harness: ControllerHarness): Promise<void> {
  for (;;) {
    const waiting = livePods(harness).filter((pod) => pod.status?.conditions?.[0]?.status !== "True");
    if (waiting.length === 0) return;
    for (const pod of waiting) await setPodReady(harness, pod, true);
    await harness.rest();
  }
}
