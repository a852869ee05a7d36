import { FakeClock } from "../../apimachinery/clock.ts";
import type { KubeObject } from "../../apimachinery/meta.ts";
import { newFakeClient } from "../../client/fake/fake-client.ts";
import { Cache } from "../cache/cache.ts";
import { Snapshot } from "../cache/snapshot.ts";
import { ApiDispatcher } from "../dispatcher/api-dispatcher.ts";
import { CycleState } from "../framework/cycle-state.ts";
import { Framework } from "../framework/framework.ts";
import type { Handle } from "../framework/interface.ts";
import { PodInfo } from "../framework/pod-info.ts";
import { isSuccess } from "../framework/status.ts";
import { defaultPlugins } from "../profile.ts";
import { Nominator } from "../queue/nominator.ts";
import { seededRandom } from "./harness.ts";

export interface ClusterState {
  nodes: KubeObject[];
  pods?: KubeObject[];
  namespaces?: Record<string, Record<string, string>>;
  services?: KubeObject[];
  controllers?: KubeObject[];
}

/** The default profile over a fixed cluster: what one pod meets in each plugin. */
export class Fixture {
  readonly cache: Cache;
  readonly snapshot = new Snapshot();
  readonly framework: Framework;
  readonly nominator = new Nominator();

  constructor({ nodes, pods = [], namespaces = {}, services = [], controllers = [] }: ClusterState) {
    const clock = new FakeClock();
    this.cache = new Cache(clock);
    for (const node of nodes) this.cache.addOrUpdateNode(node);
    for (const pod of pods) this.cache.addPod(new PodInfo(pod));
    this.cache.updateSnapshot(this.snapshot);
    const handle: Handle = {
      snapshot: this.snapshot,
      clock,
      random: seededRandom(1),
      dispatcher: new ApiDispatcher(newFakeClient(clock)),
      nominator: this.nominator,
      namespaceLabels: (name) => namespaces[name],
      namespacesRevision: () => "",
      defaultSelectors: {
        services: () => services,
        controller: (kind, _namespace, name) =>
          controllers.find((object) => object.kind === kind && object.metadata.name === name),
      },
      framework: () => this.framework,
    };
    this.framework = new Framework("default-scheduler", defaultPlugins(handle), clock, this.nominator);
  }

  /** For each node "" if the pod fits, else the reasons; a PreFilter rejection counts for every node. */
  filter(pod: KubeObject): Record<string, string> {
    return this.#filter(pod).reasons;
  }

  /** Scores of one plugin by node, over the nodes that fit, divided by the weight; undefined if the plugin skips. */
  score(pod: KubeObject, plugin: string, weight = 1): Record<string, number> | undefined {
    const info = new PodInfo(pod);
    const { reasons, state } = this.#filter(pod);
    const fitting = this.snapshot.nodeInfoList.filter(({ name }) => reasons[name] === "");
    this.framework.runPreScore(state, info, fitting);
    const scores = this.framework.runScore(state, info, fitting).byPlugin.get(plugin);
    return scores && Object.fromEntries(fitting.map(({ name }, i) => [name, scores[i]! / weight]));
  }

  #filter(pod: KubeObject): { reasons: Record<string, string>; state: CycleState } {
    const info = new PodInfo(pod);
    const state = new CycleState();
    const { status, nodeNames } = this.framework.runPreFilter(state, info, this.snapshot.nodeInfoList);
    const reasons: Record<string, string> = {};
    for (const node of this.snapshot.nodeInfoList) {
      if (!isSuccess(status)) reasons[node.name] = status.message;
      else if (nodeNames !== undefined && !nodeNames.has(node.name)) reasons[node.name] = "excluded";
      else {
        const outcome = this.framework.runFilterWithNominatedPods(state, info, node);
        reasons[node.name] = isSuccess(outcome) ? "" : outcome.message;
      }
    }
    return { reasons, state };
  }
}
