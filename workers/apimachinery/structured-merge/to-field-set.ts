import { FieldSetBuilder } from "./field-set.ts";
import type { FieldSet } from "./field-set.ts";
import { indexItems } from "./list-items.ts";
import type { PathElement } from "./path-element.ts";
import { asList, asMap, atomOf, isEmptyMap, typeOfEntry } from "./schema.ts";
import type { SchemaType } from "./schema.ts";

/**
 * The fields that a value mentions: its leaves, map entries and list entries, but not the structs around them unless
 * they are empty. Mirrors sigs.k8s.io/structured-merge-diff typed/tofieldset.go (v6).
 */
export function toFieldSet(type: SchemaType, value: unknown): FieldSet {
  const builder = new FieldSetBuilder();
  visit(builder, [], type, value);
  return builder.build();
}

function visit(builder: FieldSetBuilder, path: PathElement[], type: SchemaType, value: unknown): void {
  const atom = atomOf(type, value);
  if (atom.kind === "scalar" || atom.atomic) {
    builder.insert(path);
    return;
  }
  if (atom.kind === "list") {
    for (const [element, items] of indexItems(atom, asList(value))) {
      path.push(element);
      // Entries that share an identity are owned together, as a whole.
      if (items.length === 1) visit(builder, path, atom.element, items[0]);
      builder.insert(path);
      path.pop();
    }
    return;
  }
  const map = asMap(value);
  for (const name in map) {
    const entry = map[name];
    if (entry === undefined) continue;
    path.push(`f:${name}`);
    visit(builder, path, typeOfEntry(atom, name), entry);
    const inner = asMap(entry);
    if (entry === null || (inner !== undefined && isEmptyMap(inner)) || !atom.fields.has(name)) builder.insert(path);
    path.pop();
  }
}
