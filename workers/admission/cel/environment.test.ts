import { expect, test } from "vitest";
import { compile, extend, kubernetesEnvironment } from "./environment.ts";
import type { Extension } from "./environment.ts";
import { newAuthorizerValue, authorizerType } from "./library/authorizer.ts";
import { boolType, dynType, intType, listOf, mapOf, stringType } from "./types.ts";
import type { Value } from "./values.ts";
import { CelList, CelOptional } from "./values.ts";

function evaluate(source: string, variables: Record<string, Value> = {}): unknown {
  const types = Object.fromEntries(Object.keys(variables).map((name) => [name, dynType]));
  const { program, error } = compile(source, extend(kubernetesEnvironment, { variables: types }));
  if (program === undefined) throw new Error(error);
  const outcome = program.evaluate(variables);
  return outcome.error === undefined ? plain(outcome.value) : `error: ${outcome.error}`;
}

function plain(value: Value): unknown {
  if (value instanceof CelList) return [...value].map(plain);
  if (value instanceof CelOptional) return value.value === undefined ? "none" : ["some", plain(value.value)];
  return value;
}

test.each<[string, unknown]>([
  // lists
  ["[1, 2, 2].isSorted() && !['b', 'a'].isSorted()", true],
  ["[1, 2, 3].sum()", 6n],
  ["[duration('1m'), duration('30s')].sum() == duration('90s')", true],
  ["[3, 1, 2].min() + [3, 1, 2].max()", 4n],
  ["[1].filter(x, x > 1).min()", "error: min called on empty list"],
  ["['a', 'b', 'a'].lastIndexOf('a') - ['a', 'b', 'a'].indexOf('a')", 2n],
  ["[1, 2, 3, 4].slice(1, 3) + [4, 3].reverse() + lists.range(2)", [2n, 3n, 3n, 4n, 0n, 1n]],
  ["[1].slice(0, 2)", "error: cannot slice(0, 2), list is length 1"],
  ["[[1, 2], [3]].flatten() + [3, 1].sort() + [1, 2, 1].distinct()", [1n, 2n, 3n, 1n, 3n, 1n, 2n]],
  ["[{'k': 2}, {'k': 1}].sortBy(e, e.k).map(e, e.k)", [1n, 2n]],
  ["timestamp('2026-01-01T00:00:00Z') > null", "error: no such overload"],
  ["[duration('1m'), null].sum()", "error: no such overload"],
  // regex
  ["'abc 123 def'.find('[0-9]+')", "123"],
  ["'123 abc 456'.findAll('[0-9]+')", ["123", "456"]],
  ["'123 abc 456'.findAll('[0-9]+', 1)", ["123"]],
  ["'ab'.matches('^[a-z]{2}$') && !'ab\\n'.matches('^ab$')", true],
  // strings
  ["'tacocat'.charAt(3) + 'a,b'.split(',').join('-')", "oa-b"],
  ["'hello'.replace('l', 'L', 1).substring(1, 4)", "eLl"],
  ["'ab'.replace('', '-')", "-a-b-"],
  ["' x '.trim().upperAscii()", "X"],
  ["'%s is %d, %.2f, %x'.format([dyn('a'), 7, 2.346, 255])", "a is 7, 2.35, ff"],
  ["'hélloé'.indexOf('é', 2)", 5n],
  // urls
  ["url('https://user@example.com:80/a b?k=1&k=2').getHost()", "example.com:80"],
  ["url('https://[::1]:80/path').getHostname() + url('https://[::1]:80/p').getPort()", "::180"],
  ["url('https://example.com/a?k=1&k=2').getQuery()['k']", ["1", "2"]],
  ["url('https://example.com/with space/').getEscapedPath()", "/with%20space/"],
  ["isURL('/absolute') && isURL('ftp://x') && !isURL('relative') && !isURL('https://a:b:c/')", true],
  // addresses
  ["ip('fe80::1').family() == 6 && ip('fe80::1').isLinkLocalUnicast() && !isIP('1.2.3.04')", true],
  ["ip.isCanonical('2001:db8::0') || !ip.isCanonical('2001:db8::')", false],
  ["string(ip('2001:db8:0:0:1:0:0:1'))", "2001:db8::1:0:0:1"],
  ["cidr('10.0.0.0/8').containsIP('10.1.2.3') && !cidr('10.0.0.0/8').containsCIDR('10.0.0.0/7')", true],
  ["string(cidr('10.1.2.3/8').masked())", "10.0.0.0/8"],
  ["isIP('::ffff:1.2.3.4') || isIP('fe80::1%eth0')", false],
  // quantities
  ["quantity('50k').add(20).compareTo(quantity('50020'))", 0n],
  ["quantity('1Gi').isGreaterThan(quantity('1G')) && isQuantity('1.3Gi') && !isQuantity('200K')", true],
  ["quantity('50k').asInteger()", 50_000n],
  ["quantity('9999999999999999999999').isInteger() || quantity('0.5').isInteger()", false],
  ["quantity('1.5').asInteger()", "error: cannot convert value to integer"],
  // formats
  ["format.dns1123Label().validate('my-name')", "none"],
  ["format.named('dns1123Label').value().validate('My_Name').hasValue()", true],
  ["format.named('nothing')", "none"],
  ["!format.date().validate('2021-02-30').hasValue()", false],
  // versions
  ["semver('1.2.3-rc.1').isLessThan(semver('1.2.3')) && semver('v1.0', true).minor() == 0", true],
  ["isSemver('v1.0.0') || isSemver('1.0') || isSemver('01.0.0')", false],
  ["semver('1.0.0-alpha.9').compareTo(semver('1.0.0-alpha.10'))", -1n],
  // optionals
  ["{'a': 1}.?b.orValue(5) + {'a': 1}[?'a'].optMap(x, x + 1).value()", 7n],
  ["[?optional.none(), 1]", [1n]],
  ["optional.none().or(optional.of(3)).value()", 3n],
  // sets, two variables
  ["sets.contains([1, 2], [2]) && sets.equivalent([1, 1], [1]) && !sets.intersects([1], [2])", true],
  ["[5, 6].all(i, v, v == 5 + i) && {'a': 1}.exists(k, v, k == 'a' && v == 1)", true],
  ["[5, 6].transformList(i, v, i > 0, v * 10)", [60n]],
  ["{'a': 1, 'b': 2}.transformMap(k, v, v > 1, v + 1)['b']", 3n],
  // absorbed errors
  ["[1, 0].exists(x, 1 / x == 1) && ([0, 1].all(x, 1 / x > 5) == false)", true],
  ["1 / 0 > 0 || true", true],
  ["9223372036854775807 + 1", "error: integer overflow"],
  ["[1][1]", "error: index out of bounds: 1"],
  ["{'a': 1}['b']", "error: no such key: b"],
])("%s", (source, expected) => {
  expect(evaluate(source)).toEqual(expected);
});

