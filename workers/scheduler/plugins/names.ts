/** Names of the in-tree plugins. Mirrors pkg/scheduler/framework/plugins/names/names.go (1.36). */
export const names = {
  schedulingGates: "SchedulingGates",
  prioritySort: "PrioritySort",
  nodeUnschedulable: "NodeUnschedulable",
  nodeName: "NodeName",
  taintToleration: "TaintToleration",
  nodeAffinity: "NodeAffinity",
  nodePorts: "NodePorts",
  nodeResourcesFit: "NodeResourcesFit",
  nodeResourcesBalancedAllocation: "NodeResourcesBalancedAllocation",
  podTopologySpread: "PodTopologySpread",
  interPodAffinity: "InterPodAffinity",
  dynamicResources: "DynamicResources",
  defaultPreemption: "DefaultPreemption",
  imageLocality: "ImageLocality",
  defaultBinder: "DefaultBinder",
} as const;
