import { parseFieldSelector } from "../../apimachinery/fields.ts";
import type { FieldSelector } from "../../apimachinery/fields.ts";
import { forbidden, notSupported } from "../../apimachinery/field-error.ts";
import { quote } from "../../apimachinery/quote.ts";
import { parseLabelSelector } from "../../apimachinery/labels.ts";
import type { LabelSelector } from "../../apimachinery/labels.ts";
import { newBadRequest, newInvalid, newResourceExpired } from "../../apimachinery/status-errors.ts";
import type { InvalidCause } from "../../apimachinery/status-errors.ts";
import type { ResourceInfo } from "../../apis/resource-info.ts";
import { fieldLabelNotSupported, selectableFieldsOf } from "../../apis/selectable-fields.ts";
import type { ListOptions as StorageListOptions } from "../../storage/interfaces.ts";
import { isTrue } from "./request-info.ts";

/** metav1.ListOptions, checked. */
export interface ListOptions {
  labelSelector: LabelSelector;
  fieldSelector: FieldSelector;
  resourceVersion: string;
  resourceVersionMatch: "" | "Exact" | "NotOlderThan";
  limit: number;
  continue: string;
  allowWatchBookmarks: boolean;
  sendInitialEvents: boolean | undefined;
  timeoutSeconds: number | undefined;
  /** When the list of a continue token began; its next token says so too. */
  began?: number;
}

/** Mirrors ValidateListOptions of k8s.io/apimachinery pkg/apis/meta/internalversion/validation (1.36). */
export function parseListOptions(query: URLSearchParams, resource: ResourceInfo, watch: boolean): ListOptions {
  const options: ListOptions = {
    labelSelector: selector(() => parseLabelSelector(query.get("labelSelector") ?? "")),
    fieldSelector: selector(() => parseFieldSelector(query.get("fieldSelector") ?? "")),
    resourceVersion: query.get("resourceVersion") ?? "",
    resourceVersionMatch: (query.get("resourceVersionMatch") ?? "") as ListOptions["resourceVersionMatch"],
    limit: Math.max(0, integer(query.get("limit")) ?? 0),
    continue: query.get("continue") ?? "",
    allowWatchBookmarks: isTrue(query.get("allowWatchBookmarks")),
    sendInitialEvents: query.has("sendInitialEvents") ? isTrue(query.get("sendInitialEvents")) : undefined,
    timeoutSeconds: integer(query.get("timeoutSeconds")),
  };
  const known = selectableFieldsOf(resource);
  for (const { field } of options.fieldSelector.requirements) {
    if (resource.custom !== undefined && !known.has(field)) throw newBadRequest(`field label not supported: ${field}`);
    if (!known.has(field))
      throw newBadRequest(
        fieldLabelNotSupported(resource.group, resource.version, resource.resource, resource.kind, field),
      );
  }
  const causes = watch ? validateWatch(options) : validateList(options);
  if (causes.length > 0) throw newInvalid({ group: "meta.k8s.io", kind: "ListOptions" }, "", causes);
  return options;
}

function selector<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw newBadRequest((error as Error).message);
  }
}

function integer(text: string | null): number | undefined {
  if (text === null || text === "") return undefined;
  if (!/^-?[0-9]{1,18}$/.test(text)) {
    throw newBadRequest(`strconv.ParseInt: parsing ${quote(text)}: invalid syntax`);
  }
  return Number(text);
}

const matches = ["Exact", "NotOlderThan", ""];

function validateWatch(options: ListOptions): InvalidCause[] {
  const causes: InvalidCause[] = [];
  const match = options.resourceVersionMatch;
  if (match !== "" && options.sendInitialEvents === undefined) {
    causes.push(
      forbidden(
        "resourceVersionMatch",
        "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided",
      ),
    );
  }
  if (options.sendInitialEvents !== undefined) {
    if (match === "")
      causes.push(
        forbidden("resourceVersionMatch", "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"),
      );
    else if (match !== "NotOlderThan") causes.push(notSupported("resourceVersionMatch", match, ["NotOlderThan"]));
    if (options.continue !== "")
      causes.push(forbidden("resourceVersionMatch", "resourceVersionMatch is forbidden when continue is provided"));
  }
  return causes;
}

