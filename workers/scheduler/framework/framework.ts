import type { Clock } from "../../apimachinery/clock.ts";
import type { Nominator } from "../queue/nominator.ts";
import type { CycleState } from "./cycle-state.ts";
import type { Diagnosis, NodeToStatus } from "./diagnosis.ts";
import type { ClusterEventWithHint } from "./events.ts";
import type { Plugin, PostFilterResult } from "./interface.ts";
import { maxNodeScore } from "./interface.ts";
import type { NodeInfo } from "./node-info.ts";
import type { PodInfo } from "./pod-info.ts";
import type { QueuedPodInfo } from "./queued-pod-info.ts";
import type { MaybeStatus } from "./status.ts";
import { asStatus, isRejected, isSuccess, Status } from "./status.ts";
import { maxPermitTimeoutMilliseconds, WaitingPod, WaitingPods, waitStatus } from "./waiting-pods.ts";

type With<K extends keyof Plugin> = Plugin & Required<Pick<Plugin, K>>;

export interface WeightedPlugin {
  plugin: Plugin;
  /** Of Score; 1 when absent. */
  weight?: number;
}

export interface PreFilterRun {
  status: MaybeStatus;
  /** Undefined: all nodes. */
  nodeNames?: ReadonlySet<string>;
  /** Plugins that narrowed the nodes. */
  plugins: ReadonlySet<string>;
}

/** Scores of one node by plugin, already weighted. */
export interface NodeScores {
  total: number[];
  byPlugin: Map<string, number[]>;
}

/**
 * Runs the plugins of one profile at each extension point, in profile order.
 * Mirrors pkg/scheduler/framework/runtime/framework.go (1.36).
 */
export class Framework {
  readonly profileName: string;
  readonly waitingPods = new WaitingPods();
  readonly #clock: Clock;
  readonly #nominator: Nominator;
  readonly #all: readonly Plugin[];
  readonly #preEnqueue: readonly With<"preEnqueue">[];
  readonly #queueSort: With<"less">;
  readonly #preFilter: readonly With<"preFilter">[];
  readonly #extensions: readonly With<"addPod" | "removePod">[];
  readonly #filter: readonly With<"filter">[];
  readonly #postFilter: readonly With<"postFilter">[];
  readonly #preScore: readonly With<"preScore">[];
  readonly #score: readonly { plugin: With<"score">; weight: number }[];
  readonly #reserve: readonly With<"reserve" | "unreserve">[];
  readonly #permit: readonly With<"permit">[];
  readonly #preBind: readonly With<"preBind" | "preBindPreFlight">[];
  readonly #bind: readonly With<"bind">[];
  readonly #postBind: readonly With<"postBind">[];

  constructor(profileName: string, plugins: readonly WeightedPlugin[], clock: Clock, nominator: Nominator) {
    this.profileName = profileName;
    this.#clock = clock;
    this.#nominator = nominator;
    const all = plugins.map(({ plugin }) => plugin);
    const having = <K extends keyof Plugin>(method: K) =>
      all.filter((plugin): plugin is With<K> => plugin[method] !== undefined);
    this.#all = all;
    this.#preEnqueue = having("preEnqueue");
    const sorters = having("less");
    if (sorters.length !== 1) throw new Error(`profile ${profileName} needs exactly one queue sort plugin`);
    this.#queueSort = sorters[0]!;
    this.#preFilter = having("preFilter");
    this.#extensions = having("addPod") as With<"addPod" | "removePod">[];
    this.#filter = having("filter");
    this.#postFilter = having("postFilter");
    this.#preScore = having("preScore");
    this.#score = plugins
      .filter((entry): entry is { plugin: With<"score">; weight?: number } => entry.plugin.score !== undefined)
      .map(({ plugin, weight }) => ({ plugin, weight: weight ?? 1 }));
    this.#reserve = having("reserve") as With<"reserve" | "unreserve">[];
    this.#permit = having("permit");
    this.#preBind = having("preBind") as With<"preBind" | "preBindPreFlight">[];
    this.#bind = having("bind");
    this.#postBind = having("postBind");
  }

  get hasPostFilterPlugins(): boolean {
    return this.#postFilter.length > 0;
  }

  get hasScorePlugins(): boolean {
    return this.#score.length > 0;
  }

