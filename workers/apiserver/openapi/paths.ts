/** Path items of one resource in the form of OpenAPI v3. Mirrors k8s.io/apiserver pkg/endpoints/installer.go (1.36). */
import type { ResourceInfo, SubresourceInfo } from "../../apis/resource-info.ts";
import type { Docs } from "./docs.ts";
import {
  connectParameters,
  deleteCollectionParameters,
  deleteParameters,
  listParameters,
  pathParameter,
  queryParameters,
  writeParameters,
} from "./parameters.ts";
import type { JsonObject } from "./schemas.ts";

/** References to the schemas of bodies and answers. */
export interface BodySchemas {
  /** undefined for a kind without a schema. */
  kind(group: string, version: string, kind: string): JsonObject | undefined;
  /** A type of meta/v1. */
  meta(name: string): JsonObject;
}

export interface PathContext {
  docs: Docs;
  schemas: BodySchemas;
  /** Custom resources have no protobuf and no strategic merge patch. */
  custom: boolean;
}

const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

function groupId(group: string): string {
  return group === ""
    ? "Core"
    : group
        .replace(/\.k8s\.io$/, "")
        .split(/[.-]/)
        .map(capital)
        .join("");
}

export function apiRoot(group: string, version: string): string {
  return group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
}

interface Operation {
  verb: string;
  action: string;
  description: string;
  query?: readonly string[];
  /** Kind of the operation, that of the resource if left out. */
  kind?: { group: string; version: string; kind: string };
  body?: JsonObject;
  bodyRequired?: boolean;
  patch?: boolean;
  answer: JsonObject;
  answerTypes?: string[];
  codes: number[];
  /** Between the group's version and the kind, and after it, in the operation's id. */
  infix?: string;
  suffix?: string;
}

class ResourcePaths {
  readonly paths: Record<string, JsonObject> = {};
  readonly #info: ResourceInfo;
  readonly #context: PathContext;

  constructor(info: ResourceInfo, context: PathContext) {
    this.#info = info;
    this.#context = context;
  }

