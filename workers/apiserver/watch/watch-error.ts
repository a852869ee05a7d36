import {
  newResourceExpired,
  newServiceUnavailable,
  newTooLargeResourceVersion,
} from "../../apimachinery/status-errors.ts";
import type { Status } from "../../apimachinery/status-errors.ts";
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
