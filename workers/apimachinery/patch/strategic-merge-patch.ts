import { hasOwn, isJsonObject, setOwn, type JsonObject } from "./own-property.ts";
import {
  errBadArgType,
  errBadPatchFormatForPrimitiveList,
  errBadPatchFormatForRetainKeys,
  errBadPatchFormatForSetElementOrderList,
  errBadPatchType,
  errNoListOfLists,
  errNoMergeKey,
  plainError,
} from "./patch-errors.ts";
import { goFormat, goTypeOf } from "./go-format.ts";
import type { PatchField, PatchSchema, PatchStruct, PatchType } from "./patch-schema.ts";
import { ElementIndex, normalizeElementOrder, partitionByPresence } from "./element-order.ts";

const directiveMarker = "$patch";
const retainKeysDirective = "$retainKeys";
const deleteFromPrimitiveListPrefix = "$deleteFromPrimitiveList";
const setElementOrderPrefix = "$setElementOrder";

/**
 * Strategic merge patch. Returns a new object that shares unchanged parts with the original; neither argument is
 * changed. Nulls delete, `$patch: replace|delete`, `$retainKeys`, `$setElementOrder/<list>` and
 * `$deleteFromPrimitiveList/<list>` are directives; lists merge only where the schema says so.
 * Errors are StatusErrors: 400 for malformed directives, otherwise 500 with Go's bare text, as upstream answers.
 * Mirrors k8s.io/apimachinery pkg/util/strategicpatch/patch.go (1.36).
 */
export function applyStrategicMergePatch(
  original: object,
  patch: object,
  struct: PatchStruct,
  table: PatchSchema,
): object {
  return mergeMap(original as JsonObject, patch as JsonObject, { kind: "struct", name: struct.name }, struct, table);
}

function mergeMap(
  original: JsonObject,
  patch: JsonObject,
  type: PatchType | undefined,
  struct: PatchStruct | undefined,
  table: PatchSchema,
): JsonObject {
  if (hasOwn(patch, directiveMarker)) return directiveInMap(patch);
  const result = { ...original };
  const rest = { ...patch };
  applyRetainKeys(result, rest);
  applyElementOrders(result, rest, type, struct, table);

  for (const patchKey of Object.keys(rest)) {
    const patchValue = rest[patchKey];
    const isDeleteList = patchKey.startsWith(deleteFromPrimitiveListPrefix);
    const key = isDeleteList ? listOf(patchKey, deleteFromPrimitiveListPrefix) : patchKey;
    if (patchValue === null || patchValue === undefined) {
      delete result[key];
      continue;
    }
    const current = hasOwn(result, key) ? result[key] : undefined;
    if (current === undefined || goKind(current) !== goKind(patchValue)) {
      if (!isDeleteList) setOrDelete(result, key, withoutDirectives(withoutNulls(patchValue)));
    } else if (isJsonObject(patchValue)) {
      const field = lookup(type, struct, key);
      const strategy = patchStrategyOf(field);
      setOwn(
        result,
        key,
        strategy === "replace"
          ? patchValue
          : mergeMap(current as JsonObject, patchValue, field.type, structOf(field.type, table), table),
      );
    } else if (Array.isArray(patchValue)) {
      const field = lookup(type, struct, key);
      setOwn(result, key, mergeList(current as unknown[], patchValue, field, table, isDeleteList));
    } else {
      setOwn(result, key, patchValue);
    }
  }
  return result;
}

function directiveInMap(patch: JsonObject): JsonObject {
  const directive = patch[directiveMarker];
  if (directive === "delete") return {};
  const rest = { ...patch };
  delete rest[directiveMarker];
  if (directive === "replace") return rest;
  throw errBadPatchType(directive, patch);
}

/** Clears the members that `$retainKeys` does not name; every member that the patch sets must be named. */
function applyRetainKeys(original: JsonObject, patch: JsonObject): void {
  if (!hasOwn(patch, retainKeysDirective)) return;
  const list = patch[retainKeysDirective];
  delete patch[retainKeysDirective];
  if (!Array.isArray(list)) throw errBadPatchFormatForRetainKeys();
  const retained = new Set<unknown>(list);
  for (const [key, value] of Object.entries(patch)) {
    if (value === null || key.startsWith(deleteFromPrimitiveListPrefix) || key.startsWith(setElementOrderPrefix)) {
      continue;
    }
    if (!retained.has(key)) throw errBadPatchFormatForRetainKeys();
  }
  for (const key of Object.keys(original)) {
    if (!retained.has(key)) delete original[key];
  }
}

