import type { WeightedPlugin } from "./framework/framework.ts";
import type { Handle } from "./framework/interface.ts";
import { BalancedAllocation } from "./plugins/balanced-allocation.ts";
import { DefaultBinder } from "./plugins/default-binder.ts";
import { DefaultPreemption } from "./plugins/default-preemption.ts";
import { DynamicResources } from "./plugins/dynamic-resources.ts";
import { ImageLocality } from "./plugins/image-locality.ts";
import { InterPodAffinity } from "./plugins/inter-pod-affinity.ts";
import { NodeAffinity } from "./plugins/node-affinity.ts";
import { NodeName } from "./plugins/node-name.ts";
import { NodePorts } from "./plugins/node-ports.ts";
import { NodeResourcesFit } from "./plugins/node-resources-fit.ts";
import { NodeUnschedulable } from "./plugins/node-unschedulable.ts";
import { PodTopologySpread } from "./plugins/pod-topology-spread.ts";
import { PrioritySort } from "./plugins/priority-sort.ts";
import { SchedulingGates } from "./plugins/scheduling-gates.ts";
import { TaintToleration } from "./plugins/taint-toleration.ts";

/** Plugins and score weights of the default profile, in order. Mirrors pkg/scheduler/apis/config/v1/default_plugins.go (1.36). */
export function defaultPlugins(handle: Handle): WeightedPlugin[] {
  return [
    { plugin: new SchedulingGates() },
    { plugin: new PrioritySort() },
    { plugin: new NodeUnschedulable() },
    { plugin: new NodeName() },
    { plugin: new TaintToleration(), weight: 3 },
    { plugin: new NodeAffinity(), weight: 2 },
    { plugin: new NodePorts() },
    { plugin: new NodeResourcesFit(), weight: 1 },
    { plugin: new PodTopologySpread(handle), weight: 2 },
    { plugin: new InterPodAffinity(handle), weight: 2 },
    { plugin: new DynamicResources() },
    { plugin: new DefaultPreemption(handle) },
    { plugin: new BalancedAllocation(), weight: 1 },
    { plugin: new ImageLocality(handle), weight: 1 },
    { plugin: new DefaultBinder(handle) },
  ];
}
