import { newBadRequest, newRequestEntityTooLarge } from "../../apimachinery/status-errors.ts";

/** Upstream's default --max-request-bytes, also the bound of a decompressed body. */
export const maxBodyBytes = 3 * 1024 * 1024;

/** The whole body, decompressed, at most 3 MiB: 413 above. */
export async function readBody(request: Request): Promise<Uint8Array> {
  if (request.body === null) return new Uint8Array();
  const declared = Number(request.headers.get("Content-Length") ?? 0);
  const encoding = request.headers.get("Content-Encoding");
  if (declared > maxBodyBytes) throw tooLarge();
  if (encoding === null && declared > 0) {
    const bytes = new Uint8Array(await request.arrayBuffer());
    if (bytes.length > maxBodyBytes) throw tooLarge();
    return bytes;
  }
  let stream: ReadableStream<Uint8Array> = request.body;
  if (encoding === "gzip") {
    stream = stream.pipeThrough(new DecompressionStream("gzip") as unknown as TransformStream<Uint8Array, Uint8Array>);
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of stream as unknown as AsyncIterable<Uint8Array>) {
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
