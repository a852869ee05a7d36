import { apiVersionOf } from "../../apimachinery/gvk.ts";
import type { KubeObject, ListMeta } from "../../apimachinery/meta.ts";
import { printerFor } from "../../apis/printers/printers.ts";
import type { ResourceInfo } from "../../apis/resource-info.ts";
import { selectableFieldsOf } from "../../apis/selectable-fields.ts";
import { converterFor, storedAs, toServedVersion } from "../../registry/conversion.ts";
import { convertToServed } from "../../registry/stored-form.ts";
import { toStatusError } from "../../registry/storage-errors.ts";
import { StorageError, isStorageError } from "../../storage/errors.ts";
import type { ListResult, Storage } from "../../storage/interfaces.ts";
import { listPrefix, objectKey } from "../../storage/keys.ts";
import { negotiate } from "../negotiation/negotiate.ts";
import type { OutputForm } from "../negotiation/negotiate.ts";
import { partialMetadata, tableOf } from "../negotiation/table.ts";
import { writeObject } from "../negotiation/write-object.ts";
import type { AppContext } from "../request/context.ts";
import { checkContinue } from "../request/expire-continue.ts";
import { encodeContinue, newExpiredContinue, parseListOptions, storageMatch } from "../request/list-options.ts";
import type { ListOptions } from "../request/list-options.ts";
import { jsonType } from "../responses.ts";
import { includeObjectOf } from "./get.ts";
import { queryOf } from "./scope.ts";

/** How many objects are read at a time when a selector has to be applied to limited pages. */
const selectorPage = 1_000;

export async function listHandler(c: AppContext, resource: ResourceInfo): Promise<Response> {
  const form = negotiate(c.req.header("Accept"), "list", resource);
  const options = parseListOptions(queryOf(c), resource, false);
  const gr = storedAs(resource);
  const namespace = resource.namespaced ? c.get("info").namespace || undefined : undefined;
  const prefix = listPrefix(gr, namespace);
  const storage = c.get("storage").for(gr);
  options.began = await checkContinue(storage, options.continue, prefix, c.env.clock.now());
  const plain = options.labelSelector.empty && options.fieldSelector.empty;
  if (
    plain &&
    form.as === "object" &&
    form.format === "json" &&
    converterFor(resource) === undefined &&
    storesTypeMeta(resource)
  ) {
    return passThrough(resource, await page(storage, options, prefix), options, prefix);
  }
  const listed = await selected(storage, options, prefix, resource, namespace);
  return writeList(c, resource, form, await convertToServed(resource, listed.objects), listed.metadata);
}

/** An object of a list, in the served version. */
export function listItem(resource: ResourceInfo, stored: KubeObject): KubeObject {
  const served = toServedVersion(resource, stored);
  if (!storesTypeMeta(resource)) return served;
  const { apiVersion: _apiVersion, kind: _kind, ...rest } = served;
  return rest;
}

/** Built-in kinds list their items without apiVersion and kind, custom ones with them. */
function storesTypeMeta(resource: ResourceInfo): boolean {
  return resource.custom === undefined;
}

async function page(
  storage: Storage,
  options: ListOptions,
  prefix: string,
  after?: string,
  limit = options.limit,
): Promise<ListResult> {
  const start = storageMatch(options, prefix);
  try {
    return await storage.list({ prefix, ...start, ...(after === undefined ? {} : { after }), limit });
  } catch (error) {
    if (isStorageError(error, "RevisionCompacted") && options.continue !== "") {
      throw newExpiredContinue(prefix, after ?? start.after ?? prefix);
    }
    throw error instanceof StorageError ? toStatusError(error) : error;
  }
}

/** The stored texts inside the list's frame; nothing is parsed. */
function passThrough(resource: ResourceInfo, result: ListResult, options: ListOptions, prefix: string): Response {
  const metadata: ListMeta = { resourceVersion: String(result.revision) };
  if (result.lastKey !== undefined) {
    metadata.continue = encodeContinue(prefix, result.lastKey, result.revision, options.began);
    if (result.remaining !== undefined && result.remaining > 0) metadata.remainingItemCount = result.remaining;
  }
  const head = `{"kind":${JSON.stringify(resource.listKind)},"apiVersion":${JSON.stringify(apiVersionOf(resource))},"metadata":${JSON.stringify(metadata)},"items":[`;
  return new Response(framed(head, result.stream(), "]}\n"), { headers: { "Content-Type": jsonType } });
}

/** `body` between two texts. The platform moves the body's bytes itself; no chunk of it comes into JavaScript. */
function framed(head: string, body: ReadableStream<Uint8Array>, tail: string): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const { readable, writable } = new IdentityTransformStream();
  const write = async (text: string) => {
    const writer = writable.getWriter();
    await writer.write(encoder.encode(text));
    writer.releaseLock();
  };
  const pump = async () => {
    await write(head);
    await body.pipeTo(writable, { preventClose: true });
    await write(tail);
    await writable.close();
  };
  // A reader that goes away ends the pump; a body that fails aborts the stream, so that the client sees no whole list.
  pump().catch((error: unknown) => writable.abort(error).catch(() => undefined));
  return readable;
}

