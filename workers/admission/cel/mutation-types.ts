import type { NamedOverload } from "./functions.ts";
import { func } from "./functions.ts";
import { traverseFirst } from "./library/costs.ts";
import type { ObjectType } from "./types.ts";
import { dynType, stringType } from "./types.ts";

/** `Object{…}`, `Object.spec{…}`: any field may be set. k8s.io/apiserver pkg/cel/mutation/dynamic (1.36). */
const anyField: ObjectType["fields"] = { get: () => dynType };
const jsonPatch: ObjectType = {
  kind: "object",
  name: "JSONPatch",
  fields: new Map([
    ["op", stringType],
    ["path", stringType],
    ["from", stringType],
    ["value", dynType],
  ]),
};

export const mutationStructs: { get(name: string): ObjectType | undefined } = {
  get(name) {
    if (name === "JSONPatch") return jsonPatch;
    return name === "Object" || name.startsWith("Object.") ? { kind: "object", name, fields: anyField } : undefined;
  },
};

/** k8s.io/apiserver pkg/cel/library/jsonpatch.go (1.36). */
export const jsonPatchLibrary: readonly NamedOverload[] = [
  func(
    "string_jsonpatch_escapeKey_string",
    "jsonpatch.escapeKey",
    [stringType],
    stringType,
    (key: string) => key.replaceAll("~", "~0").replaceAll("/", "~1"),
    traverseFirst,
  ),
];
