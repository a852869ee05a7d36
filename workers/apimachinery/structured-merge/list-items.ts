import { keyElement, valueElement } from "./path-element.ts";
import type { PathElement } from "./path-element.ts";
import { asMap, entryOf } from "./schema.ts";
import type { ListType } from "./schema.ts";

/**
 * What identifies an entry of a list that is not atomic. An absent key counts with its default, without one it is left
 * out. Throws with upstream's words when nothing identifies the entry.
 * Mirrors listItemToPathElement of sigs.k8s.io/structured-merge-diff typed/helpers.go (v6).
 */
export function elementOfItem(list: ListType, item: unknown): PathElement {
  return list.keys.length > 0 ? keyedElement(list, item) : setElement(item);
}

function keyedElement(list: ListType, item: unknown): PathElement {
  if (item === null || item === undefined) throw new Error("associative list with keys may not have a null element");
  const map = asMap(item);
  if (map === undefined) throw new Error("associative list with keys may not have non-map elements");
  const keys: [string, unknown][] = [];
  for (const name of list.keys) {
    const value =
      entryOf(map, name) ?? (list.element.kind === "map" ? list.element.fields.get(name)?.default : undefined);
    if (value !== undefined) keys.push([name, value]);
  }
  if (keys.length === 0) {
    const names = list.keys.map((name) => JSON.stringify(name)).join(" ");
    throw new Error(
      `associative list with keys has an element that omits all key fields [${names}] (and doesn't have default values for any key fields)`,
    );
  }
  return keyElement(keys);
}

function setElement(item: unknown): PathElement {
  if (item === null || item === undefined)
    throw new Error("associative list without keys has an element that's an explicit null");
  if (Array.isArray(item)) throw new Error("not supported: associative list with lists as elements");
  if (typeof item === "object") throw new Error("associative list without keys has an element that's a map type");
  return valueElement(item);
}

/** Entries by their identity, in order; entries without one are left out. */
export function indexItems(list: ListType, items: readonly unknown[] | undefined): Map<PathElement, unknown[]> {
  const index = new Map<PathElement, unknown[]>();
  for (const item of items ?? []) {
    const element = identify(list, item);
    if (element === undefined) continue;
    const same = index.get(element);
    if (same === undefined) index.set(element, [item]);
    else same.push(item);
  }
  return index;
}

export function identify(list: ListType, item: unknown): PathElement | undefined {
  try {
    return elementOfItem(list, item);
  } catch {
    return undefined;
  }
}
