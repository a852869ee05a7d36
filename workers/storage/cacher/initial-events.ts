import { resourcePrefix } from "../keys.ts";
import type { GroupResource } from "../../apimachinery/gvk.ts";
import type { KubeObject } from "../../apimachinery/meta.ts";
import type { StorageEvent } from "../interfaces.ts";
import { ObjectSplitter } from "./object-scanner.ts";

/** The objects of a list's body as it arrives, piece by piece: memory holds one piece, whatever the list's size. */
export async function* objectTexts(body: ReadableStream<Uint8Array>): AsyncGenerator<string[]> {
  const splitter = new ObjectSplitter();
  const decoder = new TextDecoder();
  const reader = body.getReader();
  let done = false;
  try {
    for (;;) {
      const piece = await reader.read();
      done = piece.done;
      const objects = splitter.push(decoder.decode(piece.value, { stream: !done }));
      if (objects.length > 0) yield objects;
      if (done) break;
    }
    if (!splitter.finished) throw new Error("the list ended within an object");
  } finally {
    if (!done) await reader.cancel();
  }
}

/** Length of the texts in a piece. */
const pieceLength = 256 * 1024;

/** Objects in pieces, so that a watcher is not sent more at a time than fits into its window. */
export function* pieces(values: readonly string[]): Generator<string[]> {
  let piece: string[] = [];
  let length = 0;
  for (const value of values) {
    piece.push(value);
    length += value.length;
    if (length < pieceLength) continue;
    yield piece;
    piece = [];
    length = 0;
  }
  if (piece.length > 0) yield piece;
}

/** An existing object as the synthetic event that a watch starts with. Parses the text. */
export function syntheticEvent(gr: GroupResource, value: string): StorageEvent {
  const { namespace, name, resourceVersion } = (JSON.parse(value) as KubeObject).metadata;
  const key = `${resourcePrefix(gr)}${namespace ? `${namespace}/` : ""}${name ?? ""}`;
  return { type: "ADDED", key, revision: Number(resourceVersion), value };
}
