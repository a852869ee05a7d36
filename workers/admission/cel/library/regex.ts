import type { NamedOverload } from "../functions.ts";
import { method } from "../functions.ts";
import { compilePattern, findMatches } from "../regex.ts";
import { intType, listOf, stringType } from "../types.ts";
import type { Value } from "../values.ts";
import { ArrayList } from "../values.ts";
import { spend } from "../work.ts";
import { regexCost } from "./costs.ts";

function findAll(text: string, pattern: string, limit = -1n): Value {
  spend(text.length / 4);
  return new ArrayList(findMatches(compilePattern(pattern), text, limit < 0n ? Infinity : Number(limit)));
}

/** k8s.io/apiserver pkg/cel/library/regex.go (1.36). */
export const regexLibrary: readonly NamedOverload[] = [
  method(
    "string_find_string",
    "find",
    [stringType, stringType],
    stringType,
    (text: string, pattern: string) => findMatches(compilePattern(pattern), text, 1)[0] ?? "",
    regexCost,
  ),
  method("string_find_all_string", "findAll", [stringType, stringType], listOf(stringType), findAll, regexCost),
  method(
    "string_find_all_string_int",
    "findAll",
    [stringType, stringType, intType],
    listOf(stringType),
    findAll,
    regexCost,
  ),
];
