import type { KubeObject } from "../../apimachinery/meta.ts";
import type { ResourceInfo } from "../../apis/resource-info.ts";
import { objectKey } from "../../storage/keys.ts";
import type { ExtraResources } from "../discovery/groups.ts";
import { customResourceInfo } from "./custom-kind.ts";
import type { CustomResourceDefinition, DefinitionVersion } from "./definition.ts";
import { definitions, isConditionTrue } from "./definition.ts";
import { extraResources } from "./extra-resources.ts";
import { TypeSnapshots } from "./type-snapshot.ts";
import type { SnapshotContext, TypeSnapshot } from "./type-snapshot.ts";

/** Definitions are read in pages of so many, since each may have hundreds of kilobytes. */
const pageSize = 50;

/** Whole definitions kept by one isolate, by their text's length; beyond it they are read again when needed. */
const maxWholeLength = 24 * 1024 * 1024;

interface Known {
  /** Without its schemas. */
  outline: CustomResourceDefinition;
  revision: number;
}

interface Whole {
  revision: number;
  length: number;
  definition: CustomResourceDefinition;
  infos: Map<string, ResourceInfo>;
}

type Snapshot = TypeSnapshot<Known>;

const snapshots = new TypeSnapshots<Known>(definitions, outlineOf, pageSize);
const extras = new WeakMap<Snapshot["byName"], ExtraResources>();
const wholes = new Map<string, Whole>();
let wholeLength = 0;

/** What a request needs to look at definitions. */
export type ExtensionsContext = SnapshotContext;

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
  let snapshot = await snapshots.fresh(context);
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
  for (const { outline } of snapshots.known(context.storage.cluster)?.byName.values() ?? []) {
    if (outline.spec.group === group && isConditionTrue(outline, "Established")) return true;
  }
  return false;
}

/** Somebody in this isolate has written a definition: the snapshot is not to be used without asking. */
export function definitionsChanged(cluster: string): void {
  snapshots.changed(cluster);
}

/** What discovery adds, always up to date; the same object for as long as no definition changes. */
export async function customResources(context: ExtensionsContext): Promise<ExtraResources> {
  const { byName } = await refreshDefinitions(context);
  let extra = extras.get(byName);
  if (extra === undefined)
    extras.set(byName, (extra = extraResources([...byName.values()].map(({ outline }) => outline))));
  return extra;
}

/** The same with the schemas of one group and version, or of all, filled in for the documents of OpenAPI. */
export async function customResourcesWithSchemas(
  context: ExtensionsContext,
  only: string | undefined,
): Promise<ExtraResources> {
  const extra = await customResources(context);
  const snapshot = snapshots.known(context.storage.cluster)!;
  const wanted = [...snapshot.byName.values()].filter(
    ({ outline: { spec } }) => only === undefined || spec.versions.some(({ name }) => `${spec.group}/${name}` === only),
  );
  for (const { outline, revision } of wanted) {
    const whole = await wholeDefinition(context, outline.metadata.name!, revision);
    for (const version of whole?.definition.spec.versions ?? []) {
      const target = extra.versions.find((each) => each.group === outline.spec.group && each.version === version.name);
      const schemas: Record<string, Record<string, unknown>> | undefined = target?.schemas;
      const schema = version.schema?.openAPIV3Schema;
      if (schemas !== undefined && schema !== undefined) schemas[outline.spec.names.kind] = schema;
    }
  }
  return extra;
}

/** The definitions of a cluster without their schemas, as of the last look. */
export function knownDefinitions(cluster: string): CustomResourceDefinition[] {
  return [...(snapshots.known(cluster)?.byName.values() ?? [])].map(({ outline }) => outline);
}

/** Brings the snapshot up to the newest revision: one call when nothing has changed, only what changed otherwise. */
export function refreshDefinitions(context: ExtensionsContext): Promise<Snapshot> {
  return snapshots.refresh(context);
}

function outlineOf(object: KubeObject, revision: number): Known {
  const definition = object as CustomResourceDefinition;
  const { managedFields: _managedFields, annotations: _annotations, ...metadata } = definition.metadata;
  const spec = {
    ...definition.spec,
    versions: definition.spec.versions.map(({ schema: _schema, ...version }) => version as DefinitionVersion),
  };
  return { outline: { metadata, spec, status: definition.status }, revision };
}

function isServed(definition: CustomResourceDefinition, version: string): boolean {
  return (
    isConditionTrue(definition, "Established") &&
    definition.spec.versions.some(({ name, served }) => served && name === version)
  );
}

/** The definition with its schemas, at least as new as `revision`; undefined when it is gone. */
async function wholeDefinition(
  { storage }: ExtensionsContext,
  name: string,
  revision: number,
): Promise<Whole | undefined> {
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
    info = customResourceInfo(
      whole.definition,
      whole.definition.spec.versions.find(({ name }) => name === version)!,
    );
    whole.infos.set(version, info);
  }
  return info;
}
