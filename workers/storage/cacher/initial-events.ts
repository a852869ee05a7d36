import { resourcePrefix } from "../keys.ts";
import type { GroupResource } from "../../apimachinery/gvk.ts";
import type { KubeObject } from "../../apimachinery/meta.ts";
import type { StorageEvent } from "../interfaces.ts";

/**
 * The objects of a list's body (asked for with `keys`) as it arrives, piece by piece: memory holds one piece, whatever the
 * list's size. Leaving the loop cancels the list.
 */
export async function* keyedObjects(
  body: ReadableStream<Uint8Array>,
): AsyncGenerator<{ keys: string[]; values: string[] }> {
  const decoder = new TextDecoder();
  const reader = body.getReader();
  /** The last line, which may be cut, after the key that it belongs to, if that is complete. */
  let rest = "";
  let done = false;
  try {
    while (!done) {
      const piece = await reader.read();
      done = piece.done;
      const lines = (rest + decoder.decode(piece.value, { stream: !done })).split("\n");
      rest = lines.splice((lines.length - 1) & ~1).join("\n");
      const keys: string[] = [];
      const values: string[] = [];
      for (let index = 0; index < lines.length; index += 2) {
        keys.push(JSON.parse(lines[index]!) as string);
        values.push(lines[index + 1]!);
      }
      if (keys.length > 0) yield { keys, values };
    }
    if (rest !== "") throw new Error("the list ended within an object");
  } finally {
    if (!done) await reader.cancel();
  }
}

/** The same without the keys. */
export async function* objectTexts(body: ReadableStream<Uint8Array>): AsyncGenerator<string[]> {
  for await (const { values } of keyedObjects(body)) yield values;
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
