import type { ResourceInfo } from "../apis/resource-info.ts";
import type { Env } from "../env.ts";
import { storedAs } from "./conversion.ts";

/** Types whose existence this isolate has recorded; bounded, a forgotten one is recorded again. */
const noted = new Set<string>();
const maxNoted = 10_000;

/**
 * Records in the cluster's directory that a type has objects, once per isolate: the garbage collector watches only those.
 */
export async function noteResource(env: Env, cluster: string, resource: ResourceInfo): Promise<void> {
  const { group, resource: name } = storedAs(resource);
  const key = `${cluster}/${group}/${name}`;
  if (noted.has(key)) return;
  const directory = env.CLUSTER_DIRECTORY.get(env.CLUSTER_DIRECTORY.idFromName(cluster));
  await directory.addResource({ group, version: resource.storageVersion, resource: name });
  if (noted.size >= maxNoted) noted.clear();
  noted.add(key);
}