  /** Registered events by plugin; undefined for one that says nothing and is therefore retried on any. */
  eventRegistrations(): Map<string, ClusterEventWithHint[] | undefined> {
    return new Map(this.#all.map((plugin) => [plugin.name, plugin.eventsToRegister?.()]));
  }

  less(a: QueuedPodInfo, b: QueuedPodInfo): boolean {
    return this.#queueSort.less(a, b);
  }

  runPreEnqueue(pod: PodInfo): MaybeStatus {
    for (const plugin of this.#preEnqueue) {
      const status = plugin.preEnqueue(pod);
      if (!isSuccess(status)) return named(status, plugin);
    }
    return undefined;
  }

  runPreFilter(state: CycleState, pod: PodInfo, nodes: readonly NodeInfo[]): PreFilterRun {
    const plugins = new Set<string>();
    const skipped = new Set<string>();
    let nodeNames: ReadonlySet<string> | undefined;
    for (const plugin of this.#preFilter) {
      const outcome = plugin.preFilter(state, pod, nodes);
      if (outcome === undefined) continue;
      if (outcome.status?.code === "Skip") {
        skipped.add(plugin.name);
        continue;
      }
      if (!isSuccess(outcome.status)) {
        const status = named(outcome.status, plugin);
        return { status: isRejected(status) ? status : this.#failed("PreFilter", status), plugins };
      }
      if (outcome.nodeNames === undefined) continue;
      plugins.add(plugin.name);
      nodeNames = intersection(nodeNames, outcome.nodeNames);
      if (nodeNames.size > 0) continue;
      const message =
        plugins.size === 1
          ? `node(s) didn't satisfy plugin ${plugin.name}`
          : `node(s) didn't satisfy plugin(s) [${[...plugins].join(" ")}] simultaneously`;
      return { status: new Status("UnschedulableAndUnresolvable", [message], plugin.name), nodeNames, plugins };
    }
    state.skipFilterPlugins = skipped;
    return { status: undefined, plugins, ...(nodeNames === undefined ? {} : { nodeNames }) };
  }

  runPreFilterExtensionAddPod(state: CycleState, pod: PodInfo, added: PodInfo, node: NodeInfo): MaybeStatus {
    for (const plugin of this.#extensions) {
      if (state.skipFilterPlugins.has(plugin.name)) continue;
      const status = plugin.addPod(state, pod, added, node);
      if (!isSuccess(status)) return named(status, plugin);
    }
    return undefined;
  }

  runPreFilterExtensionRemovePod(state: CycleState, pod: PodInfo, removed: PodInfo, node: NodeInfo): MaybeStatus {
    for (const plugin of this.#extensions) {
      if (state.skipFilterPlugins.has(plugin.name)) continue;
      const status = plugin.removePod(state, pod, removed, node);
      if (!isSuccess(status)) return named(status, plugin);
    }
    return undefined;
  }

  runFilter(state: CycleState, pod: PodInfo, node: NodeInfo): MaybeStatus {
    const skipped = state.skipFilterPlugins;
    for (const plugin of this.#filter) {
      if (skipped.size > 0 && skipped.has(plugin.name)) continue;
      const status = plugin.filter(state, pod, node);
      if (!isSuccess(status))
        return isRejected(status) ? named(status, plugin) : this.#failed("Filter", named(status, plugin));
    }
    return undefined;
  }

  /**
   * Filters with the pods that were nominated to the node and are at least as important, and then without them, since
   * they may never arrive.
   */
  runFilterWithNominatedPods(state: CycleState, pod: PodInfo, node: NodeInfo): MaybeStatus {
    const nominated = this.#nominator
      .nominatedPodsForNode(node.name)
      .filter((other) => other.priority >= pod.priority && other.uid !== pod.uid);
    if (nominated.length > 0) {
      const stateWith = state.clone();
      const nodeWith = node.clone();
      for (const other of nominated) {
        nodeWith.addPod(other);
        const status = this.runPreFilterExtensionAddPod(stateWith, pod, other, nodeWith);
        if (!isSuccess(status)) return status;
      }
      const status = this.runFilter(stateWith, pod, nodeWith);
      if (!isSuccess(status)) return status;
    }
    return this.runFilter(state, pod, node);
  }

  runPostFilter(
    state: CycleState,
    pod: PodInfo,
    diagnosis: Diagnosis,
  ): { result: PostFilterResult | undefined; status: MaybeStatus } {
    const statuses: NodeToStatus = diagnosis.nodeToStatus;
    const reasons: string[] = [];
    let result: PostFilterResult | undefined;
    let rejector = "";
    for (const plugin of this.#postFilter) {
      const outcome = plugin.postFilter(state, pod, statuses);
      if (isSuccess(outcome.status)) return { result: outcome.result, status: outcome.status };
      named(outcome.status, plugin);
      if (outcome.status.code === "UnschedulableAndUnresolvable")
        return { result: outcome.result, status: outcome.status };
      if (!isRejected(outcome.status)) return { result: undefined, status: outcome.status };
      if (outcome.result !== undefined) result = outcome.result;
      reasons.push(...outcome.status.reasons);
      rejector ||= plugin.name;
    }
    return { result, status: new Status("Unschedulable", reasons, rejector) };
  }

  runPreScore(state: CycleState, pod: PodInfo, nodes: readonly NodeInfo[]): MaybeStatus {
    const skipped = new Set<string>();
    for (const plugin of this.#preScore) {
      const status = plugin.preScore(state, pod, nodes);
      if (isSuccess(status)) continue;
      if (status.code !== "Skip") return this.#failed("PreScore", named(status, plugin));
      skipped.add(plugin.name);
    }
    state.skipScorePlugins = skipped;
    return undefined;
  }

  /** Total of weighted, normalised scores; `total[i]` belongs to `nodes[i]`. Throws when a plugin leaves its range. */
  runScore(state: CycleState, pod: PodInfo, nodes: readonly NodeInfo[]): NodeScores {
    const total = new Array<number>(nodes.length).fill(0);
    const byPlugin = new Map<string, number[]>();
    for (const { plugin, weight } of this.#score) {
      if (state.skipScorePlugins.has(plugin.name)) continue;
      const scores = new Array<number>(nodes.length);
      for (let i = 0; i < nodes.length; i++) scores[i] = plugin.score(state, pod, nodes[i]!);
      plugin.normalizeScore?.(state, pod, nodes, scores);
      for (let i = 0; i < nodes.length; i++) {
        const score = scores[i]!;
        if (!(score >= 0 && score <= maxNodeScore)) {
          throw new Error(
            `plugin "${plugin.name}" returns an invalid score ${score}, it should in the range of [0, 100]`,
          );
        }
        scores[i] = score * weight;
        total[i] = total[i]! + scores[i]!;
      }
      byPlugin.set(plugin.name, scores);
    }
    return { total, byPlugin };
  }

  runReserve(state: CycleState, pod: PodInfo, nodeName: string): MaybeStatus {
    for (const plugin of this.#reserve) {
      const status = plugin.reserve(state, pod, nodeName);
      if (!isSuccess(status))
        return isRejected(status) ? named(status, plugin) : this.#failed("Reserve", named(status, plugin));
    }
    return undefined;
  }

  runUnreserve(state: CycleState, pod: PodInfo, nodeName: string): void {
    for (let i = this.#reserve.length - 1; i >= 0; i--) this.#reserve[i]!.unreserve(state, pod, nodeName);
  }

  /** Wait: the pod is in {@link waitingPods} until its plugins have decided. */
  runPermit(state: CycleState, pod: PodInfo, nodeName: string): MaybeStatus {
    const timeouts = new Map<string, number>();
    for (const plugin of this.#permit) {
      const { status, timeoutMilliseconds } = plugin.permit(state, pod, nodeName);
      if (isSuccess(status)) continue;
      if (status.code !== "Wait") {
        return isRejected(status) ? named(status, plugin) : this.#failed("Permit", named(status, plugin));
      }
      timeouts.set(
        plugin.name,
        Math.min(timeoutMilliseconds ?? maxPermitTimeoutMilliseconds, maxPermitTimeoutMilliseconds),
      );
    }
    if (timeouts.size === 0) return undefined;
    this.waitingPods.add(new WaitingPod(pod, this.#clock, timeouts));
    return waitStatus;
  }

  /** Undefined when the pod does not wait, so that the caller need not yield. */
  waitOnPermit(pod: PodInfo): Promise<MaybeStatus> | undefined {
    const waiting = this.waitingPods.get(pod.uid);
    if (waiting === undefined) return undefined;
    return waiting.decision.finally(() => this.waitingPods.remove(pod.uid));
  }

  needsPreBind(state: CycleState, pod: PodInfo, nodeName: string): boolean {
    return this.#preBind.some((plugin) => plugin.preBindPreFlight(state, pod, nodeName));
  }

  async runPreBind(state: CycleState, pod: PodInfo, nodeName: string): Promise<MaybeStatus> {
    for (const plugin of this.#preBind) {
      if (!plugin.preBindPreFlight(state, pod, nodeName)) continue;
      const status = await plugin.preBind(state, pod, nodeName);
      if (!isSuccess(status))
        return isRejected(status) ? named(status, plugin) : this.#failed("PreBind", named(status, plugin));
    }
    return undefined;
  }

  async runBind(state: CycleState, pod: PodInfo, nodeName: string): Promise<MaybeStatus> {
    for (const plugin of this.#bind) {
      const status = await plugin.bind(state, pod, nodeName);
      if (status?.code === "Skip") continue;
      if (!isSuccess(status))
        return isRejected(status) ? named(status, plugin) : this.#failed("Bind", named(status, plugin));
      return undefined;
    }
    return new Status("Skip");
  }

  runPostBind(state: CycleState, pod: PodInfo, nodeName: string): void {
    for (const plugin of this.#postBind) plugin.postBind(state, pod, nodeName);
  }

  /** The message of an internal failure names the point and the plugin. */
  #failed(point: string, status: Status): Status {
    return new Status(
      "Error",
      [`running ${point} plugin "${status.plugin}": ${status.message}`],
      status.plugin,
      status.error ?? asStatus(status.message).error,
    );
  }
}

function named(status: Status | undefined, plugin: Plugin): Status {
  if (status!.plugin === "") status!.plugin = plugin.name;
  return status!;
}

function intersection(a: ReadonlySet<string> | undefined, b: ReadonlySet<string>): ReadonlySet<string> {
  return a === undefined ? b : new Set([...a].filter((name) => b.has(name)));
}
