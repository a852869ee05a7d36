import type { KubeObject } from "../../apimachinery/meta.ts";
import { newInternalError, StatusError } from "../../apimachinery/status-errors.ts";
import { encodeBinaryEvent } from "../../apis/codec/encode.ts";
import { cborSequenceMediaType } from "../../apis/codec/media-types.ts";
import type { ResourceInfo } from "../../apis/resource-info.ts";
import { toServedVersion } from "../../registry/conversion.ts";
import { convertToServed } from "../../registry/stored-form.ts";
import type { EventEncoding } from "../../storage/cacher/protocol.ts";

/**
 * A watch whose objects are not served as they are stored: every line is read, its object brought to the served version, and
 * written again. Only for custom resources with several versions or a changed definition.
 */
export function servedEvents(response: Response, resource: ResourceInfo): Response {
  if (!response.ok || response.body === null) return response;
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  let rest = "";
  const transform = new TransformStream<Uint8Array, Uint8Array>({
    async transform(chunk, controller) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      try {
        const texts = await Promise.all(lines.map((line) => convertedLine(line, resource)));
        if (texts.length > 0) controller.enqueue(encoder.encode(texts.join("")));
      } catch (error) {
        // A conversion webhook has failed: the watch cannot go on.
        const { status } = error instanceof StatusError ? error : newInternalError((error as Error).message);
        controller.enqueue(encoder.encode(`${JSON.stringify({ type: "ERROR", object: status })}\n`));
        controller.terminate();
      }
    },
  });
  return new Response(response.body.pipeThrough(transform), response);
}

/** A JSON event in another encoding, without a frame. */
export function encodeLineAs(encoding: EventEncoding): (line: string) => Uint8Array {
  return (line) => {
    const { type, object } = JSON.parse(line) as { type: string; object: KubeObject };
    return encodeBinaryEvent(type, object, encoding);
  };
}

/** A stream of JSON events as a CBOR sequence. */
export function asCborSequence(response: Response): Response {
  if (!response.ok || response.body === null) return response;
  const decoder = new TextDecoder();
  const encode = encodeLineAs("cbor");
  let rest = "";
  const transform = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) controller.enqueue(encode(line));
    },
  });
  const answer = new Response(response.body.pipeThrough(transform), response);
  answer.headers.set("Content-Type", cborSequenceMediaType);
  return answer;
}

/** A JSON event with its object in the served version, where that takes no webhook. */
export function servedLine(line: string, resource: ResourceInfo): string {
  const event = JSON.parse(line) as { type: string; object: KubeObject };
  if (event.type === "BOOKMARK" || event.type === "ERROR") return line;
  return JSON.stringify({ type: event.type, object: toServedVersion(resource, event.object) });
}

async function convertedLine(line: string, resource: ResourceInfo): Promise<string> {
  if (line === "") return "";
  if (resource.custom?.convert === undefined) return `${servedLine(line, resource)}\n`;
  const event = JSON.parse(line) as { type: string; object: KubeObject };
  if (event.type === "BOOKMARK" || event.type === "ERROR") return `${line}\n`;
  const [object] = await convertToServed(resource, [event.object]);
  return `${JSON.stringify({ type: event.type, object: toServedVersion(resource, object!) })}\n`;
}
