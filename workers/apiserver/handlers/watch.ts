import { apiVersionOf } from "../../apimachinery/gvk.ts";
import type { ResourceInfo } from "../../apis/resource-info.ts";
import { isPassedThrough, storedAs, toStorageField } from "../../registry/conversion.ts";
import { listPrefix } from "../../storage/keys.ts";
import type { EventEncoding, Representation, WatchRequest } from "../../storage/cacher/protocol.ts";
import { firstProtocol } from "../authentication/websocket-protocol.ts";
import { negotiate } from "../negotiation/negotiate.ts";
import type { AppContext } from "../request/context.ts";
import { parseListOptions, parseResourceVersion } from "../request/list-options.ts";
import { asCborSequence, encodeLineAs, servedEvents, servedLine } from "../watch/served-events.ts";
import { watchResponse } from "../watch/http-watch.ts";
import { watchWebSocketResponse } from "../watch/websocket-watch.ts";
import type { EncodeLine } from "../watch/websocket-watch.ts";
import { includeObjectOf } from "./get.ts";
import { queryOf } from "./scope.ts";

/** A watch: the Worker's end of a stream that the type's watch cache feeds. `name` narrows it to one object. */
export function watchHandler(c: AppContext, resource: ResourceInfo): Promise<Response> {
  const form = negotiate(c.req.header("Accept"), "watch", resource);
  const encoding = form.format === "protobuf" || form.format === "cbor" ? form.format : undefined;
  const webSocket = c.req.header("Upgrade")?.toLowerCase() === "websocket";
  const converted = !isPassedThrough(resource) && form.as === "object" && resource.custom !== undefined;
  // Lines are JSON where they are read here again.
  const ownLines = webSocket || converted;
  const options = parseListOptions(queryOf(c), resource, true);
  const gr = storedAs(resource);
  const namespace = resource.namespaced ? c.get("info").namespace || undefined : undefined;
  const name = c.get("info").name;
  const requirements = options.fieldSelector.requirements.map((requirement) =>
    formatRequirement({ ...requirement, field: toStorageField(resource, requirement.field) }),
  );
  const fieldSelector = [...requirements, ...(name ? [`metadata.name=${name}`] : [])].join(",");
  const version = options.resourceVersion;
  const request: WatchRequest = {
    prefix: listPrefix(gr, namespace),
    ...(version === "" ? {} : { since: parseResourceVersion(version) }),
    ...(options.sendInitialEvents === undefined ? {} : { initialEvents: options.sendInitialEvents }),
    bookmarks: options.allowWatchBookmarks,
    labelSelector: options.labelSelector.toString(),
    fieldSelector,
    representation: representationOf(c, resource, form.as, form.version, ownLines ? undefined : encoding),
  };
  const stub = c.get("storage").watchCache(gr);
  const watchOptions = {
    ...(options.timeoutSeconds === undefined ? {} : { timeoutSeconds: options.timeoutSeconds }),
    clock: c.env.clock,
    random: c.env.random,
    signal: c.req.raw.signal,
  };
  if (!webSocket) {
    const response = watchResponse(stub, request, watchOptions);
    if (!converted) return response;
    const served = response.then((each) => servedEvents(each, resource));
    return encoding === undefined ? served : served.then(asCborSequence);
  }
  const protocol = firstProtocol(c.req.header("Sec-WebSocket-Protocol"));
  return watchWebSocketResponse(stub, request, {
    ...watchOptions,
    ...(protocol ? { protocol } : {}),
    ...(encoding === undefined && !converted ? {} : { encodeLine: lineEncoder(resource, converted, encoding) }),
  });
}

function lineEncoder(resource: ResourceInfo, converted: boolean, encoding: EventEncoding | undefined): EncodeLine {
  const encode: EncodeLine = encoding === undefined ? (line) => `${line}\n` : encodeLineAs(encoding);
  return converted ? (line) => encode(servedLine(line, resource)) : encode;
}

function formatRequirement({ field, operator, value }: { field: string; operator: string; value: string }): string {
  return `${field}${operator}${value.replaceAll("\\", "\\\\").replaceAll(",", "\\,").replaceAll("=", "\\=")}`;
}

function representationOf(
  c: AppContext,
  resource: ResourceInfo,
  as: string,
  version: "v1" | "v1beta1",
  encoding: EventEncoding | undefined,
): Representation {
  const common = { apiVersion: apiVersionOf(resource), objectKind: resource.kind };
  const encoded = encoding === undefined ? {} : { encoding };
  if (as === "table") {
    return {
      kind: "table",
      ...common,
      tableVersion: version,
      includeObject: includeObjectOf(c),
      columns:
        resource.custom?.columns ??
        (resource.group === "" ? resource.resource : `${resource.group}/${resource.resource}`),
    };
  }
  if (as === "partial" || as === "partialList") return { kind: "partial", ...common, metaVersion: version, ...encoded };
  return { kind: "object", ...common, ...encoded };
}
