import type { JsonObject } from "../../apimachinery/patch/own-property.ts";
import { schemaTable } from "../schema-table.ts";
import { normalizeObject, type Normalized } from "./normalize.ts";

/**
 * A custom object with its ObjectMeta, the only part that has a type here, as upstream would write it again.
 * Throws UnmarshalError at the first value of a wrong type in it.
 */
export function normalizeCustom(value: JsonObject, options: { collectUnknown: boolean }): Normalized {
  const struct = schemaTable.struct("k8s.io/apimachinery/pkg/apis/meta/v1.PartialObjectMetadata");
  const metadata = value["metadata"];
  if (struct === undefined || metadata === undefined || metadata === null) return { object: value, unknownFields: [] };
  const normalized = normalizeObject({ metadata }, struct, options);
  return { object: { ...value, metadata: normalized.object["metadata"] }, unknownFields: normalized.unknownFields };
}
