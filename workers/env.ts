import type { ResourceShardProtocol } from "./storage/shard/protocol.ts";
import type { WatchCacheProtocol } from "./storage/cacher/protocol.ts";

/** A Durable Object that runs loops and can be woken; every host of loops answers this. */
export interface LoopHostProtocol {
  /** Starts or resumes the loops of this cluster. Cheap when they already run. */
  wake(): Promise<void>;
  /** The cron safety net: resync, and run what is due. */
  tick(): Promise<void>;
}

/** The bindings of wrangler.toml. */
export interface Env {
  RESOURCE_SHARD: DurableObjectNamespace<ResourceShardProtocol & Rpc.DurableObjectBranded>;
  WATCH_CACHE: DurableObjectNamespace<WatchCacheProtocol & Rpc.DurableObjectBranded>;
  CONTROLLER_MANAGER: DurableObjectNamespace<LoopHostProtocol & Rpc.DurableObjectBranded>;
  SCHEDULER: DurableObjectNamespace<LoopHostProtocol & Rpc.DurableObjectBranded>;
  NODE_POOL: DurableObjectNamespace<LoopHostProtocol & Rpc.DurableObjectBranded>;
  CLUSTER_DIRECTORY: DurableObjectNamespace;
  /** Number of simulated nodes of a new cluster, in decimal. */
  EDGEPLANE_NODES: string;
  /** Key that all tokens derive from. */
  EDGEPLANE_TOKEN_KEY?: string;
  /** "Metadata" writes an audit event per request to the log. */
  EDGEPLANE_AUDIT?: string;
  /** Comma-separated origins that browsers may call from. */
  EDGEPLANE_CORS_ORIGINS?: string;
}
