import { newBadRequest } from "../../apimachinery/status-errors.ts";
import { readJson } from "../request/json-body.ts";
import type { AppContext, ChainBindings } from "../request/context.ts";
import { parseRequestInfo } from "../request/request-info.ts";
import { newOwnRequest } from "../request/body.ts";
import { jsonResponse, jsonType } from "../responses.ts";

export const batchPath = "/apis/edgeplane.dev/v1/batch";
const maxOperations = 500;
const methods = new Set(["GET", "POST", "PUT", "PATCH", "DELETE"]);

interface Operation {
  method: string;
  path: string;
  contentType?: string;
  body?: unknown;
}

/**
 * Many independent requests in one, each through the whole chain as the same user and with its own result. They share
 * the storage clients, so operations on a type that are issued together are one call and one commit of its shard.
 */
export async function batchHandler(
  c: AppContext,
  chain: (request: Request, bindings: ChainBindings) => Response | Promise<Response>,
): Promise<Response> {
  const body = (await readJson(c.req.raw)) as { requests?: unknown } | null;
  const operations = body?.requests as unknown[] | undefined;
  if (!Array.isArray(operations)) throw newBadRequest("requests: Required value");
  if (operations.length > maxOperations)
    throw newBadRequest(`requests: Too many: ${operations.length}: must have at most ${maxOperations} items`);
  const origin = new URL(c.req.url).origin;
  const prefix = c.get("info").cluster === "default" ? "" : `/clusters/${c.get("info").cluster}`;
  const bindings: ChainBindings = { ...c.env, loopbackUser: c.get("user"), storage: c.get("storage") };
  const run = async (operation: unknown) => {
    const request = isOperation(operation) ? requestOf(operation, `${origin}${prefix}`) : undefined;
    if (request === undefined || !isIndependent(request, c.get("info").cluster)) {
      const { status } = newBadRequest("an operation needs a method and the path of a resource, and cannot be a watch");
      return `{"code":400,"body":${JSON.stringify(status)}}`;
    }
    const response = await chain(request, bindings);
    return `{"code":${response.status},"body":${await bodyOf(response)}}`;
  };
  const responses = await Promise.all(operations.map(run));
  return jsonResponse(`{"responses":[${responses.join(",")}]}\n`);
}

function isOperation(value: unknown): value is Operation {
  const { method, path, contentType } = (value ?? {}) as Partial<Operation>;
  return (
    typeof method === "string" &&
    methods.has(method) &&
    typeof path === "string" &&
    path.startsWith("/") &&
    (contentType === undefined || typeof contentType === "string")
  );
}

function requestOf(
  { method, path, contentType = "application/json", body }: Operation,
  base: string,
): Request | undefined {
  try {
    return newOwnRequest(`${base}${path}`, {
      method,
      headers: { "Content-Type": contentType, Accept: "application/json" },
      body: body === undefined || method === "GET" ? undefined : JSON.stringify(body),
    });
  } catch {
    // A header value or URL that cannot be.
    return undefined;
  }
}

/** A request for a resource of the caller's own cluster that ends by itself: the batch vouches for the user only there. */
function isIndependent(request: Request, cluster: string): boolean {
  const info = parseRequestInfo(request.method, new URL(request.url));
  return (
    info !== undefined &&
    info.cluster === cluster &&
    info.isResourceRequest &&
    info.verb !== "watch" &&
    info.path !== batchPath
  );
}

/** The answer's body as JSON text; what is none becomes a string. */
async function bodyOf(response: Response): Promise<string> {
  const text = await response.text();
  return response.headers.get("Content-Type")?.startsWith(jsonType) ? text.trimEnd() : JSON.stringify(text);
}
