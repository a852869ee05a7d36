import { expect, it } from "vitest";
import { FakeClock } from "../../apimachinery/clock.ts";
import type { BatchOperation, BatchResult, Client } from "../../client/interfaces.ts";
import { TimerQueue } from "../timer-queue.ts";
import type { Pod, PodStatus } from "../types.ts";
import { StatusManager } from "./status-manager.ts";

/** A status manager over a server that answers as `answer` says. */
function setUp(answer: (operation: BatchOperation) => BatchResult) {
  const clock = new FakeClock();
  const operations: BatchOperation[] = [];
  const errors: unknown[] = [];
  const client = {
    batch: async (batch: BatchOperation[]) => {
      operations.push(...batch);
      return batch.map(answer);
    },
  } as unknown as Client;
  const onError = (error: unknown): void => void errors.push(error);
  const manager = new StatusManager({ client, timers: new TimerQueue(clock), windowMilliseconds: 50, onError });
  return { clock, manager, operations, errors };
}

function podOf(resourceVersion: string, status: object, metadata: object = {}): Pod {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "web", namespace: "default", uid: "1", generation: 1, resourceVersion, ...metadata },
    spec: { containers: [{ name: "main", image: "nginx" }] },
    status,
  };
}

const running = (): PodStatus => ({
  phase: "Running",
  conditions: [{ type: "Ready", status: "True" }],
  hostIP: "10.0.0.1",
});

it("sends a status once, whatever the server leaves out of it", async () => {
  let revision = 1;
  let stored: any = { phase: "Pending", conditions: [] };
  const { clock, manager, operations } = setUp((operation) => {
    // A server that does not know hostIP.
    const { hostIP: _unknown, ...status } = (operation.body as any).status;
    stored = { ...stored, ...status };
    return { code: 200, body: podOf(String(++revision), stored) };
  });
  const pod = podOf("1", stored);
  manager.setPodStatus(pod, running());
  manager.setPodStatus(pod, running());
  expect(manager.pending).toBe(1);
  await clock.advance(100);
  manager.reconcile(podOf("3", stored));
  manager.setPodStatus(podOf("3", stored), running());
  await clock.advance(10_000);
  expect(operations.length).toBe(1);

  // An object older than the answer says nothing; a newer one that differs was written by someone else.
  manager.reconcile(podOf("1", { phase: "Pending", conditions: [] }));
  await clock.advance(1000);
  expect(operations.length).toBe(1);
  manager.reconcile(podOf("7", { ...stored, phase: "Pending" }));
  await clock.advance(1000);
  expect(operations.length).toBe(2);
  expect((operations[1]!.body as any).status.phase).toBe("Running");
  expect(manager.pending).toBe(0);
});

it("deletes the object of a terminated pod only after its last status has arrived", async () => {
  let refusing = true;
  const { clock, manager, operations, errors } = setUp((operation) => {
    const body = podOf("2", { ...(operation.body as any).status });
    return refusing ? { code: 500, body } : { code: 200, body };
  });
  const pod = podOf("1", { phase: "Running", conditions: [] }, { deletionTimestamp: "2026-01-01T00:00:30Z" });
  manager.terminatePod(pod);
  await clock.advance(5000);
  expect(operations.map(({ method }) => method)).toEqual(["PATCH"]);
  expect(errors.length).toBe(1);
  refusing = false;
  await clock.advance(10_000);
  expect(operations.map(({ method }) => method)).toEqual(["PATCH", "PATCH", "DELETE"]);
  expect((operations[1]!.body as any).status.phase).toBe("Failed");
  expect(operations[2]).toMatchObject({
    path: "/api/v1/namespaces/default/pods/web",
    body: { gracePeriodSeconds: 0, preconditions: { uid: "1" } },
  });
  manager.reconcile(pod);
  await clock.advance(60_000);
  expect(operations.length).toBe(3);
  expect(manager.pending).toBe(0);
});

it("gives up on a pod that is gone", async () => {
  const { clock, manager, operations, errors } = setUp(() => ({ code: 404, body: { metadata: {} } }));
  manager.setPodStatus(podOf("1", {}), running());
  await clock.advance(60_000);
  expect(operations.length).toBe(1);
  expect(errors).toEqual([]);
  expect(manager.pending).toBe(0);
});

it("tries again when the server cannot be reached, with what is newest then", async () => {
  let failures = 2;
  const { clock, manager, operations, errors } = setUp((operation) => {
    if (failures-- > 0) throw new TypeError("network connection lost");
    return { code: 200, body: podOf("2", (operation.body as any).status) };
  });
  manager.setPodStatus(podOf("1", {}), { ...running(), phase: "Pending" });
  await clock.advance(500);
  manager.setPodStatus(podOf("1", {}), running());
  await clock.advance(5000);
  expect(operations.map(({ body }) => (body as any).status.phase)).toEqual(["Pending", "Running", "Running"]);
  expect(errors.length).toBe(2);
  expect(manager.pending).toBe(0);
});