function validateList(options: ListOptions): InvalidCause[] {
  const causes: InvalidCause[] = [];
  const match = options.resourceVersionMatch;
  if (options.sendInitialEvents !== undefined) {
    causes.push(forbidden("sendInitialEvents", "sendInitialEvents is forbidden for list"));
  }
  if (match !== "") {
    if (!matches.includes(match)) causes.push(notSupported("resourceVersionMatch", match, matches));
    if (options.resourceVersion === "") {
      causes.push(
        forbidden("resourceVersionMatch", "resourceVersionMatch is forbidden unless resourceVersion is provided"),
      );
    }
    if (options.continue !== "")
      causes.push(forbidden("resourceVersionMatch", "resourceVersionMatch is forbidden when continue is provided"));
    if (match === "Exact" && options.resourceVersion === "0") {
      causes.push(
        forbidden("resourceVersionMatch", 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'),
      );
    }
  }
  return causes;
}

/** A resourceVersion as a revision; 400 when it is not one. */
export function parseResourceVersion(text: string): number {
  if (!/^[0-9]{1,15}$/.test(text)) {
    throw newBadRequest(
      `invalid resource version: resourceVersion: Invalid value: ${quote(text)}: strconv.ParseUint: parsing ${quote(text)}: invalid syntax`,
    );
  }
  return Number(text);
}

/**
 * Which state a list asks for. Mirrors the table of k8s.io/apiserver pkg/storage GetList semantics: unset is consistent,
 * 0 whatever is at hand, a number is "not older than" unless `Exact` (or a limit with a number and no match) says otherwise.
 */
export function storageMatch(options: ListOptions, prefix: string): Pick<StorageListOptions, "match" | "after"> {
  if (options.continue !== "") {
    const token = decodeContinue(options.continue, prefix);
    if (options.resourceVersion !== "" && options.resourceVersion !== "0") {
      throw newBadRequest("specifying resource version is not allowed when using continue");
    }
    return token.revision < 0
      ? { after: token.after }
      : { match: { kind: "exact", revision: token.revision }, after: token.after };
  }
  if (options.resourceVersion === "") return {};
  const revision = parseResourceVersion(options.resourceVersion);
  if (revision === 0) return { match: { kind: "notOlderThan", revision: 0 } };
  const exact = options.resourceVersionMatch === "Exact" || (options.resourceVersionMatch === "" && options.limit > 0);
  return { match: { kind: exact ? "exact" : "notOlderThan", revision } };
}

/**
 * Upstream's continue token: base64url of {"v":"meta.k8s.io/v1","rv":revision,"start":key + "\0"}; rv -1 is "inconsistent".
 * `began`, ours, is when the list's first page was read: tokens expire by it.
 */
export function encodeContinue(prefix: string, lastKey: string, revision: number, began?: number): string {
  const start = `${lastKey.slice(prefix.length)}\u0000`;
  return base64Url(JSON.stringify({ v: "meta.k8s.io/v1", rv: revision, start, began }));
}

export function decodeContinue(token: string, prefix: string): { revision: number; after: string; began?: number } {
  let parsed: { v?: unknown; rv?: unknown; start?: unknown; began?: unknown };
  try {
    const base64 = token.replaceAll("-", "+").replaceAll("_", "/");
    parsed = JSON.parse(
      new TextDecoder().decode(Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))),
    );
  } catch (error) {
    throw newBadRequest(`continue key is not valid: ${(error as Error).message}`);
  }
  const { v, rv, start, began } = parsed;
  if (v !== "meta.k8s.io/v1") {
    throw newBadRequest(
      `continue key is not valid: server does not recognize this encoded version ${JSON.stringify(v)}`,
    );
  }
  if (typeof rv !== "number" || rv === 0)
    throw newBadRequest("continue key is not valid: incorrect encoded start resourceVersion (version meta.k8s.io/v1)");
  if (typeof start !== "string" || start === "")
    throw newBadRequest("continue key is not valid: encoded start key empty (version meta.k8s.io/v1)");
  const key = start.replace(/^\//, "");
  // What path.Clean would change.
  if (key.split("/").some((part) => part === "" || part === "." || part === ".."))
    throw newBadRequest(`continue key is not valid: ${start}`);
  const after = prefix + key.replace(/\u0000$/, "");
  return typeof began === "number" ? { revision: rv, after, began } : { revision: rv, after };
}

function base64Url(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}

export const expiredContinueMessage =
  "The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.";

/** 410 of an expired continue token, with a token that goes on without consistency. */
export function newExpiredContinue(prefix: string, after: string) {
  const error = newResourceExpired(expiredContinueMessage);
  error.status.metadata.continue = encodeContinue(prefix, after, -1);
  return error;
}
