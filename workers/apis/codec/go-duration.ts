import { UnmarshalError } from "./unmarshal-error.ts";

const unitNanoseconds: Record<string, bigint> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  μs: 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};
const limit = 2n ** 63n;

/** Go's time.ParseDuration: nanoseconds. */
export function parseGoDuration(text: string): bigint {
  const refuse = (): never => {
    throw new UnmarshalError(`time: invalid duration ${JSON.stringify(text)}`);
  };
  const negative = text.startsWith("-");
  let rest = /^[+-]/.test(text) ? text.slice(1) : text;
  if (rest === "0") return 0n;
  if (rest === "") return refuse();
  let total = 0n;
  while (rest !== "") {
    const part = /^(\d*)(?:\.(\d*))?([^\d.]*)/.exec(rest)!;
    const [whole, integer = "", fraction = "", unit = ""] = part;
    if (integer === "" && fraction === "") return refuse();
    if (unit === "") throw new UnmarshalError(`time: missing unit in duration ${JSON.stringify(text)}`);
    const scale = unitNanoseconds[unit];
    if (scale === undefined) {
      throw new UnmarshalError(`time: unknown unit ${JSON.stringify(unit)} in duration ${JSON.stringify(text)}`);
    }
    total += BigInt(integer || "0") * scale;
    if (fraction !== "") total += (BigInt(fraction) * scale) / 10n ** BigInt(fraction.length);
    if (total > limit) return refuse();
    rest = rest.slice(whole.length);
  }
  return negative ? -total : total;
}

/** Go's Duration.String: `1h30m0s`, `1.5s`, `100ms`, `0s`. */
export function formatGoDuration(nanoseconds: bigint): string {
  if (nanoseconds === 0n) return "0s";
  const sign = nanoseconds < 0n ? "-" : "";
  const value = nanoseconds < 0n ? -nanoseconds : nanoseconds;
  if (value < 1_000n) return `${sign}${value}ns`;
  if (value < 1_000_000n) return `${sign}${decimal(value, 1_000n)}µs`;
  if (value < 1_000_000_000n) return `${sign}${decimal(value, 1_000_000n)}ms`;
  const minutes = value / 60_000_000_000n;
  const seconds = `${decimal(value % 60_000_000_000n, 1_000_000_000n)}s`;
  if (minutes === 0n) return sign + seconds;
  return minutes < 60n ? `${sign}${minutes}m${seconds}` : `${sign}${minutes / 60n}h${minutes % 60n}m${seconds}`;
}

function decimal(value: bigint, scale: bigint): string {
  const fraction = value % scale;
  if (fraction === 0n) return String(value / scale);
  const digits = String(fraction)
    .padStart(String(scale).length - 1, "0")
    .replace(/0+$/, "");
  return `${value / scale}.${digits}`;
}
