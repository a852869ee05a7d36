import { maxInt64, minInt64 } from "./int64.ts";

export type QuantityFormat = "DecimalSI" | "BinarySI" | "DecimalExponent";

const formatWrong = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const suffixWrong = "unable to parse quantity's suffix";

const decimalSuffixes: Record<string, number> = { n: -9, u: -6, m: -3, "": 0, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 };
const binarySuffixes: Record<string, number> = { Ki: 10, Mi: 20, Gi: 30, Ti: 40, Pi: 50, Ei: 60 };
const decimalSuffixOf = new Map(Object.entries(decimalSuffixes).map(([suffix, exponent]) => [exponent, suffix]));
const binarySuffixOf = new Map([[0, ""], ...Object.entries(binarySuffixes).map(([s, e]) => [e, s] as const)]);

/** Smallest exponent: finer amounts are rounded up, away from zero. */
const nano = -9;
/**
 * Amounts whose exponents differ by more are not aligned digit by digit: the smaller one cannot matter. A bound on work,
 * since a short text such as 1e999999999 names a number of any length.
 */
const maxAlignment = 2000;

/**
 * resource.Quantity: an exact fixed-point amount that remembers how it was written. Immutable.
 * Mirrors k8s.io/apimachinery pkg/api/resource/quantity.go and amount.go (1.36), except that a decimal amount beyond the
 * largest suffix keeps that suffix (upstream drops it).
 */
export class Quantity {
  readonly format: QuantityFormat;
  /** The amount is unscaled · 10^exponent. */
  readonly #unscaled: bigint;
  readonly #exponent: number;
  #text: string | undefined;

  constructor(unscaled: bigint, exponent: number, format: QuantityFormat, text?: string) {
    this.#unscaled = unscaled;
    this.#exponent = exponent;
    this.format = format;
    this.#text = text;
  }

