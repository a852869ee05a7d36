import { afterEach, describe, expect, it } from "vitest";
import type { FakeClient } from "../client/fake/fake-client.ts";
import { newConflict } from "../apimachinery/status-errors.ts";
import type { Framework } from "./framework/framework.ts";
import type { Plugin } from "./framework/interface.ts";
import { Status } from "./framework/status.ts";
import { defaultPlugins } from "./profile.ts";
import { makeNode, makePod } from "./testing/builders.ts";
import type { Harness } from "./testing/harness.ts";
import { nodes, pods, startHarness } from "./testing/harness.ts";

let harness: Harness | undefined;
afterEach(async () => {
  await harness?.stop();
  harness = undefined;
});

const noHelp = (n: number) =>
  `no new claims to deallocate, preemption: 0/${n} nodes are available: ${n} Preemption is not helpful for scheduling.`;

describe("newScheduler", () => {
  it("binds a pod and says so", async () => {
    harness = await startHarness([makeNode("node-1"), makePod("web", { requests: { cpu: "1" } })]);
    expect(harness.pod("web")?.spec.nodeName).toBe("node-1");
    expect(harness.events).toEqual([
      { about: "web", type: "Normal", reason: "Scheduled", message: "Successfully assigned default/web to node-1" },
    ]);
    expect(harness.scheduler.pending).toBe(0);
    expect(harness.scheduler.nextDue()).toBeUndefined();
    expect(harness.scheduler.explain("default", "web")).toMatchObject({ outcome: "Scheduled", nodeName: "node-1" });
  });

  it("gathers bindings while a request is in flight, at most maxBatchSize in one", async () => {
    const created = Array.from({ length: 25 }, (_, i) => makePod(`web-${i}`));
    harness = await startHarness([], { maxBatchSize: 10 });
    const sizes: number[] = [];
    const { batch } = harness.client;
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    harness.client.batch = async (operations) => {
      sizes.push(operations.length);
      if (sizes.length === 1) await held;
      return batch.call(harness!.client, operations);
    };
    harness.client.seed([makeNode("node-1"), ...created]);
    await harness.advance();
    expect(sizes).toHaveLength(1);
    expect(harness.scheduler.pending).toBe(25);
    release();
    await harness.advance();
    expect(created.every(({ metadata }) => harness!.pod(metadata.name!)?.spec.nodeName === "node-1")).toBe(true);
    expect(sizes.slice(1)).toEqual([10, 10, 5 - sizes[0]!]);
  });

  it("reports no nodes, and schedules as soon as there is one", async () => {
    harness = await startHarness([makePod("web")]);
    expect(harness.message("web")).toBe("no nodes available to schedule pods");
    expect(harness.events).toMatchObject([
      { reason: "FailedScheduling", message: "no nodes available to schedule pods" },
    ]);
    expect(harness.scheduler.pending).toBe(0);
    harness.client.seed([makeNode("node-1")]);
    await harness.advance();
    expect(harness.pod("web")?.spec.nodeName).toBe("node-1");
  });

  it("explains a failure as upstream does, patches it once and recovers through the right event", async () => {
    harness = await startHarness([
      makeNode("small", { allocatable: { cpu: "1", memory: "1Gi", pods: "110" } }),
      makeNode("tainted-1", { taints: [{ key: "a", value: "b", effect: "NoSchedule" }] }),
      makeNode("tainted-2", { taints: [{ key: "c", effect: "NoExecute" }] }),
      makePod("big", { requests: { cpu: "2" } }),
    ]);
    expect(harness.message("big")).toBe(
      `0/3 nodes are available: 1 Insufficient cpu, 2 node(s) had untolerated taint(s). ${noHelp(3)}`,
    );
    expect(harness.pod("big")?.status.conditions).toMatchObject([
      { type: "PodScheduled", status: "False", reason: "Unschedulable", observedGeneration: 1 },
    ]);
    const writes = () => harness!.client.writes.filter(({ verb }) => verb === "patch").length;
    expect(writes()).toBe(1);
    expect(harness.scheduler.pendingPods()).toEqual({ active: 0, backoff: 0, unschedulable: 1, gated: 0 });
    expect(harness.scheduler.nextDue()).toBe(harness.clock.now() - 100 + 100 + 5 * 60_000);

    // Nothing that matters to the pod: it is not tried again.
    const annotated = harness.client.all(nodes)[0]!;
    await harness.client.update(nodes, { ...annotated, metadata: { ...annotated.metadata, annotations: { x: "y" } } });
    await harness.advance();
    expect(harness.events).toHaveLength(1);

    const tainted = harness.client.all(nodes)[1]!;
    await harness.client.update(nodes, { ...tainted, spec: {} });
    await harness.advance();
    expect(harness.pod("big")?.spec.nodeName).toBe("tainted-1");
    expect(writes()).toBe(1);
  });

  it("tries again after five minutes, and patches only a changed message", async () => {
    harness = await startHarness([makeNode("node-1"), makePod("big", { requests: { cpu: "20" } })]);
    await harness.advance(5 * 60_000 - 1000);
    expect(harness.events).toHaveLength(1);
    await harness.advance(1000);
    expect(harness.events).toHaveLength(2);
    expect(harness.client.writes.filter(({ verb }) => verb === "patch")).toHaveLength(1);
  });

  it("tells a node that victims could free from one that they could not", async () => {
    harness = await startHarness([
      makeNode("full"),
      makeNode("tainted", { taints: [{ key: "a", effect: "NoSchedule" }] }),
      makePod("old", { requests: { cpu: "4" }, node: "full" }),
      makePod("new", { requests: { cpu: "1" } }),
      makePod("never", { requests: { cpu: "1" }, spec: { preemptionPolicy: "Never" } }),
    ]);
    expect(harness.message("new")).toBe(
      "0/2 nodes are available: 1 Insufficient cpu, 1 node(s) had untolerated taint(s). no new claims to deallocate, " +
        "preemption: 0/2 nodes are available: 1 No preemption victims found for incoming pod, " +
        "1 Preemption is not helpful for scheduling.",
    );
    expect(harness.message("never")).toMatch(
      / no new claims to deallocate, preemption: not eligible due to preemptionPolicy=Never\.$/,
    );
  });

  it("keeps a gated pod out until its gates are gone", async () => {
    const gated = makePod("gated", { spec: { schedulingGates: [{ name: "example.com/wait" }] } });
    harness = await startHarness([makeNode("node-1"), gated]);
    expect(harness.pod("gated")?.status.conditions).toMatchObject([
      { reason: "SchedulingGated", message: "Scheduling is blocked due to non-empty scheduling gates" },
    ]);
    expect(harness.scheduler.pending).toBe(0);
    const current = harness.pod("gated")!;
    await harness.client.update(pods, { ...current, spec: { ...current.spec, schedulingGates: [] } });
    await harness.advance();
    expect(harness.pod("gated")?.spec.nodeName).toBe("node-1");
  });

  it("gives back the room of a failed binding and tries again after a backoff", async () => {
    harness = await startHarness([]);
    let failures = 2;
    harness.client.reactors.push(({ subresource }) => {
      if (subresource === "binding" && failures-- > 0)
        throw newConflict({ group: "", resource: "pods" }, "web", "not now");
    });
    harness.client.seed([makeNode("node-1"), makePod("web", { requests: { cpu: "4" } })]);
    await harness.advance();
    expect(harness.pod("web")?.spec.nodeName).toBeUndefined();
    expect(harness.events.at(-1)).toMatchObject({ reason: "FailedScheduling" });
    expect(harness.events.at(-1)!.message).toContain(
      'running Bind plugin "DefaultBinder": Operation cannot be fulfilled',
    );
    expect(harness.pod("web")?.status.conditions).toMatchObject([{ reason: "SchedulerError" }]);
    expect(harness.scheduler.pending).toBe(1);
    await harness.advance(1000);
    expect(harness.pod("web")?.spec.nodeName).toBeUndefined();
    await harness.advance(1999);
    expect(harness.pod("web")?.spec.nodeName).toBeUndefined();
    await harness.advance(1);
    expect(harness.pod("web")?.spec.nodeName).toBe("node-1");
    expect(harness.scheduler.pending).toBe(0);
  });

  it("leaves alone other schedulers' pods and pods being deleted; terminal pods hold nothing", async () => {
    const leaving = makePod("leaving");
    leaving.metadata.deletionTimestamp = "2026-01-01T00:00:00Z";
    leaving.metadata.finalizers = ["example.com/hold"];
    harness = await startHarness([
      makeNode("node-1", { allocatable: { cpu: "1", memory: "1Gi", pods: "1" } }),
      makePod("done", { node: "node-1", requests: { cpu: "1" }, status: { phase: "Succeeded" } }),
      makePod("other", { spec: { schedulerName: "mine" } }),
      leaving,
      makePod("web", { requests: { cpu: "1" } }),
    ]);
    expect(harness.pod("web")?.spec.nodeName).toBe("node-1");
    expect(harness.pod("other")?.spec.nodeName).toBeUndefined();
    expect(harness.pod("leaving")?.spec.nodeName).toBeUndefined();
  });

  it("schedules the most important pod first", async () => {
    harness = await startHarness([
      makePod("low", { requests: { cpu: "4" } }),
      makePod("high", { requests: { cpu: "4" }, priority: 1000 }),
    ]);
    harness.client.seed([makeNode("node-1")]);
    await harness.advance();
    expect(harness.pod("high")?.spec.nodeName).toBe("node-1");
    expect(harness.pod("low")?.spec.nodeName).toBeUndefined();
  });

  it("uses the room that a deleted pod leaves", async () => {
    harness = await startHarness([
      makeNode("node-1"),
      makePod("old", { requests: { cpu: "4" }, node: "node-1" }),
      makePod("new", { requests: { cpu: "4" } }),
    ]);
    expect(harness.message("new")).toMatch(/^0\/1 nodes are available: 1 Insufficient cpu\./);
    await harness.client.delete(pods, "default", "old", { gracePeriodSeconds: 0 });
    await harness.advance();
    expect(harness.pod("new")?.spec.nodeName).toBe("node-1");
  });

  it.each([
    ["deleted", (client: FakeClient) => client.delete(pods, "default", "first", { gracePeriodSeconds: 0 })],
    [
      "finished",
      // As one change, so that the scheduler never sees the pod running on its node.
      async (client: FakeClient) => {
        const pod = client.all(pods).find(({ metadata }) => metadata.name === "first")!;
        client
          .storage(pods)
          .put({ ...structuredClone(pod), spec: { ...pod.spec, nodeName: "node-1" }, status: { phase: "Succeeded" } });
      },
    ],
  ])("takes back the room of a pod that is %s before it is seen on its node", async (_how, end) => {
    harness = await startHarness(
      [makeNode("node-1"), makePod("first", { requests: { cpu: "4" }, labels: { wait: "1" } })],
      {
        plugins: (handle) => [
          ...defaultPlugins(handle),
          {
            plugin: {
              name: "Hold",
              permit: (_state, pod) => ({ status: pod.labels["wait"] ? new Status("Wait") : undefined }),
            },
          },
        ],
      },
    );
    harness.client.seed([makePod("second", { requests: { cpu: "4" } })]);
    await harness.advance();
    expect(harness.message("second")).toMatch("1 Insufficient cpu");
    await end(harness.client);
    await harness.advance();
    expect(harness.pod("second")?.spec.nodeName).toBe("node-1");
  });

  it("runs reserve, permit, pre-bind and post-bind, and takes back what a late refusal leaves", async () => {
    const calls: string[] = [];
    let frameworkOf: (() => Framework) | undefined;
    const probe: Plugin = {
      name: "Probe",
      eventsToRegister: () => [],
      reserve: (_state, pod) => void calls.push(`reserve ${pod.name}`),
      unreserve: (_state, pod) => void calls.push(`unreserve ${pod.name}`),
      permit: (_state, pod) =>
        pod.labels["wait"] ? { status: new Status("Wait"), timeoutMilliseconds: 5000 } : { status: undefined },
      preBindPreFlight: (_state, pod) => pod.labels["volume"] !== undefined,
      preBind: async (_state, pod) => void calls.push(`preBind ${pod.name}`),
      postBind: (_state, pod) => void calls.push(`postBind ${pod.name}`),
    };
    harness = await startHarness(
      [
        makeNode("node-1", { allocatable: { cpu: "3", memory: "1Gi", pods: "9" } }),
        makePod("allowed", { requests: { cpu: "1" }, labels: { wait: "1", volume: "1" } }),
        makePod("refused", { requests: { cpu: "1" }, labels: { wait: "1" } }),
        makePod("late", { requests: { cpu: "1" }, labels: { wait: "1" } }),
      ],
      {
        plugins: (handle) => {
          frameworkOf = handle.framework;
          return [...defaultPlugins(handle), { plugin: probe }];
        },
      },
    );
    expect(harness.scheduler.pending).toBe(3);
    const waiting = (name: string) => frameworkOf!().waitingPods.get(harness!.pod(name)!.metadata.uid!)!;
    waiting("allowed").allow("Probe");
    waiting("refused").reject("Probe", "not you");
    await harness.advance();
    expect(harness.pod("allowed")?.spec.nodeName).toBe("node-1");
    expect(calls).toEqual([
      "reserve allowed",
      "reserve late",
      "reserve refused",
      "preBind allowed",
      "unreserve refused",
      "postBind allowed",
    ]);
    expect(harness.message("refused")).toBe("0/1 nodes are available: 1 not you.");
    await harness.advance(5000);
    expect(harness.message("late")).toBe(
      "0/1 nodes are available: 1 rejected due to timeout after waiting 5s at plugin Probe.",
    );
    expect(harness.scheduler.pending).toBe(0);
  });
});