async function selected(
  storage: Storage,
  options: ListOptions,
  prefix: string,
  resource: ResourceInfo,
  namespace: string | undefined,
): Promise<{ objects: KubeObject[]; metadata: ListMeta }> {
  const fields = selectableFieldsOf(resource);
  const converter = converterFor(resource);
  // Fields are named as in the request's version.
  const fieldsMatch = (object: KubeObject) => {
    const served = converter?.fromStorage(object) ?? object;
    return options.fieldSelector.matches((field) => fields.get(field)?.(served) ?? "");
  };
  const accepts = (object: KubeObject) =>
    options.labelSelector.matches(object.metadata.labels) && (options.fieldSelector.empty || fieldsMatch(object));

  const single = options.fieldSelector.requirements.find(
    ({ field, operator }) => field === "metadata.name" && operator === "=",
  );
  if (
    single !== undefined &&
    (namespace !== undefined || !resource.namespaced) &&
    options.continue === "" &&
    options.resourceVersion === ""
  ) {
    // One name: a point read. The revision is asked for first, so that a watch from it misses nothing that the read has not seen.
    const revisionBefore = storage.currentRevision();
    const [stored, revision] = await Promise.all([
      storage.get(objectKey(storedAs(resource), namespace, single.value)),
      revisionBefore,
    ]);
    const object = stored === undefined ? undefined : (JSON.parse(stored.value) as KubeObject);
    return {
      objects: object !== undefined && accepts(object) ? [object] : [],
      metadata: { resourceVersion: String(Math.max(revision, stored?.revision ?? 0)) },
    };
  }

  const plain = options.labelSelector.empty && options.fieldSelector.empty;
  const objects: KubeObject[] = [];
  const keyOf = ({ metadata }: KubeObject) =>
    objectKey(storedAs(resource), resource.namespaced ? metadata.namespace : undefined, metadata.name ?? "");
  if (options.limit === 0 || plain) {
    const result = await page(storage, options, prefix);
    for (const object of JSON.parse(`[${await result.text()}]`) as KubeObject[])
      if (accepts(object)) objects.push(object);
    const metadata: ListMeta = { resourceVersion: String(result.revision) };
    if (result.lastKey !== undefined) {
      metadata.continue = encodeContinue(prefix, result.lastKey, result.revision, options.began);
      if (plain && result.remaining) metadata.remainingItemCount = result.remaining;
    }
    return { objects, metadata };
  }
  // A selector with a limit: read on at the first page's revision until enough match.
  let result = await page(storage, options, prefix, undefined, selectorPage);
  const revision = result.revision;
  const pinned: ListOptions = {
    ...options,
    continue: "",
    resourceVersion: String(revision),
    resourceVersionMatch: "Exact",
  };
  for (;;) {
    const parsed = JSON.parse(`[${await result.text()}]`) as KubeObject[];
    for (const [index, object] of parsed.entries()) {
      if (!accepts(object)) continue;
      objects.push(object);
      const more = index < parsed.length - 1 || result.lastKey !== undefined;
      if (objects.length === options.limit && more) {
        return {
          objects,
          metadata: {
            resourceVersion: String(revision),
            continue: encodeContinue(prefix, keyOf(object), revision, options.began),
          },
        };
      }
    }
    if (result.lastKey === undefined) return { objects, metadata: { resourceVersion: String(revision) } };
    result = await page(storage, pinned, prefix, result.lastKey, selectorPage);
  }
}

function writeList(
  c: AppContext,
  resource: ResourceInfo,
  form: OutputForm,
  stored: KubeObject[],
  metadata: ListMeta,
): Response {
  switch (form.as) {
    case "object": {
      const items = stored.map((object) => listItem(resource, object));
      return writeObject(
        { kind: resource.listKind, apiVersion: apiVersionOf(resource), metadata: metadata, items },
        form,
      );
    }
    case "table":
      return writeObject(
        tableOf(
          stored.map((object) => toServedVersion(resource, object)),
          resource.custom?.printer ?? printerFor(resource.group, resource.resource),
          { version: form.version, includeObject: includeObjectOf(c), metadata, columns: true, now: c.env.clock.now() },
        ),
        form,
      );
    case "partial":
    case "partialList":
      return writeObject(
        {
          kind: "PartialObjectMetadataList",
          apiVersion: `meta.k8s.io/${form.version}`,
          metadata: metadata,
          items: stored.map((object) => partialMetadata(object, form.version)),
        },
        form,
      );
  }
}
