import type { KubeObject } from "../../apimachinery/meta.ts";
import { newBadRequest } from "../../apimachinery/status-errors.ts";
import { readJson } from "../request/json-body.ts";
import type { AppContext, ChainBindings } from "../request/context.ts";
import { jsonResponse } from "../responses.ts";

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
  const body = (await readJson(c.req.raw)) as { requests?: Operation[] } | null;
  const operations = body?.requests;
  if (!Array.isArray(operations)) throw newBadRequest("requests: Required value");
  if (operations.length > maxOperations) throw newBadRequest(`requests: Too many: ${operations.length}: must have at most ${maxOperations} items`);
  const origin = new URL(c.req.url).origin;
  const prefix = c.var.info.cluster === "default" ? "" : `/clusters/${c.var.info.cluster}`;
  const bindings: ChainBindings = { ...c.env, loopbackUser: c.var.user, storage: c.var.storage };
  const responses = await Promise.all(
    operations.map(async (operation) => {
      if (!isOperation(operation)) return { code: 400, body: newBadRequest("an operation needs a method and a path").status };
      const response = await chain(
        new Request(`${origin}${prefix}${operation.path}`, {
          method: operation.method,
          headers: { "Content-Type": operation.contentType ?? "application/json", Accept: "application/json" },
          ...(operation.body === undefined ? {} : { body: JSON.stringify(operation.body) }),
        }),
        bindings,
      );
      return { code: response.status, body: (await response.json()) as KubeObject };
    }),
  );
  return jsonResponse(`${JSON.stringify({ responses })}\n`);
}

function isOperation(value: unknown): value is Operation {
  const { method, path } = (value ?? {}) as Partial<Operation>;
  return (
    typeof method === "string" &&
    methods.has(method) &&
    typeof path === "string" &&
    path.startsWith("/") &&
    !path.startsWith(batchPath) &&
    !/[?&]watch=/.test(path)
  );
}
