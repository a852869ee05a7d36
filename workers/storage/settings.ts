import type { GroupResource } from "../apimachinery/gvk.ts";
import type { ShardSettings } from "./shard/protocol.ts";

const minute = 60_000;

const defaults: ShardSettings = {
  historyMilliseconds: 5 * minute,
  historyRevisions: 1_000,
  watchCacheCapacity: { minimum: 100, maximum: 100_000 },
};

/**
 * How each type is kept. Events live for an hour after their last write (kube-apiserver's --event-ttl); Leases are
 * renewed all the time and nobody asks for their past.
 */
const exceptions: Record<string, Partial<ShardSettings>> = {
  events: { objectTtlMilliseconds: 60 * minute },
  "events.events.k8s.io": { objectTtlMilliseconds: 60 * minute },
  "leases.coordination.k8s.io": { historyMilliseconds: 0, historyRevisions: 0 },
};

export function settingsFor(gr: GroupResource): ShardSettings {
  const exception = exceptions[gr.group === "" ? gr.resource : `${gr.resource}.${gr.group}`];
  return exception === undefined ? defaults : { ...defaults, ...exception };
}

/** The type that a shard holds, from its name: `default/pods`, `default/apps/deployments`. Inverse of `shardName`. */
export function groupResourceOfShard(name: string): GroupResource {
  const parts = name.split("/");
  const resource = parts.at(-1) ?? "";
  return parts.length > 2 ? { group: parts.at(-2) ?? "", resource } : { group: "", resource };
}