function errorOf(source: string, extension: Extension = {}): string | undefined {
  return compile(source, extend(kubernetesEnvironment, extension)).error;
}

test("errors of compilation name the place", () => {
  expect(errorOf("foo")).toBe("ERROR: <input>:1:1: undeclared reference to 'foo' (in container '')\n | foo\n | ^");
  expect(errorOf("1 +\n 'a'")).toBe(
    "ERROR: <input>:1:3: found no matching overload for '_+_' applied to '(int, string)'\n | 1 +\n | ..^",
  );
  expect(errorOf("'a'.startsWith(1)")).toContain(
    "1:15: found no matching overload for 'startsWith' applied to 'string.(int)'",
  );
  expect(errorOf("[1, 'a']")).toContain("1:5: expected type 'int' but found 'string'");
  expect(errorOf("x.y", { variables: { x: intType } })).toContain("1:2: type 'int' does not support field selection");
  expect(errorOf("1.all(x, true)")).toContain("expression of type 'int' cannot be range of a comprehension");
  expect(errorOf("1 +")).toContain("ERROR: <input>:1:4: Syntax error: mismatched input '<EOF>' expecting {'[', '{'");
  expect(errorOf("'a'.matches('(')")).toContain("invalid matches argument");
  expect(errorOf("[1].all(x, x)")).toContain("1:12: expected type 'bool' but found 'int'");
  expect(errorOf("has(x)", { variables: { x: boolType } })).toContain("invalid argument to has() macro");
  expect(errorOf("reversed.reverse()", { variables: { reversed: stringType } })).toContain(
    "found no matching overload for 'reverse' applied to 'string.()'",
  );
});

test("types flow through macros, maps and optionals", () => {
  const typed = compile(
    "m.filter(k, m[k].all(s, s.size() > 1)).map(k, m[k][?0].orValue('')).join(',')",
    extend(kubernetesEnvironment, {
      variables: { m: mapOf(stringType, listOf(stringType)) },
    }),
  );
  expect(typed.program?.type.kind).toBe("string");
  expect(errorOf("m.exists(k, m[k] == 1)", { variables: { m: mapOf(stringType, stringType) } })).toContain(
    "applied to '(string, int)'",
  );
});

test("two lists of one type and of another make the more general one", () => {
  expect(compile("([1] + [dyn('a')])[0]", kubernetesEnvironment).program?.type.kind).toBe("dyn");
});

test("a name shadows none of the local variables", () => {
  expect(evaluate("[{'b': 1}].all(a, a.b == 1)")).toBe(true);
});

test("authorizer checks reach the caller's decision", () => {
  const asked: unknown[] = [];
  const authorizer = newAuthorizerValue((attributes) => {
    asked.push(attributes);
    return { allowed: attributes.verb === "get", reason: "", error: "" };
  });
  const source =
    "authorizer.group('apps').resource('deployments').namespace('n').name('x').check('get').allowed() && !authorizer.path('/healthz').check('put').allowed()";
  const { program } = compile(source, extend(kubernetesEnvironment, { variables: { authorizer: authorizerType } }));
  const outcome = program?.evaluate({ authorizer });
  expect(outcome?.value).toBe(true);
  expect(outcome?.cost).toBeGreaterThan(700_000);
  expect(asked).toEqual([
    { group: "apps", resource: "deployments", namespace: "n", name: "x", verb: "get" },
    { path: "/healthz", verb: "put" },
  ]);
});
