import { setOwn } from "../patch/own-property.ts";
import { hasMember, isEmpty, withPrefix } from "./field-set.ts";
import type { FieldSet } from "./field-set.ts";
import { identify } from "./list-items.ts";
import { asList, asMap, atomOf, typeOfEntry } from "./schema.ts";
import type { JsonMap, SchemaType } from "./schema.ts";

/**
 * The value without the fields of a set. A list or map of which nothing is left goes too.
 * Mirrors sigs.k8s.io/structured-merge-diff typed/remove.go (v6).
 */
export function removeItems(type: SchemaType, value: unknown, fields: FieldSet): unknown {
  if (isEmpty(fields)) return value;
  const atom = atomOf(type, value);
  if (atom.kind === "scalar") return value;
  if (atom.atomic) return undefined;
  if (atom.kind === "list") {
    const kept: unknown[] = [];
    for (const item of asList(value) ?? []) {
      const element = identify(atom, item);
      if (element !== undefined && hasMember(fields, element)) continue;
      const below = element === undefined ? undefined : withPrefix(fields, element);
      kept.push(below === undefined ? item : removeItems(atom.element, item, below));
    }
    return kept.length === 0 ? undefined : kept;
  }
  const kept: JsonMap = {};
  let some = false;
  const map = asMap(value);
  for (const name in map) {
    const element = `f:${name}`;
    if (map[name] === undefined || hasMember(fields, element)) continue;
    const entry = removeItems(typeOfEntry(atom, name), map[name], withPrefix(fields, element));
    if (entry === undefined) continue;
    setOwn(kept, name, entry);
    some = true;
  }
  return some ? kept : undefined;
}
