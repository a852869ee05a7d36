import { newBadRequest, newRequestEntityTooLarge } from "../../apimachinery/status-errors.ts";

/** Upstream's default MaxRequestBodyBytes. */
export const maxBodyBytes = 3 * 1024 * 1024;

/** Bodies of requests that are made in this isolate: they need not become streams and be read back. */
const ownBodies = new WeakMap<Request, Uint8Array>();

/** A request of this isolate's own. The body is text; without one the request has none. */
export function newOwnRequest(
  url: string,
  init: { method?: string; headers?: HeadersInit; body?: string | undefined },
): Request {
  const { body, ...rest } = init;
  const request = new Request(url, rest);
  if (body !== undefined) ownBodies.set(request, new TextEncoder().encode(body));
  return request;
}

/** The body of a request to pass on, unread. */
export function bodyToForward(request: Request): BodyInit | null {
  return (ownBodies.get(request) as Uint8Array<ArrayBuffer> | undefined) ?? request.body;
}

/**
 * The whole body, at most 3 MiB: 413 above. As upstream, Content-Encoding is not looked at: a compressed body is none
 * that can be decoded, so there is nothing to unpack.
 */
export async function readBody(request: Request): Promise<Uint8Array> {
  const own = ownBodies.get(request);
  if (own !== undefined) {
    if (own.length > maxBodyBytes) throw tooLarge();
    return own;
  }
  if (request.body === null) return new Uint8Array();
  const declared = Number(request.headers.get("Content-Length") ?? 0);
  if (declared > maxBodyBytes) throw tooLarge();
  if (declared > 0) {
    const bytes = new Uint8Array(await request.arrayBuffer());
    if (bytes.length > maxBodyBytes) throw tooLarge();
    return bytes;
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of request.body as unknown as AsyncIterable<Uint8Array>) {
      size += chunk.length;
      if (size > maxBodyBytes) break;
      chunks.push(chunk);
    }
  } catch (error) {
    throw newBadRequest(`unable to read the request body: ${(error as Error).message}`);
  }
  if (size > maxBodyBytes) throw tooLarge();
  const bytes = new Uint8Array(size);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.length;
  }
  return bytes;
}

function tooLarge() {
  return newRequestEntityTooLarge(`limit is ${maxBodyBytes}`);
}
