import type { SnapshotContext, TypeSnapshot } from "../extensions/type-snapshot.ts";
import { TypeSnapshots } from "../extensions/type-snapshot.ts";
import type { ApiService, RemoteApiService } from "./api-service.ts";
import { apiServiceName, apiServices, isRemote } from "./api-service.ts";

const snapshots = new TypeSnapshots<ApiService>(apiServices, (object) => {
  const { managedFields: _managedFields, ...metadata } = object.metadata;
  return { ...object, metadata } as ApiService;
});

const remotes = new WeakMap<TypeSnapshot<ApiService>["byName"], RemoteApiService[]>();

export function refreshApiServices(context: SnapshotContext): Promise<TypeSnapshot<ApiService>> {
  return snapshots.refresh(context);
}

/** Somebody in this isolate has written an APIService. */
export function apiServicesChanged(cluster: string): void {
  snapshots.changed(cluster);
}

/**
 * The APIService of a version that is not built in, if a service answers it. One that the snapshot does not have is looked
 * for in the store, so a new one is served at once; a changed or deleted one within a second.
 */
export async function findRemoteApiService(
  context: SnapshotContext,
  group: string,
  version: string,
): Promise<RemoteApiService | undefined> {
  const name = apiServiceName(group, version);
  let found = (await snapshots.fresh(context)).byName.get(name);
  if (found === undefined) found = (await snapshots.refresh(context)).byName.get(name);
  return found !== undefined && isRemote(found) ? found : undefined;
}

/** All APIServices that services answer, in the order of their names; the same list for as long as none changes. */
export async function remoteApiServices(context: SnapshotContext): Promise<RemoteApiService[]> {
  return remotesOf(await snapshots.refresh(context));
}

/** The same as of the last look, without asking. */
export function knownRemoteApiServices(cluster: string): RemoteApiService[] {
  const snapshot = snapshots.known(cluster);
  return snapshot === undefined ? [] : remotesOf(snapshot);
}

function remotesOf({ byName }: TypeSnapshot<ApiService>): RemoteApiService[] {
  let list = remotes.get(byName);
  if (list === undefined) {
    list = [...byName.values()].filter(isRemote).toSorted((a, b) => (a.metadata.name! < b.metadata.name! ? -1 : 1));
    remotes.set(byName, list);
  }
  return list;
}
