import type { KubeObject } from "../../apimachinery/meta.ts";
import type { ResourceInfo } from "../../apis/resource-info.ts";
import { toServedVersion } from "../../registry/conversion.ts";
import { managerOrUserAgent } from "../../registry/field-manager/manager-name.ts";
import { fieldManagerFor } from "../../registry/field-manager/resource-field-manager.ts";
import { convertToServed } from "../../registry/stored-form.ts";
import type { AppContext } from "../request/context.ts";
import type { WriteOptions } from "../request/options.ts";

/** The manager of a write: what it names, else the client. Callers in this process are known by their user. */
export function managerOf(c: AppContext, options: Pick<WriteOptions, "fieldManager">): string {
  const agent =
    c.req.header("User-Agent") ??
    (c.env.loopbackUser === undefined ? undefined : programOf(c.env.loopbackUser.username));
  return managerOrUserAgent(options.fieldManager, agent);
}

/** What upstream's program of this identity calls itself in its User-Agent. */
function programOf(user: string): string {
  if (user.startsWith("system:node:")) return "kubelet";
  if (user.startsWith("system:serviceaccount:kube-system:")) return "kube-controller-manager";
  return user.replace(/^system:/, "");
}

/** A stored object in the version of the request; the given one may be changed. */
export async function servedVersion(resource: ResourceInfo, stored: KubeObject): Promise<KubeObject> {
  const [converted] = await convertToServed(resource, [stored]);
  return toServedVersion(resource, converted!);
}

/**
 * Sets metadata.managedFields of `stored`. `updated` is the same object in the version of the request, with defaults;
 * `live` is what it replaces, in that version too, undefined on create.
 */
export function trackFields(
  c: AppContext,
  resource: ResourceInfo,
  manager: string,
  subresource: string,
  live: KubeObject | undefined,
  updated: KubeObject,
  stored: KubeObject,
): void {
  const { managedFields } = fieldManagerFor(resource, subresource, c.env.clock).update(live, updated, manager).metadata;
  if (managedFields === undefined) delete stored.metadata.managedFields;
  else stored.metadata.managedFields = managedFields;
}
