import type { SchemaType } from "../../apimachinery/structured-merge/schema.ts";
import { typeOfKind } from "./built-in-types.ts";

/** metav1.ObjectMeta, taken from a kind that has it. */
export function typeOfMeta(): SchemaType {
  const configMap = typeOfKind({ group: "", version: "v1", kind: "ConfigMap" });
  if (configMap?.kind !== "map") throw new Error("the schema table has no ConfigMap");
  return configMap.fields.get("metadata")!.type;
}
