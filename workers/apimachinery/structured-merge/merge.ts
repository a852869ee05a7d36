import { setOwn } from "../patch/own-property.ts";
import { elementOfItem } from "./list-items.ts";
import type { PathElement } from "./path-element.ts";
import { asList, asMap, atomOf, entryOf, isEmptyMap, typeOfEntry } from "./schema.ts";
import type { JsonMap, ListType, SchemaType } from "./schema.ts";

/**
 * A value with another, partial one laid over it. Nothing is removed; where both have a leaf the partial one's counts.
 * Entries of lists that both have come in the order of the partial one, the others keep their place relative to their
 * neighbours. Parts that do not change are shared with the arguments.
 * Mirrors sigs.k8s.io/structured-merge-diff typed/merge.go (v6).
 */
export function merge(type: SchemaType, live: unknown, partial: unknown): unknown {
  if (partial === undefined) return live;
  if (live === undefined) return partial;
  const atom = atomOf(type, partial);
  if (atom.kind === "scalar" || atom.atomic) return partial;
  if (atom.kind === "list") {
    const left = asList(live) ?? [];
    const right = asList(partial) ?? [];
    return left.length === 0 && right.length === 0 ? partial : mergeItems(atom, left, right);
  }
  const left = asMap(live);
  const right = asMap(partial);
  if (isEmptyMap(left) && isEmptyMap(right)) return partial;
  const merged: JsonMap = {};
  for (const name in left) {
    const value = merge(typeOfEntry(atom, name), left[name], entryOf(right, name));
    if (value !== undefined) setOwn(merged, name, value);
  }
  for (const name in right) {
    if (entryOf(left, name) === undefined && right[name] !== undefined) setOwn(merged, name, right[name]);
  }
  return merged;
}

function mergeItems(list: ListType, left: unknown[], right: unknown[]): unknown[] {
  const leftElements = left.map((item) => elementOfItem(list, item));
  const rightElements = right.map((item) => elementOfItem(list, item));
  const leftItems = new Map<PathElement, unknown>();
  for (const [index, element] of leftElements.entries()) {
    // Entries that share an identity are replaced, not merged.
    leftItems.set(element, leftItems.has(element) ? undefined : left[index]);
  }
  const rightItems = new Map<PathElement, unknown>();
  for (const [index, element] of rightElements.entries()) rightItems.set(element, right[index]);

  const shared = rightElements.filter((element) => leftItems.has(element));
  let nextShared = 0;
  const taken = new Set<PathElement>();
  const merged: unknown[] = [];
  const take = (element: PathElement) => {
    taken.add(element);
    merged.push(merge(list.element, leftItems.get(element), rightItems.get(element)));
  };
  let l = 0;
  let r = 0;
  while (l < left.length || r < right.length) {
    const leftElement = leftElements[l];
    const rightElement = rightElements[r];
    if (leftElement !== undefined && rightElement !== undefined) {
      if (leftElement === rightElement) {
        take(rightElement);
        l++;
        r++;
        nextShared++;
        continue;
      }
      if (rightItems.has(leftElement) && nextShared < shared.length && shared[nextShared] !== leftElement) {
        // A shared entry whose turn comes elsewhere.
        l++;
        continue;
      }
    }
    if (leftElement !== undefined) {
      if (!rightItems.has(leftElement)) {
        merged.push(left[l]);
        l++;
        continue;
      }
      if (taken.has(leftElement)) {
        l++;
        continue;
      }
    }
    if (rightElement !== undefined) {
      take(rightElement);
      r++;
      if (shared[nextShared] === rightElement) nextShared++;
    }
  }
  return merged;
}