/**
 * Merges each list that has a `$setElementOrder` and orders it: first by the directive, then by the live list.
 * Takes what it has handled out of the patch.
 */
function applyElementOrders(
  original: JsonObject,
  patch: JsonObject,
  type: PatchType | undefined,
  struct: PatchStruct | undefined,
  table: PatchSchema,
): void {
  for (const directive of Object.keys(patch)) {
    if (!directive.startsWith(setElementOrderPrefix)) continue;
    const order = patch[directive];
    delete patch[directive];
    if (!Array.isArray(order)) throw errBadArgType("[]interface {}", order);
    const key = listOf(directive, setElementOrderPrefix);
    const live = hasOwn(original, key) ? original[key] : undefined;
    const change = hasOwn(patch, key) ? patch[key] : undefined;
    if (live !== undefined && !Array.isArray(live)) throw errBadArgType("[]interface {}", live);
    if (change !== undefined && !Array.isArray(change)) throw errBadArgType("[]interface {}", change);
    const field = lookup(type, struct, key);
    const mergeKey = field.patchMergeKey ?? "";
    validateAgainstOrder(change, order, mergeKey);

    let merged: unknown[];
    if (live !== undefined && change !== undefined) merged = mergeList(live, change, field, table, false);
    else if (live !== undefined || change !== undefined) merged = (live ?? change)!;
    else continue;

    const { present, others } = partitionByPresence(merged, order, mergeKey);
    elementsAreMaps([live ?? [], change ?? []]);
    setOwn(original, key, normalizeElementOrder(present, others, order, live ?? [], mergeKey));
    delete patch[key];
  }
}

/** Entries of the patch list, deletions aside, must be in the order list, in the same order. */
function validateAgainstOrder(change: unknown[] | undefined, order: unknown[], mergeKey: string): void {
  if (change === undefined || change.length === 0 || order.length === 0) return;
  let entries = change;
  if (mergeKey !== "") {
    entries = change.filter((entry) => {
      if (!isJsonObject(entry)) throw errBadArgType("map[string]interface {}", entry);
      return entry[directiveMarker] !== "delete";
    });
  }
  let next = 0;
  for (let at = 0; next < entries.length && at < order.length;) {
    const entry = entries[next];
    if (isJsonObject(entry) && hasOwn(entry, directiveMarker)) {
      next++;
      continue;
    }
    if (keyOf(entry, mergeKey) === keyOf(order[at], mergeKey)) next++;
    at++;
    if (at >= order.length && next < entries.length) {
      throw plainError(
        `The order in patch list:\n${goFormat(change)}\n doesn't match ${setElementOrderPrefix} list:\n${goFormat(order)}\n`,
      );
    }
  }
}

function mergeList(
  original: unknown[],
  patch: unknown[],
  field: PatchField,
  table: PatchSchema,
  isDeleteList: boolean,
): unknown[] {
  if (patchStrategyOf(field) !== "merge") return patch;
  if (original.length === 0 && patch.length === 0) return original;
  const mergeKey = field.patchMergeKey ?? "";
  if (!elementsAreMaps([original, patch])) {
    if (isDeleteList) {
      const gone = new Set(patch);
      return original.filter((entry) => !gone.has(entry));
    }
    const merged = [...new Set([...original, ...patch])];
    const { present, others } = partitionByPresence(merged, patch, "");
    return normalizeElementOrder(present, others, patch, original, "");
  }
  if (mergeKey === "") throw plainError("cannot merge lists without merge key for type struct");
  const { live, change } = applyListDirectives(original as JsonObject[], patch as JsonObject[], mergeKey);
  const merged = mergeMaps(live, change, field, mergeKey, table);
  const { present, others } = partitionByPresence(merged, change, mergeKey);
  return normalizeElementOrder(present, others, change, live, mergeKey);
}

/** Handles `$patch` entries: deletions leave the live list, a replacement empties it. */
function applyListDirectives(
  original: JsonObject[],
  patch: JsonObject[],
  mergeKey: string,
): { live: JsonObject[]; change: JsonObject[] } {
  let replace = false;
  const deleted = new Set<unknown>();
  const change: JsonObject[] = [];
  for (const entry of patch) {
    if (!hasOwn(entry, directiveMarker)) {
      change.push(entry);
      continue;
    }
    const directive = entry[directiveMarker];
    if (directive === "delete") deleted.add(keyOf(entry, mergeKey));
    else if (directive === "replace") replace = true;
    else if (directive === "merge") throw plainError("merging lists cannot yet be specified in the patch");
    else throw errBadPatchType(directive, entry);
  }
  if (replace) return { live: change, change: [] };
  const live = deleted.size === 0 ? original : original.filter((entry) => !deleted.has(entry[mergeKey]));
  return { live, change };
}

