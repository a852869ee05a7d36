import { CelError } from "./errors.ts";
import { formatDuration, formatTimestamp } from "./library/time.ts";
import type { Value } from "./values.ts";
import { CelDuration, CelList, CelMap, CelOptional, CelTimestamp, CelUint, typeNameOf } from "./values.ts";
import { spend } from "./work.ts";

/** The JSON of a value that an expression made. Raises CelError for what JSON cannot hold. */
export function toJson(value: Value): unknown {
  spend(1);
  if (value === null || typeof value === "string" || typeof value === "boolean" || typeof value === "number")
    return value;
  if (typeof value === "bigint") return Number(value);
  if (value instanceof CelUint) return Number(value.value);
  if (value instanceof CelTimestamp) return formatTimestamp(value);
  if (value instanceof CelDuration) return formatDuration(value);
  if (value instanceof Uint8Array) return btoa(Array.from(value, (byte) => String.fromCharCode(byte)).join(""));
  if (value instanceof CelList) return [...value].map(toJson);
  if (value instanceof CelMap) {
    const entries: [string, unknown][] = [];
    for (const key of value.keys()) {
      if (typeof key !== "string") throw new CelError(`map key of type ${typeNameOf(key)} has no JSON form`);
      entries.push([key, toJson(value.get(key) as Value)]);
    }
    return Object.fromEntries(entries);
  }
  if (value instanceof CelOptional && value.value !== undefined) return toJson(value.value);
  throw new CelError(`value of type ${typeNameOf(value)} has no JSON form`);
}
