import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../apimachinery/meta.ts";
import { printerFor } from "./printers.ts";

const now = Date.parse("2026-06-01T12:00:00Z");
const ago = (seconds: number) => new Date(now - seconds * 1000).toISOString().replace(".000Z", "Z");

const pods = printerFor("", "pods");

interface PodParts {
  metadata?: object;
  spec?: object;
  status?: object;
}

function pod({ metadata = {}, spec = {}, status = {} }: PodParts): KubeObject {
  return {
    metadata: { name: "web", creationTimestamp: ago(300), ...metadata },
    spec: { containers: [{ name: "a" }, { name: "b" }], ...spec },
    status: { phase: "Running", ...status },
  };
}

/** Ready, Status, Restarts. */
const summary = (parts: PodParts) => pods.cells(pod(parts), now).slice(1, 4);

const running = { ready: true, restartCount: 0, state: { running: {} } };
const waiting = (reason: string) => ({ restartCount: 0, state: { waiting: { reason } } });
const terminated = (exitCode: number, reason?: string, more?: object) => ({
  restartCount: 0,
  state: { terminated: { exitCode, ...(reason ? { reason } : {}), ...more } },
});
const condition = (type: string, status: string, reason?: string) => ({ type, status, reason });
const init = (...names: string[]) => names.map((name) => ({ name }));
const sidecar = (name: string) => ({ name, restartPolicy: "Always" });

describe("phase and reason", () => {
  test.each<[string, PodParts, string[]]>([
    ["phase alone", { status: { phase: "Pending" } }, ["0/2", "Pending", "0"]],
    ["status.reason before the phase", { status: { phase: "Failed", reason: "Evicted" } }, ["0/2", "Evicted", "0"]],
    [
      "scheduling gates",
      { status: { phase: "Pending", conditions: [condition("PodScheduled", "False", "SchedulingGated")] } },
      ["0/2", "SchedulingGated", "0"],
    ],
    [
      "unschedulable stays Pending",
      { status: { phase: "Pending", conditions: [condition("PodScheduled", "False", "Unschedulable")] } },
      ["0/2", "Pending", "0"],
    ],
    ["all running", { status: { containerStatuses: [running, running] } }, ["2/2", "Running", "0"]],
    [
      "running but not ready",
      { status: { containerStatuses: [running, { ...running, ready: false }] } },
      ["1/2", "Running", "0"],
    ],
    [
      "a waiting container",
      { status: { containerStatuses: [running, waiting("CrashLoopBackOff")] } },
      ["1/2", "CrashLoopBackOff", "0"],
    ],
    [
      "the first container prevails",
      { status: { containerStatuses: [waiting("ImagePullBackOff"), waiting("ContainerCreating")] } },
      ["0/2", "ImagePullBackOff", "0"],
    ],
    [
      "completed",
      { status: { phase: "Succeeded", containerStatuses: [terminated(0, "Completed"), terminated(0, "Completed")] } },
      ["0/2", "Completed", "0"],
    ],
    [
      "one completed, the pod ready",
      {
        status: {
          containerStatuses: [terminated(0, "Completed"), running],
          conditions: [condition("Ready", "True")],
        },
      },
      ["1/2", "Running", "0"],
    ],
    [
      "one completed, the pod not ready",
      {
        status: {
          containerStatuses: [terminated(0, "Completed"), running],
          conditions: [condition("Ready", "False")],
        },
      },
      ["1/2", "NotReady", "0"],
    ],
    [
      "one completed, another failed",
      { status: { phase: "Failed", containerStatuses: [terminated(0, "Completed"), terminated(1, "Error")] } },
      ["0/2", "Error", "0"],
    ],
    ["a signal", { status: { containerStatuses: [terminated(0, "", { signal: 9 })] } }, ["0/2", "Signal:9", "0"]],
    ["an exit code", { status: { containerStatuses: [terminated(3)] } }, ["0/2", "ExitCode:3", "0"]],
    [
      "being deleted",
      { metadata: { deletionTimestamp: ago(5) }, status: { containerStatuses: [running, running] } },
      ["2/2", "Terminating", "0"],
    ],
    [
      "deleted after it ended",
      {
        metadata: { deletionTimestamp: ago(5) },
        status: { phase: "Succeeded", containerStatuses: [terminated(0, "Completed")] },
      },
      ["0/2", "Completed", "0"],
    ],
    [
      "deleted with its node lost",
      { metadata: { deletionTimestamp: ago(5) }, status: { reason: "NodeLost", containerStatuses: [running] } },
      ["1/2", "Unknown", "0"],
    ],
  ])("%s", (_case, parts, expected) => {
    expect(summary(parts)).toEqual(expected);
  });
});

