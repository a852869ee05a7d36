import { formatTime } from "../../apimachinery/clock.ts";
import type { KubeObject } from "../../apimachinery/meta.ts";
import { apiServicePriority, catalog } from "../../apis/catalog.ts";
import { encodeObject } from "../../storage/encode-object.ts";
import { isStorageError } from "../../storage/errors.ts";
import { objectKey } from "../../storage/keys.ts";
import { setCondition } from "../extensions/definition.ts";
import { knownDefinitions, refreshDefinitions } from "../extensions/snapshot.ts";
import type { SnapshotContext } from "../extensions/type-snapshot.ts";
import { apiServiceName, apiServices, automanagedLabel, localCondition } from "./api-service.ts";
import { apiServicesChanged, refreshApiServices } from "./snapshot.ts";

/** Priorities that a custom version gets, as pkg/controlplane/controller/crdregistration of Kubernetes (1.36) sets them. */
const customPriority = { group: 1000, version: 100 };

/**
 * The APIServices of all built-in versions. One call of the store in one macrotask: they are one commit.
 * Counterpart of the post-start hook kube-apiserver-autoregistration (pkg/controlplane/apiserver/aggregator.go, 1.36).
 */
export async function createBuiltInApiServices(context: SnapshotContext): Promise<void> {
  const versions = catalog
    .groups()
    .flatMap(({ group, versions: served }) => served.map((version) => ({ group, version })));
  await Promise.all(
    versions.map(({ group, version }) =>
      createLocal(context, group, version, apiServicePriority(group, version)!, "onstart"),
    ),
  );
}

/**
 * Gives every served version of the CustomResourceDefinitions its APIService, and takes it away from those that are served
 * no longer. To be called after each write of a definition, and after APIServices were deleted.
 * Counterpart of pkg/controlplane/controller/crdregistration (1.36) and of kube-aggregator's autoregister controller.
 */
export async function syncCustomApiServices(context: SnapshotContext): Promise<void> {
  const { cluster } = context.storage;
  const [, { byName }] = await Promise.all([refreshDefinitions(context), refreshApiServices(context)]);
  const wanted = new Map<string, { group: string; version: string }>();
  for (const { spec } of knownDefinitions(cluster)) {
    for (const { name, served } of spec.versions) {
      if (served) wanted.set(apiServiceName(spec.group, name), { group: spec.group, version: name });
    }
  }
  const created = [...wanted].filter(([name]) => !byName.has(name));
  const removed = [...byName].filter(
    ([name, { metadata }]) => metadata.labels?.[automanagedLabel] === "true" && !wanted.has(name),
  );
  if (created.length === 0 && removed.length === 0) return;
  await Promise.all([
    ...created.map(([, { group, version }]) => createLocal(context, group, version, customPriority, "true")),
    ...removed.map(([name]) => remove(context, name)),
  ]);
  apiServicesChanged(cluster);
}

async function createLocal(
  { storage, clock }: SnapshotContext,
  group: string,
  version: string,
  priority: { group: number; version: number },
  automanaged: "onstart" | "true",
): Promise<void> {
  const name = apiServiceName(group, version);
  const time = formatTime(clock.now());
  const object: KubeObject = {
    metadata: { name, uid: crypto.randomUUID(), creationTimestamp: time, labels: { [automanagedLabel]: automanaged } },
    spec: {
      ...(group === "" ? {} : { group }),
      version,
      groupPriorityMinimum: priority.group,
      versionPriority: priority.version,
    },
  };
  setCondition(object, localCondition, time);
  try {
    await storage.for(apiServices).create(objectKey(apiServices, undefined, name), encodeObject(object));
  } catch (error) {
    if (!isStorageError(error, "KeyExists")) throw error;
  }
}

async function remove({ storage }: SnapshotContext, name: string): Promise<void> {
  const client = storage.for(apiServices);
  const key = objectKey(apiServices, undefined, name);
  const stored = await client.get(key);
  if (stored === undefined) return;
  const object = JSON.parse(stored.value) as KubeObject;
  // Somebody has taken it over in the meantime.
  if (object.metadata.labels?.[automanagedLabel] !== "true") return;
  try {
    await client.delete(key, encodeObject(object), stored.revision);
  } catch (error) {
    if (!isStorageError(error, "KeyNotFound") && !isStorageError(error, "RevisionConflict")) throw error;
  }
}
