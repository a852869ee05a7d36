import { expect, it } from "vitest";
import type { KubeObject } from "../apimachinery/meta.ts";
import { newInternalError } from "../apimachinery/status-errors.ts";
import { brief, PoolFixture, podsResource } from "./testing/pool-fixture.ts";

/** mulberry32 */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
  };
}

const legalNext: Record<string, string[]> = {
  Pending: ["Pending", "Running", "Succeeded", "Failed"],
  Running: ["Running", "Succeeded", "Failed"],
  Succeeded: ["Succeeded"],
  Failed: ["Failed"],
};

const scripts = ["sleep infinity", "true", "exit 1", "sleep 1", "sleep 2; exit 4", "sleep 20", "nginx"];

function randomSpec(random: () => number): Record<string, unknown> {
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)]!;
  const container = (name: string): Record<string, unknown> => ({
    name,
    image: random() < 0.1 ? "does-not-exist" : pick(["nginx", "busybox", "redis:7"]),
    command: ["sh", "-c", pick(scripts)],
    ...(random() < 0.2 ? { readinessProbe: { initialDelaySeconds: 3 } } : {}),
    ...(random() < 0.1 ? { startupProbe: { initialDelaySeconds: 2 } } : {}),
  });
  const names = (prefix: string, most: number): string[] =>
    Array.from({ length: Math.floor(random() * (most + 1)) }, (_, index) => `${prefix}${index}`);
  return {
    nodeName: pick(["node-0", "node-1"]),
    restartPolicy: pick(["Always", "OnFailure", "Never"]),
    hostNetwork: random() < 0.1,
    initContainers: names("init", 2).map((name) => ({
      ...container(name),
      ...(random() < 0.4 ? { restartPolicy: "Always" } : {}),
    })),
    containers: [container("main"), ...names("more", 1).map(container)],
    ...(random() < 0.1 ? { activeDeadlineSeconds: 8 } : {}),
    terminationGracePeriodSeconds: pick([0, 1, 30]),
  };
}

/** What may never happen between two versions of one pod's status. */
function checkTransition(before: KubeObject, after: KubeObject): void {
  const where = `${after.metadata.name}: ${brief(before)} -> ${brief(after)}`;
  expect(legalNext[before.status.phase], where).toContain(after.status.phase);
  for (const list of ["initContainerStatuses", "containerStatuses"]) {
    for (const status of after.status[list] ?? []) {
      const old = before.status[list]?.find((candidate: { name: string }) => candidate.name === status.name);
      if (old === undefined) continue;
      expect(status.restartCount, where).toBeGreaterThanOrEqual(old.restartCount);
      expect(Object.keys(status.state).length, where).toBe(1);
      if (status.state.running !== undefined && old.state.terminated !== undefined) {
        expect(status.restartCount, where).toBeGreaterThan(old.restartCount);
        expect(before.metadata.deletionTimestamp, where).toBeUndefined();
      }
      if (status.state.running !== undefined && old.state.running !== undefined) {
        if (status.restartCount === old.restartCount) expect(status.containerID, where).toBe(old.containerID);
      }
      if (status.ready && list === "containerStatuses") expect(status.state.running, where).toBeDefined();
    }
  }
  if (before.status.podIP !== undefined) expect(after.status.podIP, where).toBe(before.status.podIP);
  if (before.status.startTime !== undefined) expect(after.status.startTime, where).toBe(before.status.startTime);
  for (const condition of after.status.conditions) {
    const old = before.status.conditions.find(({ type }: { type: string }) => type === condition.type);
    // States that collapse into one write may have gone there and back.
    if (old === undefined) continue;
    expect(Date.parse(condition.lastTransitionTime), where).toBeGreaterThanOrEqual(Date.parse(old.lastTransitionTime));
  }
}

function checkPods(pods: KubeObject[]): void {
  const holders = new Map<string, string>();
  for (const pod of pods) {
    const { podIP, hostIP, phase } = pod.status;
    if (podIP === undefined || podIP === hostIP || phase === "Succeeded" || phase === "Failed") continue;
    expect(holders.get(podIP), `${pod.metadata.name} has the address of`).toBeUndefined();
    holders.set(podIP, pod.metadata.name!);
    const ready = pod.status.conditions.find(({ type }: { type: string }) => type === "Ready")?.status;
    const allReady = pod.status.containerStatuses.every((status: { ready: boolean }) => status.ready);
    if (ready === "True") expect(allReady).toBe(true);
  }
}

/** Makes some of the requests fail: answered with an error, or not at all. */
function disturb(fixture: PoolFixture, random: () => number): () => void {
  let quiet = false;
  fixture.client.reactors.push((action) => {
    if (quiet || action.verb === "list" || action.verb === "watch") return;
    const chance = random();
    if (chance < 0.05) throw newInternalError("disturbed");
    if (chance < 0.08) throw new TypeError("network connection lost");
  });
  return () => {
    quiet = !quiet;
  };
}

it.each([1, 2, 3, 4, 5, 6, 7, 8])(
  "keeps the invariants of pod lifecycles, restarts of the host included (seed %i)",
  async (seed) => {
    const random = seeded(seed);
    const fixture = new PoolFixture();
    const disturbed = seed % 2 === 0;
    const toggle = disturbed ? disturb(fixture, random) : () => {};
    await fixture.start();
    const versions = new Map<string, KubeObject>();
    let made = 0;
    const observe = (): void => {
      const pods = fixture.client.all(podsResource).filter((pod) => pod.status.containerStatuses !== undefined);
      for (const pod of pods) {
        const before = versions.get(pod.metadata.uid!);
        if (before !== undefined && before !== pod) checkTransition(before, pod);
        versions.set(pod.metadata.uid!, pod);
      }
      checkPods(pods);
    };
    for (let step = 0; step < 60; step++) {
      const choice = random();
      const pods = fixture.client.all(podsResource);
      if (choice < 0.4) fixture.bind(`pod-${made++}`, randomSpec(random));
      else if (choice < 0.55 && pods.length > 0) {
        const { name } = pods[Math.floor(random() * pods.length)]!.metadata;
        toggle();
        await fixture.client.delete(podsResource, "default", name!, random() < 0.2 ? { gracePeriodSeconds: 0 } : {});
        toggle();
      } else if (choice < 0.65) {
        await fixture.stop();
        await fixture.elapse(random() * 20_000, 5000);
        await fixture.start();
      }
      const wait = random() < 0.8 ? 200 : 15_000;
      for (let passed = 0; passed < wait; passed += 100) {
        await fixture.elapse(100, 50);
        observe();
      }
    }
    toggle();
    // In the end what never ends is left, and the pool has nothing to do but wait.
    await fixture.elapse(700_000, 1000);
    observe();
    expect(fixture.pool.pending).toBe(0);
    for (const pod of fixture.client.all(podsResource)) {
      expect(pod.metadata.deletionTimestamp).toBeUndefined();
      if (pod.spec.activeDeadlineSeconds !== undefined) expect(["Succeeded", "Failed"]).toContain(pod.status.phase);
    }
    await fixture.stop();
    expect(fixture.clock.pending).toBe(0);
    expect(fixture.errors.length > 0).toBe(disturbed);
  },
);
