import { emptySet, FieldSetBuilder, isEmpty, recursiveDifference } from "./field-set.ts";
import type { FieldSet } from "./field-set.ts";
import { indexItems } from "./list-items.ts";
import type { PathElement } from "./path-element.ts";
import { asList, asMap, atomOf, entryOf, isEmptyMap, typeOfEntry, valueEquals } from "./schema.ts";
import type { Atom, JsonMap, ListType, MapType, SchemaType } from "./schema.ts";

/** No field is in more than one of them. */
export interface Comparison {
  readonly removed: FieldSet;
  readonly modified: FieldSet;
  readonly added: FieldSet;
}

/**
 * What changes from one value to another, leaf by leaf; structs, maps and list entries that come or go count too.
 * Mirrors sigs.k8s.io/structured-merge-diff typed/compare.go (v6).
 */
export function compare(type: SchemaType, before: unknown, after: unknown): Comparison {
  const walk = new CompareWalk();
  walk.compare(type, before, after);
  return walk.comparison();
}

export function isSame(comparison: Comparison): boolean {
  return isEmpty(comparison.removed) && isEmpty(comparison.modified) && isEmpty(comparison.added);
}

export function excludeFields(comparison: Comparison, fields: FieldSet = emptySet): Comparison {
  return {
    removed: recursiveDifference(comparison.removed, fields),
    modified: recursiveDifference(comparison.modified, fields),
    added: recursiveDifference(comparison.added, fields),
  };
}

class CompareWalk {
  readonly #path: PathElement[] = [];
  readonly #removed = new FieldSetBuilder();
  readonly #modified = new FieldSetBuilder();
  readonly #added = new FieldSetBuilder();

  comparison(): Comparison {
    return { removed: this.#removed.build(), modified: this.#modified.build(), added: this.#added.build() };
  }

  /** undefined stands for absent; at most one of the two is. */
  compare(type: SchemaType, before: unknown, after: unknown): void {
    const left = atomOf(type, before);
    const right = atomOf(type, after);
    let leaf: boolean;
    if (after === undefined) leaf = this.#visit(left, before, after);
    else if (before === undefined || left === right) leaf = this.#visit(right, before, after);
    else {
      this.#visit(left, before, after);
      leaf = this.#visit(right, before, after);
    }
    if (leaf) return;
    if (before === undefined) this.#added.insert(this.#path);
    else if (after === undefined) this.#removed.insert(this.#path);
  }

  /** True when the value is one leaf. */
  #visit(atom: Atom, before: unknown, after: unknown): boolean {
    switch (atom.kind) {
      case "scalar":
        break;
      case "list": {
        const left = asList(before);
        const right = asList(after);
        if (atom.atomic || ((left?.length ?? 0) === 0 && (right?.length ?? 0) === 0)) break;
        // Most lists do not change, and telling their entries apart costs more than a look.
        if (left === undefined || right === undefined || !valueEquals(left, right))
          this.#compareItems(atom, left, right);
        return false;
      }
      case "map": {
        const left = asMap(before);
        const right = asMap(after);
        if (atom.atomic || (isEmptyMap(left) && isEmptyMap(right))) break;
        this.#compareEntries(atom, left, right);
        return false;
      }
    }
    this.#leaf(before, after);
    return true;
  }

  #leaf(before: unknown, after: unknown): void {
    if (before === undefined) this.#added.insert(this.#path);
    else if (after === undefined) this.#removed.insert(this.#path);
    else if (!valueEquals(before, after)) this.#modified.insert(this.#path);
  }

  #compareEntries(map: MapType, left: JsonMap = {}, right: JsonMap = {}): void {
    for (const name in left) {
      const before = left[name];
      const after = entryOf(right, name);
      if (before === after || before === undefined) continue;
      this.#descend(`f:${name}`, typeOfEntry(map, name), before, after);
    }
    for (const name in right) {
      if (right[name] === undefined || entryOf(left, name) !== undefined) continue;
      this.#descend(`f:${name}`, typeOfEntry(map, name), undefined, right[name]);
    }
  }

  #descend(element: PathElement, type: SchemaType, before: unknown, after: unknown): void {
    this.#path.push(element);
    this.compare(type, before, after);
    this.#path.pop();
  }

  #compareItems(list: ListType, left: unknown[] | undefined, right: unknown[] | undefined): void {
    const before = indexItems(list, left);
    const after = indexItems(list, right);
    for (const [element, items] of before) this.#compareItem(list, element, items, after.get(element) ?? []);
    for (const [element, items] of after) if (!before.has(element)) this.#compareItem(list, element, [], items);
  }

  /** Entries that share an identity are one leaf together. */
  #compareItem(list: ListType, element: PathElement, before: unknown[], after: unknown[]): void {
    if (before.length <= 1 && after.length <= 1) {
      this.#descend(element, list.element, before[0], after[0]);
      return;
    }
    this.#path.push(element);
    if (before.length >= 2 && after.length >= 2) {
      if (!valueEquals(before, after)) this.#modified.insert(this.#path);
    } else if (before.length >= 2) {
      if (after.length > 0) this.compare(list.element, undefined, after[0]);
      this.#removed.insert(this.#path);
    } else {
      if (before.length > 0) this.compare(list.element, before[0], undefined);
      this.#added.insert(this.#path);
    }
    this.#path.pop();
  }
}