  /** The canonical form: no fraction, the largest suffix that loses nothing. */
  toString(): string {
    return (this.#text ??= this.#canonical());
  }

  toJSON(): string {
    return this.toString();
  }

  /** Rounded up (away from zero), saturated to 64 bits. */
  value(): bigint {
    return this.scaledValue(0);
  }

  /** Thousandths, rounded up (away from zero), saturated to 64 bits. */
  milliValue(): bigint {
    return this.scaledValue(-3);
  }

  /** In units of 10^scale, rounded up (away from zero), saturated to 64 bits. */
  scaledValue(scale: number): bigint {
    if (this.#unscaled === 0n) return 0n;
    const shift = this.#exponent - scale;
    if (shift > 20) return this.#unscaled > 0n ? maxInt64 : minInt64;
    const scaled = shift >= 0 ? this.#unscaled * power10(shift) : divideUp(this.#unscaled, -shift);
    return scaled > maxInt64 ? maxInt64 : scaled < minInt64 ? minInt64 : scaled;
  }

  add(other: Quantity): Quantity {
    const format = this.isZero() ? other.format : this.format;
    if (other.isZero()) return new Quantity(this.#unscaled, this.#exponent, format);
    if (this.isZero()) return new Quantity(other.#unscaled, other.#exponent, format);
    const gap = this.#exponent - other.#exponent;
    if (gap > maxAlignment) return new Quantity(this.#unscaled, this.#exponent, format);
    if (gap < -maxAlignment) return new Quantity(other.#unscaled, other.#exponent, format);
    const exponent = Math.min(this.#exponent, other.#exponent);
    return new Quantity(this.#at(exponent) + other.#at(exponent), exponent, format);
  }

  sub(other: Quantity): Quantity {
    return this.add(other.neg());
  }

  neg(): Quantity {
    return new Quantity(-this.#unscaled, this.#exponent, this.format);
  }

  mul(factor: bigint): Quantity {
    return new Quantity(this.#unscaled * factor, this.#exponent, this.format);
  }

  cmp(other: Quantity): -1 | 0 | 1 {
    const sign = this.sign();
    if (sign !== other.sign()) return sign < other.sign() ? -1 : 1;
    if (sign === 0) return 0;
    const gap = this.#exponent - other.#exponent;
    if (Math.abs(gap) > maxAlignment) {
      const digits = gap + digitsOf(this.#unscaled) - digitsOf(other.#unscaled);
      if (digits !== 0) return digits > 0 === sign > 0 ? 1 : -1;
    }
    const exponent = Math.min(this.#exponent, other.#exponent);
    const a = this.#at(exponent);
    const b = other.#at(exponent);
    return a < b ? -1 : a > b ? 1 : 0;
  }

  equals(other: Quantity): boolean {
    return this.cmp(other) === 0;
  }

  isZero(): boolean {
    return this.#unscaled === 0n;
  }

  sign(): -1 | 0 | 1 {
    return this.#unscaled < 0n ? -1 : this.#unscaled > 0n ? 1 : 0;
  }

  /** May lose precision; ±Infinity beyond the range. */
  toNumber(): number {
    if (this.#exponent === 0) return Number(this.#unscaled);
    if (this.#exponent < 0 && this.#exponent >= -22) return Number(this.#unscaled) / 10 ** -this.#exponent;
    return Number(`${this.#unscaled}e${this.#exponent}`);
  }

  #at(exponent: number): bigint {
    return this.#unscaled * power10(this.#exponent - exponent);
  }

  #canonical(): string {
    if (this.#unscaled === 0n) return "0";
    if (this.format === "BinarySI") {
      const whole = this.#wholeValue();
      if (whole !== undefined && (whole <= -1024n || whole >= 1024n)) {
        const [amount, times] = removeFactors(whole, 1024n, 6);
        return `${amount}${binarySuffixOf.get(times * 10)}`;
      }
    }
    let [amount, times] = removeFactors(this.#unscaled, 10n, Infinity);
    let exponent = this.#exponent + times;
    while (exponent % 3 !== 0) {
      amount *= 10n;
      exponent--;
    }
    if (this.format === "DecimalExponent") return exponent === 0 ? `${amount}` : `${amount}e${exponent}`;
    if (exponent > 18) {
      amount *= power10(Math.min(exponent - 18, maxAlignment));
      exponent = 18;
    }
    return `${amount}${decimalSuffixOf.get(exponent) ?? ""}`;
  }

  /** undefined when there is a fraction. */
  #wholeValue(): bigint | undefined {
    if (this.#exponent >= 0) return this.#unscaled * power10(Math.min(this.#exponent, maxAlignment));
    const divisor = power10(-this.#exponent);
    return this.#unscaled % divisor === 0n ? this.#unscaled / divisor : undefined;
  }
}

/** A quantity of `value` units. */
export function newQuantity(value: bigint | number, format: QuantityFormat = "DecimalSI"): Quantity {
  return new Quantity(BigInt(value), 0, format);
}

/** A quantity of `value` thousandths. */
export function newMilliQuantity(value: bigint | number, format: QuantityFormat = "DecimalSI"): Quantity {
  return new Quantity(BigInt(value), -3, format);
}

/** Throws an Error with upstream's message. A number is read by its JSON text. */
export function parseQuantity(input: string | number): Quantity {
  const text = String(input);
  if (text === "") throw new Error(formatWrong);
  const parts = /^([+-]?)0*([0-9]*)(?:\.([0-9]*))?([eEinumkKMGTP]*[-+]?[0-9]*)$/.exec(text);
  if (parts === null) throw new Error(formatWrong);
  const negative = parts[1] === "-";
  const integer = parts[2] || "0";
  const fraction = parts[3] ?? "";
  const suffix = interpretSuffix(parts[4]!);
  const digits = BigInt(integer + fraction);
  const signed = negative ? -digits : digits;

  if (isFast(integer, fraction, suffix)) {
    const exponent = suffix.base === 10 ? suffix.exponent - fraction.length : 0;
    const unscaled = suffix.base === 10 ? signed : signed << BigInt(suffix.exponent);
    return new Quantity(
      unscaled,
      exponent,
      suffix.format,
      keepsText(integer + fraction, exponent, suffix) ? text : undefined,
    );
  }

  let unscaled = signed;
  let exponent = -fraction.length;
  if (suffix.base === 10) exponent += suffix.exponent;
  else unscaled <<= BigInt(suffix.exponent);
  if (exponent < nano) {
    unscaled = divideUp(unscaled, nano - exponent);
    exponent = nano;
  }
  let format = suffix.format;
  if (format === "BinarySI") {
    const limit = maxInt64 * power10(-exponent);
    if (unscaled > limit) unscaled = limit;
    if (unscaled < -limit) unscaled = -limit;
    const magnitude = unscaled < 0n ? -unscaled : unscaled;
    if (magnitude > 0n && magnitude < power10(-exponent)) format = "DecimalSI";
  }
  return new Quantity(unscaled, exponent, format);
}

interface Suffix {
  base: 2 | 10;
  exponent: number;
  format: QuantityFormat;
}

function interpretSuffix(suffix: string): Suffix {
  if (Object.hasOwn(decimalSuffixes, suffix)) {
    return { base: 10, exponent: decimalSuffixes[suffix]!, format: "DecimalSI" };
  }
  if (Object.hasOwn(binarySuffixes, suffix)) {
    return { base: 2, exponent: binarySuffixes[suffix]!, format: "BinarySI" };
  }
  if (!/^[eE][-+]?[0-9]+$/.test(suffix)) throw new Error(suffixWrong);
  const exponent = Number(suffix.slice(1));
  if (Math.abs(exponent) > 2 ** 31 - 1) throw new Error(suffixWrong);
  return { base: 10, exponent, format: "DecimalExponent" };
}

/** Whether upstream parses into an int64; only then may it keep the text as it was written. */
function isFast(integer: string, fraction: string, suffix: Suffix): boolean {
  if (suffix.base === 10) {
    return integer.length + fraction.length <= 18 && suffix.exponent - fraction.length >= nano;
  }
  return fraction === "" && 14 - integer.length - Math.trunc((suffix.exponent * 3) / 10) >= 0;
}

function keepsText(digits: string, exponent: number, suffix: Suffix): boolean {
  if (suffix.format === "BinarySI") return (BigInt(digits) & 7n) !== 0n;
  return exponent % 3 === 0 && !digits.endsWith("000") && !digits.startsWith("0");
}

function power10(exponent: number): bigint {
  return 10n ** BigInt(exponent);
}

/** value / 10^places, rounded away from zero. */
function divideUp(value: bigint, places: number): bigint {
  if (value === 0n) return 0n;
  const unit = value < 0n ? -1n : 1n;
  if (places > digitsOf(value)) return unit;
  const divisor = power10(places);
  return value / divisor + (value % divisor === 0n ? 0n : unit);
}

function digitsOf(value: bigint): number {
  return (value < 0n ? -value : value).toString().length;
}

function removeFactors(value: bigint, factor: bigint, most: number): [bigint, number] {
  let times = 0;
  while (times < most && value % factor === 0n) {
    value /= factor;
    times++;
  }
  return [value, times];
}
