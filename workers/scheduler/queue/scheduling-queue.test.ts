import { describe, expect, it } from "vitest";
import { FakeClock } from "../../apimachinery/clock.ts";
import type { ClusterEventWithHint } from "../framework/events.ts";
import { Action } from "../framework/events.ts";
import { PodInfo } from "../framework/pod-info.ts";
import { unresolvable } from "../framework/status.ts";
import { PrioritySort } from "../plugins/priority-sort.ts";
import { makePod } from "../testing/builders.ts";
import { seededRandom } from "../testing/harness.ts";
import { Heap } from "./heap.ts";
import { QueueingHints } from "./hints.ts";
import { Nominator } from "./nominator.ts";
import { SchedulingQueue } from "./scheduling-queue.ts";

function newQueue(clock = new FakeClock()) {
  const sort = new PrioritySort();
  const hints = new QueueingHints(
    new Map<string, ClusterEventWithHint[] | undefined>([
      ["Fit", [{ event: { resource: "AssignedPod", action: Action.Delete } }]],
      [
        "Picky",
        [
          {
            event: { resource: "Node", action: Action.Add },
            hint: (_pod, _before, node) => node?.metadata.name === "good",
          },
        ],
      ],
      ["Own", [{ event: { resource: "UnscheduledPod", action: Action.UpdatePodToleration } }]],
      ["Eager", undefined],
    ]),
  );
  const queue = new SchedulingQueue(clock, {
    less: (a, b) => sort.less(a, b),
    preEnqueue: (pod) => (pod.labels["gated"] ? unresolvable("Gate", "waiting") : undefined),
    hints,
    nominator: new Nominator(),
  });
  return { queue, clock };
}

const info = (name: string, options = {}) => new PodInfo(makePod(name, options));
const deletion = { resource: "AssignedPod", action: Action.Delete } as const;
const none: ReadonlySet<string> = new Set();

