/*
 * Sets seen through a schema. Mirrors EnsureNamedFieldsAreMembers of sigs.k8s.io/structured-merge-diff fieldpath/set.go
 * and typed/reconcile_schema.go (v6).
 */
import { childrenOf, emptySet, isEmpty, isMember, makeNode } from "./field-set.ts";
import type { FieldSet } from "./field-set.ts";
import { deducedType, typeOfEntry } from "./schema.ts";
import type { SchemaType } from "./schema.ts";

function typeBelow(type: SchemaType, element: string): SchemaType {
  if (type.kind === "map") return element.startsWith("f:") ? typeOfEntry(type, element.slice(2)) : deducedType;
  return type.kind === "list" ? type.element : deducedType;
}

/** The set with the named fields on the way to its members: `.a` for `.a.b` where `a` is a field of a struct. */
export function ensureNamedFieldsAreMembers(set: FieldSet, type: SchemaType): FieldSet {
  const result: Record<string, FieldSet> = {};
  for (const element in set) {
    const node = set[element]!;
    const children = childrenOf(node);
    const named = type.kind === "map" && element.startsWith("f:") && type.fields.has(element.slice(2));
    const below = ensureNamedFieldsAreMembers(children, typeBelow(type, element));
    result[element] = makeNode(isMember(node) || (named && !isEmpty(children)), below)!;
  }
  return result;
}

/**
 * The set with what became atomic since it was written as one field: who owned a part owns the whole. The set itself
 * when there is nothing of the kind.
 */
export function reconcileWithSchema(set: FieldSet, type: SchemaType): FieldSet {
  let result: Record<string, FieldSet> | undefined;
  for (const element in set) {
    const node = set[element]!;
    if (isEmpty(node)) continue;
    const below = typeBelow(type, element);
    let mended = node;
    if ((below.kind === "map" || below.kind === "list") && below.atomic) {
      if (!isEmpty(childrenOf(node))) mended = emptySet;
    } else if (below.kind !== "deduced") {
      const children = childrenOf(node);
      const inner = reconcileWithSchema(children, below);
      if (inner !== children) mended = makeNode(isMember(node), inner)!;
    }
    if (mended !== node) (result ??= { ...set })[element] = mended;
  }
  return result ?? set;
}
