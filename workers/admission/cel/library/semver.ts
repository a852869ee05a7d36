import { CelError } from "../errors.ts";
import type { NamedOverload } from "../functions.ts";
import { func, method } from "../functions.ts";
import { boolType, intType, opaque, stringType } from "../types.ts";
import { compareStrings, OpaqueValue } from "../values.ts";
import { traverseFirst } from "./costs.ts";

export class SemverValue extends OpaqueValue {
  readonly typeName = "kubernetes.Semver";
  readonly core: readonly [bigint, bigint, bigint];
  readonly prerelease: readonly string[];

  constructor(core: readonly [bigint, bigint, bigint], prerelease: readonly string[]) {
    super();
    this.core = core;
    this.prerelease = prerelease;
  }

  equals(other: OpaqueValue): boolean {
    return other instanceof SemverValue && compare(this, other) === 0;
  }
}

export const semverType = opaque("kubernetes.Semver");

const number = "0|[1-9]\\d{0,19}";
const identifier = "0|[1-9]\\d*|\\d*[A-Za-z-][0-9A-Za-z-]*";
const pattern = new RegExp(
  `^(${number})\\.(${number})\\.(${number})(?:-((?:${identifier})(?:\\.(?:${identifier}))*))?(?:\\+[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*)?$`,
);
const maxLength = 1024;

/** A leading v, missing parts and leading zeros are put right. */
function normalize(text: string): string {
  const bare = text.replace(/^v/, "");
  const end = bare.search(/[-+]/);
  const core = end === -1 ? bare : bare.slice(0, end);
  const parts = core.split(".").map((part) => part.replace(/^0+(?=\d)/, ""));
  while (parts.length < 3) parts.push("0");
  return parts.join(".") + (end === -1 ? "" : bare.slice(end));
}

function parse(text: string, lenient = false): SemverValue | undefined {
  if (text.length > maxLength) return undefined;
  const found = pattern.exec(lenient ? normalize(text) : text);
  if (found === null) return undefined;
  const core = [BigInt(found[1] ?? 0), BigInt(found[2] ?? 0), BigInt(found[3] ?? 0)] as const;
  return new SemverValue(core, found[4] === undefined ? [] : found[4].split("."));
}

/** Raises CelError. */
export function semverOf(text: string, lenient = false): SemverValue {
  const version = parse(text, lenient);
  if (version === undefined) throw new CelError(`Invalid semantic version: ${JSON.stringify(text)}`);
  return version;
}

function compare(a: SemverValue, b: SemverValue): number {
  for (const index of [0, 1, 2] as const) {
    if (a.core[index] !== b.core[index]) return a.core[index] < b.core[index] ? -1 : 1;
  }
  if (a.prerelease.length === 0 || b.prerelease.length === 0) return b.prerelease.length - a.prerelease.length;
  for (let index = 0; index < Math.min(a.prerelease.length, b.prerelease.length); index++) {
    const order = compareIdentifiers(a.prerelease[index] as string, b.prerelease[index] as string);
    if (order !== 0) return order;
  }
  return a.prerelease.length - b.prerelease.length;
}

/** Numbers come before words. */
function compareIdentifiers(a: string, b: string): number {
  const aNumeric = /^\d+$/.test(a);
  if (aNumeric !== /^\d+$/.test(b)) return aNumeric ? -1 : 1;
  if (!aNumeric) return Math.sign(compareStrings(a, b));
  return a === b ? 0 : BigInt(a) < BigInt(b) ? -1 : 1;
}

type S = SemverValue;

/** k8s.io/apiserver pkg/cel/library/semverlib.go (1.36), version 1. */
export const semverLibrary: readonly NamedOverload[] = [
  func("string_to_semver", "semver", [stringType], semverType, (text: string) => semverOf(text), traverseFirst),
  func("string_bool_to_semver", "semver", [stringType, boolType], semverType, semverOf, traverseFirst),
  func(
    "is_semver_string",
    "isSemver",
    [stringType],
    boolType,
    (text: string) => parse(text) !== undefined,
    traverseFirst,
  ),
  func(
    "is_semver_string_bool",
    "isSemver",
    [stringType, boolType],
    boolType,
    (text: string, lenient: boolean) => parse(text, lenient) !== undefined,
    traverseFirst,
  ),
  method("semver_major", "major", [semverType], intType, (v: S) => v.core[0]),
  method("semver_minor", "minor", [semverType], intType, (v: S) => v.core[1]),
  method("semver_patch", "patch", [semverType], intType, (v: S) => v.core[2]),
  method(
    "semver_is_greater_than",
    "isGreaterThan",
    [semverType, semverType],
    boolType,
    (v: S, other: S) => compare(v, other) > 0,
  ),
  method(
    "semver_is_less_than",
    "isLessThan",
    [semverType, semverType],
    boolType,
    (v: S, other: S) => compare(v, other) < 0,
  ),
  method("semver_compare_to", "compareTo", [semverType, semverType], intType, (v: S, other: S) =>
    BigInt(Math.sign(compare(v, other))),
  ),
];
