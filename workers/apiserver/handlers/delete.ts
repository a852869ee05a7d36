import type { KubeObject } from "../../apimachinery/meta.ts";
import { isNotFound } from "../../apimachinery/status-errors.ts";
import { decodeObject } from "../../apis/codec/decode.ts";
import type { ResourceInfo } from "../../apis/resource-info.ts";
import { selectableFieldsOf } from "../../apis/selectable-fields.ts";
import { admit } from "../../admission/chain.ts";
import { storedAs } from "../../registry/conversion.ts";
import type { DeleteOptions } from "../../registry/options.ts";
import { strategyFor } from "../../registry/strategies/strategies.ts";
import { listPrefix } from "../../storage/keys.ts";
import { apiVersionOf } from "../../apimachinery/gvk.ts";
import { negotiate } from "../negotiation/negotiate.ts";
import { writeObject } from "../negotiation/write-object.ts";
import { readBody } from "../request/body.ts";
import type { AppContext } from "../request/context.ts";
import { parseListOptions, storageMatch } from "../request/list-options.ts";
import { deleteOptionsOf, validateDeleteOptions } from "../request/options.ts";
import { successStatus } from "../responses.ts";
import { writeEntry } from "./get.ts";
import { listItem } from "./list.ts";
import { queryOf, requestScope, storeFor } from "./scope.ts";

/** DeleteOptions of the body, or of the query when there is no body. */
export async function readDeleteOptions(c: AppContext): Promise<DeleteOptions> {
  const bytes = await readBody(c.req.raw);
  let options = deleteOptionsOf(queryOf(c));
  if (bytes.length > 0) {
    const decoded = decodeObject(
      bytes,
      c.req.header("Content-Type") ?? "application/json",
      { group: "", version: "v1", kind: "DeleteOptions" },
      { fieldValidation: "Ignore" },
    );
    const { dryRun } = options;
    options = { ...(dryRun === undefined ? {} : { dryRun }), ...(decoded.object as unknown as DeleteOptions) };
  }
  validateDeleteOptions(options);
  return options;
}

export async function deleteHandler(c: AppContext, resource: ResourceInfo): Promise<Response> {
  const form = negotiate(c.req.header("Accept"), "object", resource);
  const options = await readDeleteOptions(c);
  const scope = requestScope(c, resource, (options.dryRun ?? []).length > 0);
  const { name } = c.get("info");
  const { entry, deleted } = await storeFor(scope).delete(name, options, (object) =>
    admit({ operation: "DELETE", object, previous: object, subresource: "", scope }),
  );
  if (!deleted || strategyFor(resource.group, resource.resource).returnDeletedObject) {
    return writeEntry(c, resource, entry, form, !deleted && options.orphanDependents === false ? 202 : 200);
  }
  const status = successStatus(200, {
    name,
    ...(resource.group === "" ? {} : { group: resource.group }),
    kind: resource.resource,
    uid: entry.object.metadata.uid ?? "",
  });
  const { code: _code, ...shown } = status;
  return writeObject(shown, { ...form, as: "object" });
}

/** Deletions in flight at a time, as upstream's delete-collection workers, generously: they share their commits. */
const deletionWindow = 100;

export async function deleteCollectionHandler(c: AppContext, resource: ResourceInfo): Promise<Response> {
  const form = negotiate(c.req.header("Accept"), "list", resource);
  const list = parseListOptions(queryOf(c), resource, false);
  const options = await readDeleteOptions(c);
  const scope = requestScope(c, resource, (options.dryRun ?? []).length > 0);
  const gr = storedAs(resource);
  const prefix = listPrefix(gr, scope.namespace);
  const result = await c
    .get("storage")
    .for(gr)
    .list({ prefix, ...storageMatch(list, prefix), limit: list.limit });
  const fields = selectableFieldsOf(resource);
  const objects = (JSON.parse(`[${await result.text()}]`) as KubeObject[]).filter(
    (object) =>
      list.labelSelector.matches(object.metadata.labels) &&
      list.fieldSelector.matches((field) => fields.get(field)?.(object) ?? ""),
  );
  const removeOne = async (object: KubeObject) => {
    const store = storeFor({ ...scope, namespace: object.metadata.namespace });
    try {
      await store.delete(object.metadata.name ?? "", options, (current) =>
        admit({ operation: "DELETE", object: current, previous: current, subresource: "", scope }),
      );
    } catch (error) {
      // Somebody else was faster.
      if (!isNotFound(error)) throw error;
    }
  };
  for (let index = 0; index < objects.length; index += deletionWindow) {
    await Promise.all(objects.slice(index, index + deletionWindow).map(removeOne));
  }
  return writeObject(
    {
      kind: resource.listKind,
      apiVersion: apiVersionOf(resource),
      metadata: { resourceVersion: String(result.revision) },
      items: objects.map((object) => listItem(resource, object)),
    },
    { ...form, as: "object" },
  );
}
