import { newBadRequest, StatusError } from "../status-errors.ts";
import { goFormat, goTypeOf } from "./go-format.ts";

/*
 * Errors of applying patches, with the texts of k8s.io/apimachinery pkg/util/mergepatch/errors.go and the codes that
 * k8s.io/apiserver pkg/endpoints/handlers/patch.go (interpretStrategicMergePatchError) gives them (1.36).
 */

export const errBadPatchFormatForPrimitiveList = (): StatusError =>
  newBadRequest("invalid patch format of primitive list");
export const errBadPatchFormatForRetainKeys = (): StatusError => newBadRequest("invalid patch format of retainKeys");
export const errBadPatchFormatForSetElementOrderList = (): StatusError =>
  newBadRequest("invalid patch format of setElementOrder list");

export const errNoListOfLists = (): StatusError => unprocessable();

export const errNoMergeKey = (map: unknown, mergeKey: string): StatusError =>
  plainError(`map: ${goFormat(map)} does not contain declared merge key: ${mergeKey}`);
export const errBadArgType = (expected: string, actual: unknown): StatusError =>
  plainError(`expected a ${expected}, but received a ${goTypeOf(actual)}`);
export const errBadPatchType = (directive: unknown, map: unknown): StatusError =>
  plainError(`unknown patch type: ${goFormat(directive)} in map: ${goFormat(map)}`);

/** A Go error that is no API status: code 500 and its bare text. */
export function plainError(message: string): StatusError {
  return new StatusError({ kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", message, code: 500 });
}

/** NewGenericServerResponse(422): the cause stays on the server. */
export function unprocessable(): StatusError {
  return new StatusError({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: "the server rejected our request due to an error in our request",
    reason: "Invalid",
    details: {},
    code: 422,
  });
}
