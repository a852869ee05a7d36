/*
 * What strategic merge patch needs to know of types. The table of the built-in kinds (workers/apis/schema.ts) fits these
 * shapes; they are declared here since nothing in this folder depends on the kinds.
 */

export interface PatchType {
  /** "array", "map", "struct", or a scalar's name. */
  kind: string;
  /** Of an array. */
  items?: PatchType;
  /** Of a struct. */
  name?: string;
}

export interface PatchField {
  name: string;
  type: PatchType;
  patchMergeKey?: string;
  patchStrategy?: readonly ("merge" | "replace" | "retainKeys")[];
}

export interface PatchStruct {
  name: string;
  fields: ReadonlyMap<string, PatchField>;
}

export interface PatchSchema {
  struct(name: string): PatchStruct | undefined;
}
