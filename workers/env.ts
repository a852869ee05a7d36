import type { GroupVersionResource } from "./apimachinery/gvk.ts";
import type { ResourceShardProtocol } from "./storage/shard/protocol.ts";
import type { WatchCacheProtocol } from "./storage/cacher/protocol.ts";

/** A Durable Object that runs loops and can be woken; every host of loops answers this. */
export interface LoopHostProtocol {
  /** Starts or resumes the loops of this cluster, and keeps them awake for at least so long. Cheap when they already run. */
  wake(keepMilliseconds?: number): Promise<void>;
  /** Answers when the object can be reached; starts nothing. */
  healthz(): Promise<"ok">;
  /** The cron safety net: resync, and run what is due. */
  tick(): Promise<void>;
}

export interface ControllerManagerProtocol extends LoopHostProtocol {
  /** The cluster's directory knows a new resource type. */
  resourcesChanged(): Promise<void>;
}

/** Which clusters there are, and which resource types each has. */
export interface ClusterDirectoryProtocol {
  addCluster(name: string): Promise<void>;
  clusters(): Promise<string[]>;
  /** A cluster whose loops sleep is passed over by the cron tick. */
  setActive(name: string, active: boolean): Promise<void>;
  activeClusters(): Promise<string[]>;
  addResource(gvr: GroupVersionResource): Promise<void>;
  resources(): Promise<GroupVersionResource[]>;
}

/** The bindings of wrangler.toml. */
export interface Env {
  RESOURCE_SHARD: DurableObjectNamespace<ResourceShardProtocol & Rpc.DurableObjectBranded>;
  WATCH_CACHE: DurableObjectNamespace<WatchCacheProtocol & Rpc.DurableObjectBranded>;
  CONTROLLER_MANAGER: DurableObjectNamespace<ControllerManagerProtocol & Rpc.DurableObjectBranded>;
  SCHEDULER: DurableObjectNamespace<LoopHostProtocol & Rpc.DurableObjectBranded>;
  NODE_POOL: DurableObjectNamespace<LoopHostProtocol & Rpc.DurableObjectBranded>;
  CLUSTER_DIRECTORY: DurableObjectNamespace<ClusterDirectoryProtocol & Rpc.DurableObjectBranded>;
  /** Number of simulated nodes of each cluster, in decimal. */
  EDGEPLANE_NODES: string;
  /** Loops sleep when nothing has happened for so many seconds, in decimal. */
  EDGEPLANE_IDLE_SECONDS: string;
  /** Key that all tokens derive from. */
  EDGEPLANE_TOKEN_KEY?: string;
  /** PEM bundle that pods verify the API server with; left out where its certificate is signed by a public authority. */
  EDGEPLANE_ROOT_CA?: string;
  /** "Metadata" writes an audit event per request to the log. */
  EDGEPLANE_AUDIT?: string;
  /** Comma-separated origins that browsers may call from. */
  EDGEPLANE_CORS_ORIGINS?: string;
}
