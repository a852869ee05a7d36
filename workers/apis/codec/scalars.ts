import { parseQuantity } from "../../apimachinery/quantity.ts";
import type { ScalarKind } from "../schema.ts";
import { formatGoDuration, parseGoDuration } from "./go-duration.ts";
import { normalizeMicroTime, normalizeTime } from "./go-time.ts";
import { jsonWord } from "./go-types.ts";
import { UnmarshalError } from "./unmarshal-error.ts";

/** Quantities that are canonical as they stand: the fast path of nearly all of them. */
const canonicalQuantity = /^(?:0|[1-9]\d{0,2}(?:m|k|M|G|T|P|Ki|Mi|Gi|Ti|Pi)?)$/;

const int32Max = 2 ** 31 - 1;
const int32Min = -(2 ** 31);

/**
 * Kinds that have an UnmarshalJSON of their own in Go: their errors carry no field. The value is not null.
 * Returns the form that upstream writes again.
 */
export function readCustomScalar(kind: ScalarKind, value: unknown): unknown {
  switch (kind) {
    case "quantity":
      return readQuantity(value);
    case "intOrString":
      if (typeof value === "string") return value;
      if (!isInt32(value)) throw misfit(value, "int32");
      return value;
    case "time":
      return normalizeTime(stringOf(value));
    case "microTime":
      return normalizeMicroTime(stringOf(value));
    case "duration":
      return formatGoDuration(parseGoDuration(stringOf(value)));
    default:
      return value;
  }
}

/** The value that Go leaves in a field that the document does not set, in its JSON form. */
export function zeroScalar(kind: ScalarKind): unknown {
  switch (kind) {
    case "string":
    case "bytes":
      return "";
    case "bool":
      return false;
    case "int32":
    case "int64":
    case "float64":
    case "intOrString":
      return 0;
    case "quantity":
      return "0";
    case "duration":
      return "0s";
    default:
      return null;
  }
}

export function isInt32(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value <= int32Max && value >= int32Min;
}

export function isInt64(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && Math.abs(value) <= 2 ** 63;
}

/** Standard base64 with padding; line breaks are dropped, as Go's decoder does. */
export function readBase64(text: string): string {
  const compact = /[\r\n]/.test(text) ? text.replace(/[\r\n]/g, "") : text;
  const length = compact.length;
  const illegal = /[^A-Za-z0-9+/]/.exec(compact);
  if (
    illegal === null
      ? length % 4 !== 0
      : length % 4 !== 0 || !/^={1,2}$/.test(compact.slice(illegal.index)) || illegal.index < length - 2
  ) {
    throw new UnmarshalError(`illegal base64 data at input byte ${illegal?.index ?? length - (length % 4)}`);
  }
  return compact;
}

function readQuantity(value: unknown): string {
  if (typeof value === "string" && canonicalQuantity.test(value)) return value;
  if (typeof value !== "string" && typeof value !== "number") {
    throw new UnmarshalError(
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    );
  }
  try {
    return parseQuantity(typeof value === "string" ? value.trim() : value).toString();
  } catch (error) {
    throw new UnmarshalError((error as Error).message);
  }
}

function stringOf(value: unknown): string {
  if (typeof value !== "string") throw misfit(value, "string");
  return value;
}

function misfit(value: unknown, type: string): UnmarshalError {
  const word = typeof value === "number" ? `number ${value}` : jsonWord(value);
  return new UnmarshalError(
    `json: cannot unmarshal ${type === "string" ? jsonWord(value) : word} into Go value of type ${type}`,
  );
}
