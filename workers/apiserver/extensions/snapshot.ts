import type { Clock } from "../../apimachinery/clock.ts";
import type { ResourceInfo } from "../../apis/resource-info.ts";
import type { StorageFactory } from "../../registry/storage-factory.ts";
import { listPrefix, objectKey } from "../../storage/keys.ts";
import type { ExtraResources } from "../discovery/groups.ts";
import { customResourceInfo } from "./custom-kind.ts";
import type { CustomResourceDefinition, DefinitionVersion } from "./definition.ts";
import { definitions, isConditionTrue } from "./definition.ts";
import { extraResources } from "./extra-resources.ts";

/** A snapshot younger than this is used without asking. */
const freshMilliseconds = 1_000;

/** Definitions are read in pages of so many, since each may have hundreds of kilobytes. */
const pageSize = 50;

/** Whole definitions kept by one isolate, by their text's length; beyond it they are read again when needed. */
const maxWholeLength = 24 * 1024 * 1024;

const maxClusters = 64;

interface Known {
  /** Without its schemas. */
  outline: CustomResourceDefinition;
  revision: number;
  length: number;
}

interface Whole {
  revision: number;
  length: number;
  definition: CustomResourceDefinition;
  infos: Map<string, ResourceInfo>;
}

/** The definitions of one cluster as of one revision of their type. Plain data: any request of the isolate may use it. */
interface Snapshot {
  revision: number;
  checkedAt: number;
  byName: Map<string, Known>;
  extra: ExtraResources | undefined;
}

const snapshots = new Map<string, Snapshot>();
const wholes = new Map<string, Whole>();
let wholeLength = 0;

/** What a request needs to look at definitions. */
export interface ExtensionsContext {
  storage: StorageFactory;
  clock: Clock;
}

/**
 * The custom resource of a path, undefined for none. A definition that the snapshot does not have is looked for in the store,
 * so a new one is served at once; a changed one within a second.
 */
export async function findCustomResource(
  context: ExtensionsContext,
  group: string,
  version: string,
  resource: string,
): Promise<ResourceInfo | undefined> {
  const name = `${resource}.${group}`;
  let snapshot = await freshSnapshot(context);
  let known = snapshot.byName.get(name);
  if (known === undefined || !isServed(known.outline, version)) {
    snapshot = await refreshDefinitions(context);
    known = snapshot.byName.get(name);
    if (known === undefined || !isServed(known.outline, version)) return undefined;
  }
  const whole = await wholeDefinition(context, name, known.revision);
  return whole === undefined || !isServed(whole.definition, version) ? undefined : infoOf(whole, version);
}

/** Whether some definition of the group is served. */
export function servesGroup(context: ExtensionsContext, group: string): boolean {
  for (const { outline } of snapshots.get(context.storage.cluster)?.byName.values() ?? []) {
    if (outline.spec.group === group && isConditionTrue(outline, "Established")) return true;
  }
  return false;
}

/** Somebody in this isolate has written a definition: the snapshot is not to be used without asking. */
export function definitionsChanged(cluster: string): void {
  const snapshot = snapshots.get(cluster);
  if (snapshot !== undefined) snapshot.checkedAt = -freshMilliseconds;
}

/** What discovery adds, always up to date; the same object for as long as no definition changes. */
export async function customResources(context: ExtensionsContext): Promise<ExtraResources> {
  const snapshot = await refreshDefinitions(context);
  return (snapshot.extra ??= extraResources([...snapshot.byName.values()].map(({ outline }) => outline)));
}

/** The same with the schemas of one group and version, or of all, filled in for the documents of OpenAPI. */
export async function customResourcesWithSchemas(context: ExtensionsContext, only: string | undefined): Promise<ExtraResources> {
  const extra = await customResources(context);
  const snapshot = snapshots.get(context.storage.cluster)!;
  const wanted = [...snapshot.byName.values()].filter(
    ({ outline: { spec } }) => only === undefined || spec.versions.some(({ name }) => `${spec.group}/${name}` === only),
  );
  for (const { outline, revision } of wanted) {
    const whole = await wholeDefinition(context, outline.metadata.name!, revision);
    for (const version of whole?.definition.spec.versions ?? []) {
      const target = extra.versions.find((each) => each.group === outline.spec.group && each.version === version.name);
      const schemas = target?.schemas as Record<string, Record<string, unknown>> | undefined;
      const schema = version.schema?.openAPIV3Schema;
      if (schemas !== undefined && schema !== undefined) schemas[outline.spec.names.kind] = schema;
    }
  }
  return extra;
}

/** The definitions of a cluster without their schemas, as of the last look. */
export function knownDefinitions(cluster: string): CustomResourceDefinition[] {
  return [...(snapshots.get(cluster)?.byName.values() ?? [])].map(({ outline }) => outline);
}