describe("SchedulingQueue", () => {
  it("orders by priority, then by arrival", () => {
    const { queue } = newQueue();
    for (const [name, priority] of [
      ["a", 1],
      ["b", 5],
      ["c", 1],
      ["d", 5],
    ] as const)
      queue.add(info(name, { priority }));
    expect(Array.from({ length: 4 }, () => queue.pop()!.podInfo.name)).toEqual(["b", "d", "a", "c"]);
    expect(queue.pop()).toBeUndefined();
  });

  it("doubles the backoff after errors from 1 s to 10 s", async () => {
    const { queue, clock } = newQueue();
    queue.add(info("a"));
    const waits: number[] = [];
    for (let i = 0; i < 6; i++) {
      queue.addAfterError(queue.pop()!);
      expect(queue.ready).toBe(false);
      const due = queue.nextDue()!;
      waits.push(due - clock.now());
      await clock.advance(due - clock.now() - 1);
      queue.flush();
      expect(queue.pop()).toBeUndefined();
      await clock.advance(1);
      queue.flush();
    }
    expect(waits).toEqual([1000, 2000, 4000, 8000, 10_000, 10_000]);
  });

  it("hands out a pod in backoff after a rejection early, when nothing else is active", () => {
    const { queue } = newQueue();
    queue.add(info("a"));
    queue.addUnschedulable(queue.pop()!, new Set(["Fit"]), none);
    queue.moveAllToActiveOrBackoffQueue(deletion, makePod("gone"), undefined);
    expect(queue.backoffSize).toBe(1);
    queue.add(info("b"));
    expect(queue.pop()!.podInfo.name).toBe("b");
    expect(queue.pop()!.podInfo.name).toBe("a");
  });

  it("moves only pods that a rejecting plugin's hint lets go", () => {
    const { queue } = newQueue();
    for (const name of ["fit", "picky", "both", "eager"]) queue.add(info(name));
    const rejectors: Record<string, string[]> = {
      fit: ["Fit"],
      picky: ["Picky"],
      both: ["Fit", "Picky"],
      eager: ["Eager"],
    };
    for (let queued = queue.pop(); queued !== undefined; queued = queue.pop()) {
      queue.addUnschedulable(queued, new Set(rejectors[queued.podInfo.name]), none);
    }
    const popAll = () => {
      const found: string[] = [];
      for (let queued = queue.pop(); queued !== undefined; queued = queue.pop()) {
        found.push(queued.podInfo.name);
        queue.addUnschedulable(queued, new Set(rejectors[queued.podInfo.name]), none);
      }
      return found.sort();
    };
    const added = { resource: "Node", action: Action.Add } as const;
    queue.moveAllToActiveOrBackoffQueue(added, undefined, { metadata: { name: "bad" } });
    expect(popAll()).toEqual(["eager"]);
    queue.moveAllToActiveOrBackoffQueue(added, undefined, { metadata: { name: "good" } });
    expect(popAll()).toEqual(["both", "eager", "picky"]);
    queue.moveAllToActiveOrBackoffQueue(deletion, makePod("gone"), undefined);
    expect(popAll()).toEqual(["both", "eager", "fit"]);
    expect(queue.unschedulableSize).toBe(4);
  });

  it("a pending plugin's event skips the backoff", () => {
    const { queue } = newQueue();
    queue.add(info("a"));
    queue.addUnschedulable(queue.pop()!, none, new Set(["Fit"]));
    queue.moveAllToActiveOrBackoffQueue(deletion, makePod("gone"), undefined);
    expect([queue.activeSize, queue.backoffSize]).toEqual([1, 0]);
  });

  it("moves a pod that nothing has moved for five minutes", async () => {
    const { queue, clock } = newQueue();
    queue.add(info("a"));
    queue.addUnschedulable(queue.pop()!, new Set(["Fit"]), none);
    expect(queue.nextDue()).toBe(clock.now() + 5 * 60_000);
    await clock.advance(5 * 60_000 - 1);
    queue.flush();
    expect(queue.ready).toBe(false);
    await clock.advance(1);
    queue.flush();
    expect(queue.activeSize).toBe(1);
    expect(queue.nextDue()).toBeUndefined();
  });

  it("an unschedulable pod moves by its own change only if that matters to the rejecting plugin", () => {
    const { queue } = newQueue();
    const pod = info("a");
    queue.add(pod);
    queue.addUnschedulable(queue.pop()!, new Set(["Own"]), none);
    queue.update(pod.pod, pod, [{ resource: "UnscheduledPod", action: Action.UpdatePodLabel }]);
    expect(queue.ready).toBe(false);
    queue.update(pod.pod, pod, [{ resource: "UnscheduledPod", action: Action.UpdatePodToleration }]);
    expect(queue.ready).toBe(true);
  });

  it("holds gated pods until PreEnqueue lets them in; they are due never", () => {
    const { queue } = newQueue();
    const gated = info("a", { labels: { gated: "yes" } });
    queue.add(gated);
    expect([queue.gatedSize, queue.ready, queue.nextDue()]).toEqual([1, false, undefined]);
    queue.update(gated.pod, info("a"), []);
    expect([queue.gatedSize, queue.activeSize]).toEqual([0, 1]);
  });

  it("forgets a deleted pod wherever it waits", () => {
    const { queue } = newQueue();
    for (const name of ["active", "unschedulable", "backoff"]) queue.add(info(name, { priority: name.length }));
    queue.addUnschedulable(queue.pop()!, new Set(["Fit"]), none);
    queue.addAfterError(queue.pop()!);
    queue.add(info("gated", { labels: { gated: "yes" } }));
    for (const name of ["active", "unschedulable", "backoff", "gated"]) queue.delete(`uid-default-${name}`);
    queue.moveAllToActiveOrBackoffQueue(deletion, makePod("gone"), undefined);
    expect([queue.activeSize, queue.backoffSize, queue.unschedulableSize, queue.gatedSize]).toEqual([0, 0, 0, 0]);
  });
});

describe("Heap", () => {
  it("agrees with sorting under random additions, updates and deletions", () => {
    const random = seededRandom(7);
    const heap = new Heap<{ key: string; value: number }>(
      ({ key }) => key,
      (a, b) => a.value < b.value,
    );
    const model = new Map<string, number>();
    for (let step = 0; step < 5000; step++) {
      const key = `k${Math.floor(random() * 50)}`;
      if (random() < 0.6) {
        const value = Math.floor(random() * 1000);
        heap.addOrUpdate({ key, value });
        model.set(key, value);
      } else if (random() < 0.5) {
        expect(heap.delete(key)?.value).toBe(model.get(key));
        model.delete(key);
      } else {
        const popped = heap.pop();
        expect(popped?.value).toBe(model.size === 0 ? undefined : Math.min(...model.values()));
        if (popped !== undefined) model.delete(popped.key);
      }
      expect(heap.size).toBe(model.size);
    }
  });
});
