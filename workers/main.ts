export { ResourceShard } from "../durable-objects/resource-shard/resource-shard.ts";
export { WatchCache } from "../durable-objects/watch-cache/watch-cache.ts";
export { ControllerManager } from "../durable-objects/controller-manager/controller-manager.ts";
export { Scheduler } from "../durable-objects/scheduler/scheduler.ts";
export { NodePool } from "../durable-objects/node-pool/node-pool.ts";
export { ClusterDirectory } from "../durable-objects/cluster-directory/cluster-directory.ts";

export default {
  fetch(): Response {
    return new Response("not built yet\n", { status: 501 });
  },
};
