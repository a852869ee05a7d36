import type { StorageErrorShape } from "../interfaces.ts";
import type { ShardListHeader } from "./protocol.ts";

/** How a shard, or a cache that answers as one, answers a list. */
export function listResponse(header: ShardListHeader, body: string | ReadableStream<Uint8Array>): Response {
  return new Response(body, { headers: { "edgeplane-list": headerText(header) } });
}

export function listFailure(error: StorageErrorShape): Response {
  return new Response(null, { status: 409, headers: { "edgeplane-list": headerText(error) } });
}

/** JSON in ASCII, as a header needs it. */
function headerText(content: ShardListHeader | StorageErrorShape): string {
  return JSON.stringify(content).replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
