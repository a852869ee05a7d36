/** Kubelets that one pool runs. */
export const nodesPerPool = 250;

/** The node pools of a cluster, `<cluster>/<index>`, for the number of nodes that the deployment gives each. */
export function poolNames(cluster: string, env: { EDGEPLANE_NODES: string }): string[] {
  const nodes = Number(env.EDGEPLANE_NODES) || 0;
  return Array.from({ length: Math.ceil(nodes / nodesPerPool) }, (_, index) => `${cluster}/${index}`);
}