async function freshSnapshot(context: ExtensionsContext): Promise<Snapshot> {
  const snapshot = snapshots.get(context.storage.cluster);
  if (snapshot !== undefined && context.clock.now() - snapshot.checkedAt < freshMilliseconds) return snapshot;
  return refreshDefinitions(context);
}

/** Brings the snapshot up to the newest revision: one call when nothing has changed, only what changed otherwise. */
export async function refreshDefinitions({ storage, clock }: ExtensionsContext): Promise<Snapshot> {
  const { cluster } = storage;
  const now = clock.now();
  const before = snapshots.get(cluster);
  const revision = await storage.for(definitions).currentRevision();
  if (before !== undefined && before.revision >= revision) {
    before.checkedAt = now;
    remember(cluster, before);
    return before;
  }
  const next = (before === undefined ? undefined : await changesSince(storage, before)) ?? (await allDefinitions(storage));
  next.checkedAt = now;
  // Another request may have come further in the meantime.
  const current = snapshots.get(cluster);
  if (current !== undefined && current.revision > next.revision) return current;
  remember(cluster, next);
  return next;
}

function remember(cluster: string, snapshot: Snapshot): void {
  snapshots.delete(cluster);
  snapshots.set(cluster, snapshot);
  for (const oldest of snapshots.keys()) {
    if (snapshots.size <= maxClusters) break;
    snapshots.delete(oldest);
  }
}

async function changesSince(storage: StorageFactory, before: Snapshot): Promise<Snapshot | undefined> {
  const byName = new Map(before.byName);
  let { revision } = before;
  for (;;) {
    const result = await storage.events(definitions, revision, pageSize);
    // History does not reach back that far.
    if (!result.ok) return undefined;
    for (const event of result.events) {
      const known = knownOf(event.value, event.revision);
      if (event.type === "DELETED") byName.delete(known.outline.metadata.name!);
      else byName.set(known.outline.metadata.name!, known);
      revision = event.revision;
    }
    if (result.events.length === 0 || revision >= result.revision) return { revision, checkedAt: 0, byName, extra: undefined };
  }
}

async function allDefinitions(storage: StorageFactory): Promise<Snapshot> {
  const byName = new Map<string, Known>();
  const prefix = listPrefix(definitions);
  const client = storage.for(definitions);
  let page = await client.list({ prefix, limit: pageSize });
  const { revision } = page;
  for (;;) {
    for (const definition of JSON.parse(`[${await page.text()}]`) as CustomResourceDefinition[]) {
      byName.set(definition.metadata.name!, outlineOf(definition, Number(definition.metadata.resourceVersion), 0));
    }
    if (page.lastKey === undefined) return { revision, checkedAt: 0, byName, extra: undefined };
    page = await client.list({ prefix, limit: pageSize, after: page.lastKey, match: { kind: "exact", revision } });
  }
}

function knownOf(value: string, revision: number): Known {
  return outlineOf(JSON.parse(value) as CustomResourceDefinition, revision, value.length);
}

function outlineOf(definition: CustomResourceDefinition, revision: number, length: number): Known {
  const { managedFields: _managedFields, annotations: _annotations, ...metadata } = definition.metadata;
  const spec = { ...definition.spec, versions: definition.spec.versions.map(({ schema: _schema, ...version }) => version as DefinitionVersion) };
  return { outline: { metadata, spec, status: definition.status } as CustomResourceDefinition, revision, length };
}

function isServed(definition: CustomResourceDefinition, version: string): boolean {
  return isConditionTrue(definition, "Established") && definition.spec.versions.some(({ name, served }) => served && name === version);
}

/** The definition with its schemas, at least as new as `revision`; undefined when it is gone. */
async function wholeDefinition({ storage }: ExtensionsContext, name: string, revision: number): Promise<Whole | undefined> {
  const key = `${storage.cluster}/${name}`;
  const cached = wholes.get(key);
  if (cached !== undefined && cached.revision >= revision) {
    wholes.delete(key);
    wholes.set(key, cached);
    return cached;
  }
  const stored = await storage.for(definitions).get(objectKey(definitions, undefined, name));
  if (stored === undefined) return undefined;
  const whole: Whole = {
    revision: stored.revision,
    length: stored.value.length,
    definition: JSON.parse(stored.value) as CustomResourceDefinition,
    infos: new Map(),
  };
  wholeLength += whole.length - (wholes.get(key)?.length ?? 0);
  wholes.delete(key);
  wholes.set(key, whole);
  for (const [oldest, { length }] of wholes) {
    if (wholeLength <= maxWholeLength || oldest === key) break;
    wholes.delete(oldest);
    wholeLength -= length;
  }
  return whole;
}

function infoOf(whole: Whole, version: string): ResourceInfo {
  let info = whole.infos.get(version);
  if (info === undefined) {
    info = customResourceInfo(whole.definition, whole.definition.spec.versions.find(({ name }) => name === version)!);
    whole.infos.set(version, info);
  }
  return info;
}
