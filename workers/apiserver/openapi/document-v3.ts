/** The OpenAPI v3 document of one group and version. */
import { catalog } from "../../apis/catalog.ts";
import type { ResourceInfo } from "../../apis/resource-info.ts";
import { goTypeName, kindKeys, schemaTable } from "../../apis/schema-table.ts";
import { customDefinitionName, customKindSchema, customListSchema } from "./custom-schema.ts";
import type { CustomSchemaContext } from "./custom-schema.ts";
import type { Docs } from "./docs.ts";
import type { BodySchemas } from "./paths.ts";
import { resourcePaths } from "./paths.ts";
import type { GroupVersionKindJson, JsonObject } from "./schemas.ts";
import { refPrefix, SchemaSet } from "./schemas.ts";

export const openApiInfo = { title: "Kubernetes", version: "v1.36.0" };

/** One version to be documented. */
export interface DocumentedVersion {
  group: string;
  version: string;
  resources: readonly ResourceInfo[];
  /** Structural schemas of custom kinds, by kind; undefined for built-in versions. */
  schemas?: Readonly<Record<string, JsonObject>>;
}

let kindsByStruct: Map<string, GroupVersionKindJson[]> | undefined;

/** The kinds that a Go type is registered as; the options kinds are so in every group and version. */
function kindsOf(goName: string): GroupVersionKindJson[] {
  if (!kindsByStruct) {
    kindsByStruct = new Map();
    for (const key of kindKeys()) {
      const parts = key.split("/");
      const [group = "", version = "", kind = ""] = parts.length === 3 ? parts : ["", ...parts];
      const name = schemaTable.structOfKind(group, version, kind)?.name;
      if (name === undefined || kind.endsWith("Options") || kind === "WatchEvent") continue;
      const list = kindsByStruct.get(name) ?? [];
      list.push({ group, kind, version });
      kindsByStruct.set(name, list);
    }
    for (const kind of ["DeleteOptions", "WatchEvent"])
      kindsByStruct.set(
        goTypeName(`meta/v1.${kind}`),
        catalog.groups().flatMap(({ group, versions }) => versions.map((version) => ({ group, kind, version }))),
      );
  }
  return kindsByStruct.get(goName) ?? [];
}

/** References to built-in and custom kinds, with their definitions added to the set. */
class DocumentSchemas implements BodySchemas {
  readonly #set: SchemaSet;
  readonly #version: DocumentedVersion;

  readonly #docs: Docs;

  constructor(set: SchemaSet, version: DocumentedVersion, docs: Docs) {
    this.#set = set;
    this.#version = version;
    this.#docs = docs;
  }

  /** The fields that every kind has are described as in `like`. */
  #context(info: ResourceInfo, meta: string, like: string): CustomSchemaContext {
    return {
      meta: this.meta(meta),
      describe: (field) => this.#docs.field(goTypeName(like), field),
      selectableFields: info.custom?.selectableFields ?? [],
    };
  }

  meta(name: string): JsonObject {
    return this.#set.refTo(goTypeName(`meta/v1.${name}`));
  }

  kind(group: string, version: string, kind: string): JsonObject | undefined {
    const struct = schemaTable.structOfKind(group, version, kind);
    if (struct) return this.#set.refTo(struct.name);
    const info = this.#version.resources.find((resource) => resource.kind === kind || resource.listKind === kind);
    if (!info || group !== this.#version.group) return undefined;
    const name = customDefinitionName(group, version, kind);
    if (!Object.hasOwn(this.#set.schemas, name)) {
      const gvk = { group, kind, version };
      if (kind === info.kind)
        this.#set.schemas[name] = customKindSchema(
          this.#version.schemas?.[kind],
          gvk,
          this.#context(info, "ObjectMeta", "apps/v1.Deployment"),
        );
      else {
        this.kind(group, version, info.kind);
        const item = customDefinitionName(group, version, info.kind);
        this.#set.schemas[name] = customListSchema(
          item,
          info.resource,
          gvk,
          this.#context(info, "ListMeta", "apps/v1.DeploymentList"),
        );
      }
    }
    return { $ref: refPrefix + name };
  }
}

/** Adds the paths of a version, and all definitions that they need. */
export function addVersion(
  version: DocumentedVersion,
  docs: Docs,
  set: SchemaSet,
  paths: Record<string, JsonObject>,
): void {
  const schemas = new DocumentSchemas(set, version, docs);
  for (const info of version.resources) {
    const custom = schemaTable.structOfKind(info.group, info.version, info.kind) === undefined;
    Object.assign(paths, resourcePaths(info, { docs, schemas, custom }));
    if (info.verbs.includes("watch")) schemas.meta("WatchEvent");
  }
}

const sortedByKey = (object: Record<string, JsonObject>): Record<string, JsonObject> =>
  Object.fromEntries(Object.entries(object).toSorted(([a], [b]) => (a < b ? -1 : 1)));

export function buildParts(
  versions: readonly DocumentedVersion[],
  docs: Docs,
): { paths: JsonObject; schemas: JsonObject } {
  const set = new SchemaSet(docs, kindsOf);
  const paths: Record<string, JsonObject> = {};
  for (const version of versions) addVersion(version, docs, set, paths);
  return { paths: sortedByKey(paths), schemas: sortedByKey(set.schemas) };
}

export function documentV3(version: DocumentedVersion, docs: Docs): JsonObject {
  const { paths, schemas } = buildParts([version], docs);
  return {
    openapi: "3.0.0",
    info: openApiInfo,
    paths,
    components: {
      schemas,
      securitySchemes: {
        BearerToken: {
          type: "apiKey",
          description: "Bearer Token authentication",
          name: "authorization",
          in: "header",
        },
      },
    },
  };
}
