import { ControllerManagerHost } from "../durable-objects/controller-manager/controller-manager.ts";
import { NodePoolHost } from "../durable-objects/node-pool/node-pool.ts";
import { SchedulerHost } from "../durable-objects/scheduler/scheduler.ts";
import { realClock } from "./apimachinery/clock.ts";
import { checkAll } from "./apiserver/aggregator/aggregator.ts";
import { fetchBriefly } from "./apiserver/aggregator/aggregator-context.ts";
import { bootstrapCluster } from "./apiserver/cluster-bootstrap.ts";
import { buildHandlerChain } from "./apiserver/handler-chain.ts";
import { newLoopbackFactory } from "./apiserver/loopback.ts";
import type { Env } from "./env.ts";
import { poolNames } from "./kubelet/pool-names.ts";
import { newStorageFactory } from "./registry/storage-factory.ts";

export { ClusterDirectory } from "../durable-objects/cluster-directory/cluster-directory.ts";
export { ResourceShard } from "../durable-objects/resource-shard/resource-shard.ts";
export { WatchCache } from "../durable-objects/watch-cache/watch-cache.ts";

const chain = buildHandlerChain(bootstrapCluster);
const loopback = newLoopbackFactory(chain);

export class ControllerManager extends ControllerManagerHost {
  protected readonly loopback = loopback;
}

export class Scheduler extends SchedulerHost {
  protected readonly loopback = loopback;
}

export class NodePool extends NodePoolHost {
  protected readonly loopback = loopback;
}

export default {
  fetch(request, env, context) {
    return chain(request, {
      env,
      clock: realClock,
      random: Math.random,
      waitUntil: (promise) => context.waitUntil(promise),
    });
  },

  /** Every minute: the safety net of all loops. Waking one that runs costs a call; one with nothing to do sleeps again. */
  async scheduled(_controller, env, context) {
    const clusters = await env.CLUSTER_DIRECTORY.get(env.CLUSTER_DIRECTORY.idFromName("clusters")).activeClusters();
    for (const cluster of clusters) {
      const hosts = [
        env.CONTROLLER_MANAGER.get(env.CONTROLLER_MANAGER.idFromName(cluster)),
        env.SCHEDULER.get(env.SCHEDULER.idFromName(cluster)),
        ...poolNames(cluster, env).map((name) => env.NODE_POOL.get(env.NODE_POOL.idFromName(name))),
      ];
      // Servers that are slow to answer must not keep the next cluster waiting.
      const aggregator = {
        storage: newStorageFactory(env, cluster),
        clock: realClock,
        fetch: fetchBriefly,
        background: (work: () => Promise<void>) => void work(),
      };
      context.waitUntil(
        checkAll(aggregator).catch((error: unknown) => console.error(`aggregator of ${cluster}: ${String(error)}`)),
      );
      await Promise.all(hosts.map((host) => host.tick()));
    }
  },
} satisfies ExportedHandler<Env>;
