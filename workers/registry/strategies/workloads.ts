import type { Strategy } from "../strategy.ts";

/** Mirrors the strategies of pkg/registry/apps and pkg/registry/core/replicationcontroller (1.36). */
const workload: Strategy = { generation: "spec" };

export const deploymentStrategy: Strategy = { ...workload, statusKeeps: ["labels"] };

export const replicaSetStrategy: Strategy = workload;

export const statefulSetStrategy: Strategy = workload;

export const daemonSetStrategy: Strategy = workload;

export const replicationControllerStrategy: Strategy = { ...workload, orphansDependents: true };