describe("init containers", () => {
  const initializing = (initContainers: object[], initContainerStatuses: object[], more: object = {}): PodParts => ({
    spec: { initContainers },
    status: { phase: "Pending", initContainerStatuses, ...more },
  });

  test.each<[string, PodParts, string[]]>([
    [
      "the second of three runs",
      initializing(init("x", "y", "z"), [terminated(0, "Completed"), running, waiting("PodInitializing")]),
      ["0/2", "Init:1/3", "0"],
    ],
    [
      "one failed",
      initializing(init("x", "y"), [terminated(1, "Error"), waiting("PodInitializing")]),
      ["0/2", "Init:Error", "0"],
    ],
    ["failed by exit code", initializing(init("x"), [terminated(7)]), ["0/2", "Init:ExitCode:7", "0"]],
    ["failed by signal", initializing(init("x"), [terminated(1, "", { signal: 15 })]), ["0/2", "Init:Signal:15", "0"]],
    [
      "one in a crash loop, with its restarts",
      initializing(init("x"), [{ ...waiting("CrashLoopBackOff"), restartCount: 4 }]),
      ["0/2", "Init:CrashLoopBackOff", "4"],
    ],
    [
      "restarts of init containers do not count once all are done",
      initializing(init("x"), [{ ...terminated(0, "Completed"), restartCount: 4 }], {
        containerStatuses: [waiting("PodInitializing"), waiting("PodInitializing")],
      }),
      ["0/2", "PodInitializing", "0"],
    ],
    [
      "a sidecar that has not started",
      initializing([sidecar("s")], [{ name: "s", ...running, ready: false, started: false }]),
      ["0/3", "Init:0/1", "0"],
    ],
    [
      "a started sidecar counts as ready, the next init container runs",
      initializing([sidecar("s"), ...init("x")], [{ name: "s", ...running, started: true }, running]),
      ["1/3", "Init:1/2", "0"],
    ],
    [
      "restarts of sidecars count",
      {
        spec: { initContainers: [sidecar("s")] },
        status: {
          initContainerStatuses: [{ name: "s", ...running, started: true, restartCount: 2 }],
          containerStatuses: [{ ...running, restartCount: 1 }, running],
        },
      },
      ["3/3", "Running", "3"],
    ],
    [
      "a restarting sidecar of an initialized pod does not hide the containers",
      {
        spec: { initContainers: [sidecar("s")] },
        status: {
          initContainerStatuses: [{ name: "s", ...waiting("CrashLoopBackOff"), started: false }],
          containerStatuses: [running, waiting("ErrImagePull")],
          conditions: [condition("Initialized", "True")],
        },
      },
      ["1/3", "ErrImagePull", "0"],
    ],
  ])("%s", (_case, parts, expected) => {
    expect(summary(parts)).toEqual(expected);
  });
});

test("restarts name the latest end of a run", () => {
  const restarted = (restartCount: number, seconds: number) => ({
    ...running,
    restartCount,
    lastState: { terminated: { exitCode: 1, finishedAt: ago(seconds) } },
  });
  expect(summary({ status: { containerStatuses: [restarted(1, 3600), restarted(2, 150)] } })).toEqual([
    "2/2",
    "Running",
    "3 (2m30s ago)",
  ]);
});

test("wide cells", () => {
  expect(pods.cells(pod({}), now).slice(4)).toEqual(["5m", "<none>", "<none>", "<none>", "<none>"]);
  const scheduled = pod({
    spec: { nodeName: "n1", readinessGates: [{ conditionType: "x" }, { conditionType: "y" }] },
    status: {
      podIP: "10.0.0.1",
      podIPs: [{ ip: "10.0.0.1" }, { ip: "fd00::1" }],
      nominatedNodeName: "n2",
      conditions: [condition("x", "True"), condition("y", "False")],
    },
  });
  expect(pods.cells(scheduled, now).slice(4)).toEqual(["5m", "10.0.0.1", "n1", "n2", "1/2"]);
});

test("rows of ended pods are completed", () => {
  expect(pods.conditions!(pod({ status: { phase: "Succeeded" } }))![0]!.reason).toBe("Succeeded");
  expect(pods.conditions!(pod({ status: { phase: "Failed" } }))![0]!.reason).toBe("Failed");
  expect(pods.conditions!(pod({}))).toBeUndefined();
});
