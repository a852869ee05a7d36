import type { AppContext } from "../request/context.ts";
import { StatusError, newInternalError } from "../../apimachinery/status-errors.ts";
import { StorageError } from "../../storage/errors.ts";
import { toStatusError } from "../../registry/storage-errors.ts";
import { statusResponse } from "../responses.ts";

/**
 * The one boundary where an error becomes a response. Only a StatusError is meant for the client; anything else is a
 * defect, logged here and answered without details. Counterpart of filters.WithPanicRecovery.
 */
export function panicRecovery(error: Error, c: AppContext): Response {
  if (error instanceof StatusError) return statusResponse(c, error.status);
  if (error instanceof StorageError) return statusResponse(c, toStatusError(error).status);
  console.error(`${c.req.method} ${c.req.path}: ${error.stack ?? error.message}`);
  return statusResponse(c, newInternalError(error.message).status);
}
