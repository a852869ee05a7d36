import { isJsonObject } from "./own-property.ts";
import { errBadArgType, errNoMergeKey } from "./patch-errors.ts";

/** First position of each element of a list, by merge key (or by value when the key is empty). */
export class ElementIndex {
  readonly #positions = new Map<unknown, number>();
  #length: number;

  constructor(list: readonly unknown[], mergeKey: string) {
    this.#length = list.length;
    for (let at = 0; at < list.length; at++) {
      const value = mergeKeyValue(list[at], mergeKey);
      if (!this.#positions.has(value)) this.#positions.set(value, at);
    }
  }

  /** -1 when the list has no such element. */
  get(value: unknown): number {
    return this.#positions.get(value) ?? -1;
  }

  append(value: unknown): void {
    this.#positions.set(value, this.#length++);
  }
}

function mergeKeyValue(element: unknown, mergeKey: string): unknown {
  if (mergeKey === "") return element;
  if (!isJsonObject(element)) throw errBadArgType("map[string]interface {}", element);
  const value = element[mergeKey];
  if (value === undefined) throw errNoMergeKey(element, mergeKey);
  return value;
}

/** Splits a list into the elements that `by` has too, and the others; both keep their order. */
export function partitionByPresence(
  list: readonly unknown[],
  by: readonly unknown[],
  mergeKey: string,
): { present: unknown[]; others: unknown[] } {
  const index = new ElementIndex(by, mergeKey);
  const present: unknown[] = [];
  const others: unknown[] = [];
  for (const element of list) {
    (index.get(mergeKeyValue(element, mergeKey)) >= 0 ? present : others).push(element);
  }
  return { present, others };
}

/**
 * Orders a merged list: the patch's elements in `patchOrder`, the server's own in `serverOrder`, each of the latter
 * placed before the first patch element that follows it in `serverOrder`. The relative order of the patch wins.
 * Mirrors normalizeElementOrder and mergeSortedSlice of k8s.io/apimachinery pkg/util/strategicpatch/patch.go (1.36).
 */
export function normalizeElementOrder(
  patchElements: readonly unknown[],
  serverOnly: readonly unknown[],
  patchOrder: readonly unknown[],
  serverOrder: readonly unknown[],
  mergeKey: string,
): unknown[] {
  const serverIndex = new ElementIndex(serverOrder, mergeKey);
  const right = sortBy(patchElements, new ElementIndex(patchOrder, mergeKey), mergeKey);
  const left = sortBy(serverOnly, serverIndex, mergeKey);
  const result: unknown[] = [];
  let i = 0;
  let j = 0;
  while (i < left.length && j < right.length) {
    const leftAt = serverIndex.get(mergeKeyValue(left[i], mergeKey));
    const rightAt = serverIndex.get(mergeKeyValue(right[j], mergeKey));
    result.push(leftAt >= 0 && rightAt >= 0 && leftAt < rightAt ? left[i++] : right[j++]);
  }
  return [...result, ...left.slice(i), ...right.slice(j)];
}

function sortBy(list: readonly unknown[], order: ElementIndex, mergeKey: string): unknown[] {
  return list
    .map((element) => ({ element, at: order.get(mergeKeyValue(element, mergeKey)) }))
    .sort((a, b) => (a.at >= 0 && b.at >= 0 ? a.at - b.at : 0))
    .map(({ element }) => element);
}
