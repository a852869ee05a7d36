import { expect, it } from "vitest";
import type { ContainerState, ContainerStatus, Pod, PodPhase } from "../types.ts";
import { getPhase } from "./phase.ts";

const running: ContainerState = { running: {} };
const waiting: ContainerState = { waiting: {} };
const exited = (exitCode: number): ContainerState => ({ terminated: { exitCode } });

interface Case {
  policy?: string;
  /** State, or state and last state. */
  main: ContainerState | [ContainerState, ContainerState];
  init?: ContainerState;
  sidecar?: ContainerState;
  terminal?: boolean;
  phase: PodPhase;
}

const cases: Case[] = [
  { main: waiting, phase: "Pending" },
  { main: running, phase: "Running" },
  { main: running, init: running, phase: "Pending" },
  { main: waiting, init: exited(1), phase: "Pending" },
  { main: waiting, init: exited(1), policy: "Never", phase: "Failed" },
  { main: exited(0), phase: "Running" },
  { main: [waiting, exited(1)], phase: "Running" },
  { main: exited(0), policy: "OnFailure", phase: "Succeeded" },
  { main: exited(1), policy: "OnFailure", phase: "Running" },
  { main: exited(1), policy: "Never", phase: "Failed" },
  { main: exited(0), policy: "Never", sidecar: running, phase: "Running" },
  { main: exited(0), policy: "Never", sidecar: exited(143), phase: "Succeeded" },
  { main: waiting, sidecar: running, phase: "Pending" },
  // No container will be started again, whatever the policy says.
  { main: exited(0), terminal: true, phase: "Succeeded" },
  { main: exited(143), terminal: true, phase: "Failed" },
];

it.each(cases)("%j", ({ policy = "Always", main, init, sidecar, terminal = false, phase }) => {
  const statuses: ContainerStatus[] = [];
  const add = (name: string, state: ContainerState, lastState: ContainerState = {}): void => {
    statuses.push({ name, state, lastState, ready: false, started: true, restartCount: 0, image: "", imageID: "" });
  };
  const initContainers: object[] = [];
  if (init !== undefined) initContainers.push({ name: "init" });
  if (sidecar !== undefined) initContainers.push({ name: "sidecar", restartPolicy: "Always" });
  if (init !== undefined) add("init", init);
  if (sidecar !== undefined) add("sidecar", sidecar);
  if (Array.isArray(main)) add("main", ...main);
  else add("main", main);
  const pod: Pod = { metadata: {}, spec: { restartPolicy: policy, initContainers, containers: [{ name: "main" }] } };
  expect(getPhase(pod, statuses, terminal, main !== waiting)).toBe(phase);
});
