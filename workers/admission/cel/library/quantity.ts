import { parseQuantity } from "../../../apimachinery/quantity.ts";
import type { Quantity } from "../../../apimachinery/quantity.ts";
import { CelError } from "../errors.ts";
import type { NamedOverload } from "../functions.ts";
import { func, method } from "../functions.ts";
import { boolType, doubleType, intType, opaque, stringType } from "../types.ts";
import { OpaqueValue } from "../values.ts";
import { traverseFirst } from "./costs.ts";

export class QuantityValue extends OpaqueValue {
  readonly typeName = "kubernetes.Quantity";
  readonly quantity: Quantity;

  constructor(quantity: Quantity) {
    super();
    this.quantity = quantity;
  }

  equals(other: OpaqueValue): boolean {
    return other instanceof QuantityValue && this.quantity.cmp(other.quantity) === 0;
  }
}

export const quantityType = opaque("kubernetes.Quantity");

/** Raises CelError. */
export function quantityOf(text: string): QuantityValue {
  try {
    return new QuantityValue(parseQuantity(text));
  } catch (error) {
    throw new CelError(error instanceof Error ? error.message : String(error));
  }
}

function isQuantity(text: string): boolean {
  try {
    parseQuantity(text);
    return true;
  } catch {
    return false;
  }
}

const ofInt = (value: bigint): Quantity => parseQuantity(String(value));

/** Undefined for a fraction and for what 64 bits do not hold. */
function asInteger(held: QuantityValue): bigint | undefined {
  const value = held.quantity.value();
  return ofInt(value).cmp(held.quantity) === 0 ? value : undefined;
}

type Q = QuantityValue;

/** k8s.io/apiserver pkg/cel/library/quantity.go (1.36). */
export const quantityLibrary: readonly NamedOverload[] = [
  func("string_to_quantity", "quantity", [stringType], quantityType, quantityOf, traverseFirst),
  func("is_quantity_string", "isQuantity", [stringType], boolType, isQuantity, traverseFirst),
  method("quantity_sign", "sign", [quantityType], intType, (q: Q) => BigInt(q.quantity.sign())),
  method(
    "quantity_is_greater_than",
    "isGreaterThan",
    [quantityType, quantityType],
    boolType,
    (q: Q, other: Q) => q.quantity.cmp(other.quantity) > 0,
  ),
  method(
    "quantity_is_less_than",
    "isLessThan",
    [quantityType, quantityType],
    boolType,
    (q: Q, other: Q) => q.quantity.cmp(other.quantity) < 0,
  ),
  method("quantity_compare_to", "compareTo", [quantityType, quantityType], intType, (q: Q, other: Q) =>
    BigInt(q.quantity.cmp(other.quantity)),
  ),
  method("quantity_get_float", "asApproximateFloat", [quantityType], doubleType, (q: Q) => q.quantity.toNumber()),
  method("quantity_get_int", "asInteger", [quantityType], intType, (q: Q) => {
    const value = asInteger(q);
    if (value === undefined) throw new CelError("cannot convert value to integer");
    return value;
  }),
  method("quantity_is_integer", "isInteger", [quantityType], boolType, (q: Q) => asInteger(q) !== undefined),
  method(
    "quantity_add",
    "add",
    [quantityType, quantityType],
    quantityType,
    (q: Q, other: Q) => new QuantityValue(q.quantity.add(other.quantity)),
  ),
  method(
    "quantity_add_int",
    "add",
    [quantityType, intType],
    quantityType,
    (q: Q, n: bigint) => new QuantityValue(q.quantity.add(ofInt(n))),
  ),
  method(
    "quantity_sub",
    "sub",
    [quantityType, quantityType],
    quantityType,
    (q: Q, other: Q) => new QuantityValue(q.quantity.sub(other.quantity)),
  ),
  method(
    "quantity_sub_int",
    "sub",
    [quantityType, intType],
    quantityType,
    (q: Q, n: bigint) => new QuantityValue(q.quantity.sub(ofInt(n))),
  ),
];