  #mediaTypes(): string[] {
    const types = ["application/json", "application/yaml"];
    return this.#context.custom ? types : [...types, "application/vnd.kubernetes.protobuf"];
  }

  #patchTypes(): string[] {
    const types = ["application/apply-patch+yaml", "application/json-patch+json", "application/merge-patch+json"];
    return this.#context.custom ? types : [...types, "application/strategic-merge-patch+json"];
  }

  operation(operation: Operation, namespaced: boolean): JsonObject {
    const { group, version, kind } = this.#info;
    const id = groupId(group);
    const content = (types: readonly string[], schema: JsonObject) =>
      Object.fromEntries(types.map((type) => [type, { schema }]));
    const answer = { content: content(operation.answerTypes ?? this.#mediaTypes(), operation.answer) };
    const responses: JsonObject = {};
    for (const code of operation.codes) responses[code] = { description: codeNames[code], ...answer };
    responses["401"] = { description: "Unauthorized" };
    const kindName = operation.kind ?? { group, version, kind };
    return {
      tags: [`${id[0]?.toLowerCase()}${id.slice(1)}_${version}`],
      description: operation.description,
      operationId: `${operation.verb}${id}${capital(version)}${operation.infix ?? ""}${namespaced ? "Namespaced" : ""}${kind}${operation.suffix ?? ""}`,
      ...(operation.query &&
        operation.query.length > 0 && { parameters: queryParameters(operation.query, this.#context.docs) }),
      ...(operation.body && {
        requestBody: {
          content: content(operation.patch ? this.#patchTypes() : ["*/*"], operation.body),
          ...(operation.bodyRequired !== false && { required: true }),
        },
      }),
      responses,
      "x-kubernetes-action": operation.action,
      "x-kubernetes-group-version-kind": { group: kindName.group, kind: kindName.kind, version: kindName.version },
    };
  }

  #pathItem(operations: JsonObject, namespaced: boolean, named: boolean, extra: JsonObject[] = []): JsonObject {
    const { docs } = this.#context;
    return {
      ...operations,
      parameters: [
        ...(named ? [pathParameter("name", `name of the ${this.#info.kind}`)] : []),
        ...(namespaced ? [pathParameter("namespace", docs.parameter("namespace"))] : []),
        ...extra,
        ...queryParameters(["pretty"], docs),
      ],
    };
  }

  add(): void {
    const { group, version, kind, listKind, resource, namespaced, verbs } = this.#info;
    const { schemas } = this.#context;
    const root = apiRoot(group, version);
    const collection = `${root}${namespaced ? "/namespaces/{namespace}" : ""}/${resource}`;
    const own = schemas.kind(group, version, kind) ?? {};
    const has = (verb: string) => verbs.includes(verb);
    const listOperation = (answerTypes: string[]): Operation => ({
      verb: "list",
      action: "list",
      description: `list or watch objects of kind ${kind}`,
      query: listParameters,
      answer: schemas.kind(group, version, listKind) ?? {},
      answerTypes,
      codes: [200],
    });
    const types = this.#mediaTypes();
    const listTypes = has("watch")
      ? [...types, ...types.filter((type) => type !== "application/yaml").map((type) => `${type};stream=watch`)]
      : types;

    const onCollection: JsonObject = {};
    if (has("list")) onCollection.get = this.operation(listOperation(listTypes), namespaced);
    if (has("create"))
      onCollection.post = this.operation(
        {
          verb: "create",
          action: "post",
          description: `create ${article(kind)}`,
          query: writeParameters,
          body: own,
          answer: own,
          codes: [200, 201, 202],
        },
        namespaced,
      );
    if (has("deletecollection"))
      onCollection.delete = this.operation(
        {
          verb: "delete",
          action: "deletecollection",
          description: `delete collection of ${kind}`,
          query: deleteCollectionParameters,
          body: schemas.meta("DeleteOptions"),
          bodyRequired: false,
          answer: schemas.meta("Status"),
          codes: [200],
          infix: "Collection",
        },
        namespaced,
      );
    this.paths[collection] = this.#pathItem(onCollection, namespaced, false);

    if (namespaced && has("list")) {
      const everywhere = this.operation({ ...listOperation(listTypes), suffix: "ForAllNamespaces" }, false);
      delete everywhere.parameters;
      this.paths[`${root}/${resource}`] = {
        get: everywhere,
        parameters: queryParameters([...listParameters, "pretty"].toSorted(), this.#context.docs),
      };
    }

    const item = `${collection}/{name}`;
    const onItem = this.#itemOperations(verbs, own, namespaced, "", undefined);
    if (has("delete"))
      onItem.delete = this.operation(
        {
          verb: "delete",
          action: "delete",
          description: `delete ${article(kind)}`,
          query: deleteParameters,
          body: schemas.meta("DeleteOptions"),
          bodyRequired: false,
          answer: schemas.meta("Status"),
          codes: [200, 202],
        },
        namespaced,
      );
    if (Object.keys(onItem).length > 0) this.paths[item] = this.#pathItem(onItem, namespaced, true);
    for (const subresource of this.#info.subresources) this.#addSubresource(item, subresource);
  }

  #itemOperations(
    verbs: readonly string[],
    body: JsonObject,
    namespaced: boolean,
    subresource: string,
    kind: Operation["kind"],
  ): JsonObject {
    const what = `${subresource === "" ? "" : `${subresource} of `}the specified ${this.#info.kind}`;
    const common = { answer: body, suffix: capital(subresource), ...(kind && { kind }) };
    const operations: JsonObject = {};
    if (verbs.includes("get"))
      operations.get = this.operation(
        { ...common, verb: "read", action: "get", description: `read ${what}`, codes: [200] },
        namespaced,
      );
    if (verbs.includes("update"))
      operations.put = this.operation(
        {
          ...common,
          verb: "replace",
          action: "put",
          description: `replace ${what}`,
          query: writeParameters,
          body,
          codes: [200, 201],
        },
        namespaced,
      );
    if (verbs.includes("patch"))
      operations.patch = this.operation(
        {
          ...common,
          verb: "patch",
          action: "patch",
          description: `partially update ${what}`,
          query: [...writeParameters, "force"],
          body: this.#context.schemas.meta("Patch"),
          patch: true,
          codes: [200, 201],
        },
        namespaced,
      );
    return operations;
  }

  #addSubresource(item: string, { name, kind, verbs }: SubresourceInfo): void {
    const { namespaced } = this.#info;
    const path = `${item}/${name}`;
    const queries = connectParameters[name];
    const query = queries ? queryParameters(queries, this.#context.docs) : [];
    if (kind.kind.endsWith("Options") && queries) {
      this.paths[path] = this.#pathItem(this.#connectOperations(kind, verbs, name, ""), namespaced, true, query);
      if (name === "proxy")
        this.paths[`${path}/{path}`] = this.#pathItem(
          this.#connectOperations(kind, verbs, name, "WithPath"),
          namespaced,
          true,
          [pathParameter("path", this.#context.docs.parameter("path")), ...query],
        );
      return;
    }
    const schema = this.#context.schemas.kind(kind.group, kind.version, kind.kind) ?? {};
    const body = name === "log" ? { type: "string" } : schema;
    const operations = this.#itemOperations(verbs, body, namespaced, name, kind);
    if (verbs.includes("create"))
      operations.post = this.operation(
        {
          verb: "create",
          action: "post",
          description: `create ${name} of ${article(this.#info.kind)}`,
          query: writeParameters,
          kind,
          body,
          answer: body,
          codes: [200, 201, 202],
          suffix: capital(name),
        },
        namespaced,
      );
    this.paths[path] = this.#pathItem(operations, namespaced, true, query);
  }

  #connectOperations(
    kind: SubresourceInfo["kind"],
    verbs: readonly string[],
    name: string,
    suffix: string,
  ): JsonObject {
    const operations: JsonObject = {};
    for (const verb of verbs) {
      const method = connectMethods[verb];
      if (method === undefined) continue;
      operations[method] = this.operation(
        {
          verb: "connect",
          action: "connect",
          description: `connect ${method.toUpperCase()} requests to ${name} of ${this.#info.kind}`,
          kind,
          answer: { type: "string" },
          answerTypes: ["*/*"],
          codes: [200],
          infix: capital(method),
          suffix: capital(name) + suffix,
        },
        this.#info.namespaced,
      );
    }
    return operations;
  }
}

const connectMethods: Record<string, string> = {
  get: "get",
  create: "post",
  update: "put",
  patch: "patch",
  delete: "delete",
};
const codeNames: Record<number, string> = { 200: "OK", 201: "Created", 202: "Accepted" };
const article = (kind: string): string => `${/^[AEIOU]/.test(kind) ? "an" : "a"} ${kind}`;

export function resourcePaths(info: ResourceInfo, context: PathContext): Record<string, JsonObject> {
  const builder = new ResourcePaths(info, context);
  builder.add();
  return builder.paths;
}
