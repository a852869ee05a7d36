import {
  newResourceExpired,
  newServiceUnavailable,
  newTooLargeResourceVersion,
} from "../../apimachinery/status-errors.ts";
import type { Status } from "../../apimachinery/status-errors.ts";
import { encodeBinaryFrame } from "../../apis/codec/encode.ts";
import type { EventEncoding } from "../../storage/cacher/protocol.ts";
import type { StorageErrorShape } from "../../storage/interfaces.ts";

/** What an ERROR event shows for a watch that could not start or go on. The texts are the watch cache's of upstream. */
export function watchErrorStatus(error: StorageErrorShape): Status {
  switch (error.code) {
    case "RevisionCompacted":
      return newResourceExpired(`too old resource version: ${error.requested} (${error.oldest})`).status;
    case "RevisionTooLarge":
      return newTooLargeResourceVersion(error.requested, error.current, 1).status;
    case "Unavailable":
      return newServiceUnavailable(error.message).status;
    case "KeyExists":
    case "KeyNotFound":
    case "RevisionConflict":
    case "ValueTooLarge":
      return newServiceUnavailable(`unexpected ${error.code}`).status;
  }
}

/** The line that ends a watch stream with an error, whatever the representation of its events. */
export function watchErrorLine(error: StorageErrorShape): string {
  return `${JSON.stringify({ type: "ERROR", object: watchErrorStatus(error) })}\n`;
}

/** The same for an HTTP stream, in the encoding of its events. */
export function watchErrorFrame(error: StorageErrorShape, encoding: EventEncoding | undefined): Uint8Array {
  if (encoding === undefined) return new TextEncoder().encode(watchErrorLine(error));
  return encodeBinaryFrame("ERROR", watchErrorStatus(error), encoding);
}
