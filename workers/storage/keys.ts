import type { GroupResource } from "../apimachinery/gvk.ts";

/**
 * Storage keys, one form for all: `/registry/<resource>/[<namespace>/]<name>`, with the group before the resource
 * where it is not core. Mirrors the shape of upstream's etcd keys.
 */
export function resourcePrefix(gr: GroupResource): string {
  return gr.group === "" ? `/registry/${gr.resource}/` : `/registry/${gr.group}/${gr.resource}/`;
}

export function listPrefix(gr: GroupResource, namespace?: string): string {
  const prefix = resourcePrefix(gr);
  return namespace ? `${prefix}${namespace}/` : prefix;
}

export function objectKey(gr: GroupResource, namespace: string | undefined, name: string): string {
  return listPrefix(gr, namespace) + name;
}

/** The name of the Durable Object that holds a type: `default/apps/deployments`, `default/pods`. */
export function shardName(cluster: string, gr: GroupResource): string {
  return gr.group === "" ? `${cluster}/${gr.resource}` : `${cluster}/${gr.group}/${gr.resource}`;
}
