import type { GroupResource } from "../apimachinery/gvk.ts";
import type { StatusError } from "../apimachinery/status-errors.ts";
import {
  newAlreadyExists,
  newConflict,
  newNotFound,
  newRequestEntityTooLarge,
  newResourceExpired,
  newServiceUnavailable,
  newTooLargeResourceVersion,
} from "../apimachinery/status-errors.ts";
import type { StorageError } from "../storage/errors.ts";

export const modifiedMessage =
  "the object has been modified; please apply your changes to the latest version and try again";

/** Storage errors in the client's terms. Mirrors k8s.io/apiserver pkg/registry/generic/registry and storage/errors (1.36). */
export function toStatusError(
  error: StorageError,
  gr: GroupResource = { group: "", resource: "" },
  name = "",
): StatusError {
  const shape = error.shape;
  switch (shape.code) {
    case "KeyExists":
      return newAlreadyExists(gr, name);
    case "KeyNotFound":
      return newNotFound(gr, name);
    case "RevisionConflict":
      return newConflict(gr, name, modifiedMessage);
    case "RevisionCompacted":
      return newResourceExpired("The resourceVersion for the provided list is too old.");
    case "RevisionTooLarge":
      return newTooLargeResourceVersion(shape.requested, shape.current, 1);
    case "ValueTooLarge":
      // etcd's words, which clients look for; upstream answers them as 500 without a reason.
      return newRequestEntityTooLarge("etcdserver: request is too large");
    case "Unavailable":
      return newServiceUnavailable(shape.message);
  }
}
