import { expect, test } from "vitest";
import { compile, extend, kubernetesEnvironment } from "./environment.ts";
import type { Outcome } from "./environment.ts";
import { jsonValue } from "./json-values.ts";
import { bindingMacros } from "./macros.ts";
import { dynType } from "./types.ts";

const environment = extend(kubernetesEnvironment, {
  variables: { big: dynType, text: dynType },
  macros: bindingMacros,
});
const big = jsonValue(Array.from({ length: 100_000 }, (_, index) => index));
const text = "ab".repeat(500_000);

function run(source: string): Outcome {
  const { program, error } = compile(source, environment);
  if (program === undefined) throw new Error(error);
  return program.evaluate({ big, text });
}

const doubled = (start: string, times: number): string => {
  let source = `v${times}`;
  for (let level = times; level > 0; level--) source = `cel.bind(v${level}, v${level - 1} + v${level - 1}, ${source})`;
  return `cel.bind(v0, ${start}, ${source})`;
};

/** Each ends by a budget, or soon by itself; the test's own time limit is the judge. */
test.each([
  "big.all(x, big.all(y, big.all(z, true)))",
  `size(${doubled("'aaaaaaaaaaaaaaaa'", 60)})`,
  `size(${doubled("big", 60)})`,
  "big.map(x, big + big).size() > 0",
  "big.all(x, big == big)",
  "big.all(x, (-1 in big) == false)",
  "big.all(x, !text.matches('(a|b|ab)*c'))",
  "text.replace('a', text).size() > 0",
  "big.map(x, 'x').join(text).size() > 0",
  "big.all(x, lists.range(9999999).size() > 0)",
  "big.distinct().size() > 0",
  "big.exists(x, 1 / 0 == x)",
  "big.all(x, text.split('').size() > 0)",
  "big.all(x, sets.intersects(big, [dyn(-1)]) == false)",
])("%s", (source) => {
  const outcome = run(source);
  expect(outcome.error).toMatch(/actual cost limit exceeded|division by zero/);
});

test("a text cannot nest or grow without end", () => {
  const errorOf = (source: string): string | undefined => compile(source, environment).error;
  expect(errorOf("(".repeat(5000) + "1" + ")".repeat(5000))).toContain("recursion limit exceeded");
  expect(errorOf("[".repeat(5000))).toContain("recursion limit exceeded");
  expect(errorOf("1" + "+1".repeat(5000))).toContain("recursion limit exceeded");
  expect(errorOf("-".repeat(50_000) + "1")).toBeUndefined();
  expect(errorOf("!".repeat(50_001) + "true")).toBeUndefined();
  expect(errorOf("a" + ".b".repeat(5000))).toContain("recursion limit exceeded");
  expect(errorOf("true" + " && true".repeat(5000))).toBeUndefined();
  expect(errorOf("x".repeat(100_001))).toContain("size exceeds limit");
  expect(errorOf("'a'.matches('(((a{100}){100}){100})')")).toContain("invalid matches argument");
  expect(errorOf(`'a'.matches('${"a".repeat(5000)}')`)).toContain("invalid matches argument");
});

test("a sign after a negation needs a number", () => {
  expect(compile("!-(1)", environment).error).toContain("1:3: Syntax error: no viable alternative at input '-('");
  expect(compile("!-", environment).error).toContain("Syntax error: no viable alternative at input '-<EOF>'");
});

test("the check of a text does not take long", () => {
  const errorOf = (source: string): string | undefined => compile(source, environment).error;
  expect(errorOf(`[${"[1]+[1],".repeat(11_000)}]`)).toBeUndefined();
  expect(errorOf(`[1]${".map(a, {[a]: [a]})".repeat(100)}`)).toContain("too complex");
  expect(errorOf(`[${"[],".repeat(30_000)}].all(x, x == [])`)).toContain("too complex");
});

test("what is wrong with a text is told in bounded space", () => {
  const { error } = compile(`[${"x,".repeat(40_000)}]`, environment);
  expect(error?.length).toBeLessThan(20_000);
  expect(error).toContain("39900 more errors were truncated");
});

test("values nested deeply do not overflow the stack", () => {
  let nested: unknown = 1;
  for (let level = 0; level < 100_000; level++) nested = [nested];
  const { program } = compile("big == text", environment);
  const outcome = program?.evaluate({ big: jsonValue([nested]), text: jsonValue([structuredCloneOf(nested)]) });
  expect(outcome?.error ?? outcome?.value).toBeDefined();
});

/** structuredClone would recurse. */
function structuredCloneOf(nested: unknown): unknown {
  let depth = 0;
  for (let at = nested; Array.isArray(at); at = at[0]) depth++;
  let copy: unknown = 1;
  for (let level = 0; level < depth; level++) copy = [copy];
  return copy;
}