function mergeMaps(
  live: JsonObject[],
  change: JsonObject[],
  field: PatchField,
  mergeKey: string,
  table: PatchSchema,
): JsonObject[] {
  const elementType = field.type.kind === "array" ? field.type.items : undefined;
  const elementStruct = structOf(elementType, table);
  const merged = [...live];
  const positions = new ElementIndex(merged, mergeKey);
  for (const entry of change) {
    const value = keyOf(entry, mergeKey);
    const at = positions.get(value);
    if (at < 0) {
      merged.push(entry);
      positions.append(value);
    } else {
      merged[at] = mergeMap(merged[at]!, entry, elementType, elementStruct, table);
    }
  }
  return merged;
}

/** The merge key's value, or the entry itself in a list of primitives. */
function keyOf(entry: unknown, mergeKey: string): unknown {
  if (mergeKey === "") return entry;
  if (!isJsonObject(entry)) throw errBadArgType("map[string]interface {}", entry);
  if (!hasOwn(entry, mergeKey)) throw errNoMergeKey(entry, mergeKey);
  return entry[mergeKey];
}

function listOf(directive: string, prefix: string): string {
  if (directive[prefix.length] === "/") return directive.slice(prefix.length + 1);
  throw prefix === setElementOrderPrefix
    ? errBadPatchFormatForSetElementOrderList()
    : errBadPatchFormatForPrimitiveList();
}

/** Whether the lists hold maps. All elements must be of one type, and that no list. */
function elementsAreMaps(lists: unknown[][]): boolean {
  let type: string | undefined;
  for (const list of lists) {
    for (const element of list) {
      const current = goKind(element);
      if (type === undefined) {
        if (Array.isArray(element)) throw errNoListOfLists();
        type = current;
      } else if (type !== current) {
        throw plainError(`list element types are not identical: ${lists.map(goFormat).join(" ")}`);
      }
    }
  }
  return type === "map[string]interface {}";
}

/** Integers and floats are one kind here: JSON does not tell `1` from `1.0`. */
function goKind(value: unknown): string {
  return typeof value === "number" ? "number" : goTypeOf(value);
}

function structOf(type: PatchType | undefined, table: PatchSchema): PatchStruct | undefined {
  if (type?.kind === "array") return structOf(type.items, table);
  return type?.kind === "struct" && type.name !== undefined ? table.struct(type.name) : undefined;
}

function lookup(type: PatchType | undefined, struct: PatchStruct | undefined, key: string): PatchField {
  if (struct === undefined) {
    throw plainError(`merging an object in json but data type is not struct, instead is: ${type?.kind ?? "interface"}`);
  }
  const field = struct.fields.get(key);
  if (field !== undefined) return field;
  const folded = key.toLowerCase();
  for (const candidate of struct.fields.values()) if (candidate.name.toLowerCase() === folded) return candidate;
  const shortName = struct.name.slice(struct.name.lastIndexOf(".") + 1);
  throw plainError(`unable to find api field in struct ${shortName} for the json field ${JSON.stringify(key)}`);
}

/** The strategy besides `retainKeys`, which patches carry as a directive of their own. */
function patchStrategyOf(field: PatchField): "merge" | "replace" | undefined {
  const strategies = field.patchStrategy?.filter((strategy) => strategy !== "retainKeys") ?? [];
  return strategies[0];
}

function setOrDelete(object: JsonObject, key: string, value: unknown): void {
  if (value === undefined) delete object[key];
  else setOwn(object, key, value);
}

/** A copy without null members, at any depth. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isJsonObject(value)) return value;
  const result: JsonObject = {};
  for (const [key, member] of Object.entries(value)) if (member !== null) setOwn(result, key, withoutNulls(member));
  return result;
}

/** A copy without the maps that carry `$patch`; undefined when the value itself is one. */
function withoutDirectives(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDirectives).filter((entry) => entry !== undefined);
  if (!isJsonObject(value)) return value;
  if (hasOwn(value, directiveMarker)) return undefined;
  const result: JsonObject = {};
  for (const [key, member] of Object.entries(value)) {
    const kept = withoutDirectives(member);
    if (kept !== undefined) setOwn(result, key, kept);
  }
  return result;
}
