import { FakeClock, formatTime } from "../../apimachinery/clock.ts";
import type { KubeObject } from "../../apimachinery/meta.ts";
import { newFakeClient } from "../../client/fake/fake-client.ts";
import type { FakeAction, FakeClient } from "../../client/fake/fake-client.ts";
import { settled } from "../../client/fake/settled.ts";
import type { ControllerContext } from "../../informers/controller-context.ts";
import { newInformerFactory } from "../../informers/informer-factory.ts";
import { kubeletInformers, newNodePool } from "../node-pool.ts";
import type { NodePool, NodePoolOptions } from "../node-pool.ts";
import type { PodCondition } from "../types.ts";

export const podsResource = kubeletInformers[0]!;
export const nodesResource = kubeletInformers[1]!;
export const leasesResource = { group: "coordination.k8s.io", version: "v1", resource: "leases" };

export interface RecordedEvent {
  about: string;
  type: string;
  reason: string;
  message: string;
  host: string | undefined;
  fieldPath: string | undefined;
}

/** A pool over a fake API server; several lives of the pool share one server and clock. */
export class PoolFixture {
  readonly clock: FakeClock;
  readonly client: FakeClient;
  /** About pods. */
  readonly events: RecordedEvent[] = [];
  readonly nodeEvents: RecordedEvent[] = [];
  readonly errors: unknown[] = [];
  pool!: NodePool;
  #stop: (() => Promise<void>) | undefined;

  constructor(clock = new FakeClock()) {
    this.clock = clock;
    this.client = newFakeClient(this.clock);
  }

  async start(options: Partial<NodePoolOptions> = {}): Promise<void> {
    const abort = new AbortController();
    const informers = newInformerFactory({ client: this.client, clock: this.clock, random: () => 0.5 });
    const context: ControllerContext = {
      client: this.client,
      informers,
      clock: this.clock,
      random: () => 0.5,
      recorder: () => ({
        event: (about, type, reason, message, source?: { host: string; fieldPath?: string }) =>
          (about["kind"] === "Node" ? this.nodeEvents : this.events).push({
            about: about.metadata.name ?? "",
            type,
            reason,
            message,
            host: source?.host,
            fieldPath: source?.fieldPath,
          }),
      }),
    };
    const onError = (error: unknown): void => void this.errors.push(error);
    this.pool = newNodePool(context, { nodes: { count: 2 }, hostStart: 0, onError, ...options });
    for (const gvr of kubeletInformers) informers.forResource(gvr);
    informers.start(abort.signal);
    await settled();
    const run = this.pool.run(abort.signal);
    await settled();
    this.#stop = async () => {
      abort.abort();
      await run;
      await informers.stop();
    };
  }

  async stop(): Promise<void> {
    await this.#stop?.();
    await settled();
  }

  /** Lets time pass in steps, running everything that each step makes ready. */
  async elapse(milliseconds: number, step = 10): Promise<void> {
    for (let passed = 0; passed < milliseconds; passed += step) {
      await this.clock.advance(Math.min(step, milliseconds - passed));
      await settled();
    }
  }

  /** Puts a pod in as the scheduler leaves it: bound. */
  bind(name: string, spec: Record<string, unknown> = {}, metadata: Record<string, unknown> = {}): void {
    this.client.seed([
      {
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name, namespace: "default", uid: `uid-${name}`, generation: 1, ...metadata },
        spec: { nodeName: "node-0", containers: [{ name: "main", image: "nginx" }], restartPolicy: "Always", ...spec },
        status: {
          phase: "Pending",
          qosClass: "BestEffort",
          conditions: [{ type: "PodScheduled", status: "True", lastTransitionTime: formatTime(this.clock.now()) }],
        },
      },
    ]);
  }

  pod(name: string): KubeObject | undefined {
    return this.client.all(podsResource).find((pod) => pod.metadata.name === name);
  }

  /** Writes that concern pods, oldest first. */
  podWrites(name?: string): FakeAction[] {
    return this.client.writes.filter(
      (action) => action.gvr.resource === "pods" && (name === undefined || action.name === name),
    );
  }

  condition(name: string, type: string): PodCondition | undefined {
    return this.pod(name)?.status?.conditions?.find((condition: PodCondition) => condition.type === type);
  }
}

/** Every state of a pod that stands at the end of a step, in order. */
export async function statesOf(fixture: PoolFixture, name: string, milliseconds: number, step = 10): Promise<string[]> {
  const states: string[] = [];
  for (let passed = 0; passed < milliseconds; passed += step) {
    await fixture.elapse(step);
    const state = brief(fixture.pod(name));
    if (states.at(-1) !== state) states.push(state);
  }
  return states;
}

/** A pod's status in short: "Running main=running". */
export function brief(pod: KubeObject | undefined): string {
  if (pod === undefined) return "gone";
  const statuses = [...(pod.status?.initContainerStatuses ?? []), ...(pod.status?.containerStatuses ?? [])];
  const containers = statuses.map((status) => {
    const { waiting, running, terminated } = status.state;
    const state =
      waiting !== undefined
        ? `waiting:${waiting.reason ?? ""}`
        : running !== undefined
          ? "running"
          : `terminated:${terminated?.exitCode}`;
    return `${status.name}=${state}${status.restartCount > 0 ? `/${status.restartCount}` : ""}`;
  });
  return [pod.status?.phase, ...containers].join(" ");
}
