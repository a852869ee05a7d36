import { afterEach, describe, expect, it } from "vitest";
import type { KubeObject } from "../apimachinery/meta.ts";
import { newServiceUnavailable } from "../apimachinery/status-errors.ts";
import { makeNode, makePod } from "./testing/builders.ts";
import type { Harness } from "./testing/harness.ts";
import { nodes, pods, seededRandom, startHarness } from "./testing/harness.ts";

let harness: Harness | undefined;
afterEach(async () => {
  await harness?.stop();
  harness = undefined;
});

const cpuOf = (pod: KubeObject) => parseInt(pod.spec.containers[0].resources?.requests?.cpu ?? "0", 10);
const portsOf = (pod: KubeObject): number[] =>
  (pod.spec.containers[0].ports ?? []).map(({ hostPort }: any) => hostPort);

/** The rules in the plainest form: what the node holds already, plus this pod. */
function fits(pod: KubeObject, node: KubeObject, there: KubeObject[]): boolean {
  const { allocatable } = node.status;
  if (there.length + 1 > Number(allocatable.pods)) return false;
  if ([...there, pod].reduce((sum, other) => sum + cpuOf(other), 0) > parseInt(allocatable.cpu, 10)) return false;
  if (there.some((other) => portsOf(other).some((port) => portsOf(pod).includes(port)))) return false;
  const tolerated = (pod.spec.tolerations ?? []).map(({ key }: any) => key);
  if ((node.spec.taints ?? []).some(({ key }: any) => !tolerated.includes(key))) return false;
  const wanted: [string, string][] = Object.entries(pod.spec.nodeSelector ?? {});
  return wanted.every(([key, value]) => node.metadata.labels?.[key] === value);
}

describe("model", () => {
  it.each([1, 2, 3, 4])("never breaks a rule, and leaves no pod waiting that fits (seed %i)", async (seed) => {
    const random = seededRandom(seed);
    const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)]!;
    const randomNode = (name: string) =>
      makeNode(name, {
        allocatable: { cpu: `${pick([1000, 2000, 4000])}m`, memory: "16Gi", pods: pick(["3", "6", "110"]) },
        labels: { disk: pick(["ssd", "hdd"]) },
        ...(random() < 0.3 ? { taints: [{ key: pick(["red", "blue"]), effect: "NoSchedule" }] } : {}),
      });
    const randomPod = (name: string) =>
      makePod(name, {
        requests: { cpu: `${pick([0, 100, 250, 500, 900])}m` },
        priority: pick([0, 0, 10]),
        ...(random() < 0.2 ? { ports: [pick([80, 443])] } : {}),
        spec: {
          ...(random() < 0.3 ? { tolerations: [{ key: pick(["red", "blue"]), operator: "Exists" }] } : {}),
          ...(random() < 0.2 ? { nodeSelector: { disk: pick(["ssd", "hdd"]) } } : {}),
        },
      });
    const started = await startHarness([randomNode("n0"), randomNode("n1")], { maxBatchSize: 7, sliceSize: 5 }, seed);
    harness = started;

    // Each binding is judged when it arrives; some are refused.
    const broken: string[] = [];
    started.client.reactors.push(({ subresource, name, object }) => {
      if (subresource !== "binding") return;
      if (random() < 0.05) throw newServiceUnavailable("try later");
      const pod = started.pod(name!)!;
      const target: string = object!["target"].name;
      const node = started.client.all(nodes).find(({ metadata }) => metadata.name === target);
      const there = started.client.all(pods).filter(({ spec }) => spec.nodeName === target);
      if (node === undefined || !fits(pod, node, there)) broken.push(`${name} to ${target}`);
    });

    let created = 0;
    let nodeCount = 2;
    for (let step = 0; step < 60; step++) {
      const action = random();
      const existing = started.client.all(pods);
      if (action < 0.65)
        started.client.seed(Array.from({ length: 1 + Math.floor(random() * 5) }, () => randomPod(`p${created++}`)));
      else if (action < 0.75) started.client.seed([randomNode(`n${nodeCount++}`)]);
      else if (existing.length > 0) {
        await started.client.delete(pods, "default", pick(existing).metadata.name!, { gracePeriodSeconds: 0 });
      }
      if (random() < 0.5) await started.advance(Math.floor(random() * 1500));
    }
    await started.advance(30_000);
    expect(broken).toEqual([]);
    expect(started.scheduler.pending).toBe(0);

    const all = started.client.all(pods);
    const waiting = all.filter(({ spec }) => !spec.nodeName);
    const wrong = waiting.filter((pod) =>
      started.client.all(nodes).some((node) =>
        fits(
          pod,
          node,
          all.filter(({ spec }) => spec.nodeName === node.metadata.name),
        ),
      ),
    );
    expect(wrong.map(({ metadata }) => metadata.name)).toEqual([]);
    expect(all.length - waiting.length).toBeGreaterThan(10);
    for (const { status } of waiting)
      expect(status.conditions).toMatchObject([{ type: "PodScheduled", reason: "Unschedulable" }]);
    expect(started.scheduler.pendingPods().unschedulable).toBe(waiting.length);
  });
});
