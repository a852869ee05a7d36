import { array, assert, constantFrom, integer, nat, oneof, property, record, string, tuple } from "fast-check";
import { expect, test } from "vitest";
import { compileValidationRules, validateWithRules } from "../../workers/admission/cel/crd-validation.ts";
import { compile, extend, kubernetesEnvironment, perCallLimit } from "../../workers/admission/cel/environment.ts";
import type { Environment, Outcome } from "../../workers/admission/cel/environment.ts";
import { CelError, CostLimitExceeded } from "../../workers/admission/cel/errors.ts";
import { jsonValue } from "../../workers/admission/cel/json-values.ts";
import { policyActivation, policyEnvironment } from "../../workers/admission/cel/policy-environment.ts";
import { checkRules } from "../../workers/admission/cel/rule-checks.ts";
import type { StructuralSchema } from "../../workers/admission/cel/structural-schema.ts";
import { toJson } from "../../workers/admission/cel/to-json.ts";
import { dynType, intType, listOf, mapOf, stringType } from "../../workers/admission/cel/types.ts";
import { json, runs, seed, timeout } from "./arbitraries.ts";

/** Expressions of the kinds that people write; each is also checked as it is. */
const real = [
  "self.minReplicas <= self.replicas && self.replicas <= self.maxReplicas",
  "self == oldSelf",
  "has(self.a) ? !has(self.b) : has(self.b)",
  "self.list.all(x, x.name.startsWith('a') && x.size < 10)",
  "self.list.exists_one(x, x.name == 'a')",
  "self.list.map(x, x.size > 0, x.name).filter(n, n.matches('^[a-z]+$')).size() <= 3",
  "size(self.labels) == 0 || self.labels.all(k, k.contains('/') || self.labels[k] != '')",
  "object.spec.containers.all(c, !c.image.endsWith(':latest') && c.?securityContext.?privileged.orValue(false) == false)",
  "object.spec.replicas <= 5 || request.userInfo.groups.exists(g, g == 'admins')",
  "quantity('1Gi').isGreaterThan(quantity('500Mi')) && quantity('1k').add(2).sub(quantity('2')).asInteger() == 1000",
  "url('https://a.b:80/c?d=e').getHostname() == 'a.b' && url('https://a.b/c?d=e').getQuery()['d'][0] == 'e'",
  "ip('10.0.0.1').family() == 4 && cidr('10.0.0.0/8').containsIP('10.1.2.3')",
  "timestamp('2026-01-01T00:00:00Z') + duration('1h') > timestamp('2026-01-01T00:30:00Z')",
  "'a-b-c'.split('-').join('').replace('b', 'x').upperAscii() == 'AXC' && 'abc'.substring(1, 2).charAt(0) == 'b'",
  "[1, 2, 3].sum() == 6 && [3, 1].min() == 1 && [1, 2].isSorted() && [1, 2, 1].lastIndexOf(1) == 2",
  "sets.contains([1, 2], [1]) && sets.intersects([1], [1, 2]) && sets.equivalent([1], [1, 1])",
  "{'a': dyn(1), 'b': dyn([dyn(1.5), dyn(2u), dyn(b'x'), dyn(null)])}.size() == 2 && 'a' in {'a': 1} && 5 / 2 == 2 && -5 % 3 == -2",
  "authorizer.group('apps').resource('deployments').namespace('x').check('get').allowed()",
  "'%s is %d of %.2f'.format([dyn('a'), dyn(1), dyn(2.5)]) == 'a is 1 of 2.50'",
  "format.dns1123Label().validate('a').hasValue() || optional.of(1).hasValue()",
  "string(1) + string(true) + string(1.5) == '1true1.5' && int('7') == 7 && double('1e3') > 1.0 && uint(3) == 3u",
  "semver('1.2.3').isLessThan(semver('1.3.0')) && lists.range(3).reverse() == [2, 1, 0]",
];

const pieces = [...new Set(real.flatMap((rule) => rule.match(/\w+|'[^']*'|\.\?|[<>=!]=|&&|\|\||\S/g) ?? []))];
const extra = [
  "(",
  ")",
  "[",
  "]",
  "{",
  "}",
  ".",
  ",",
  ":",
  "?",
  "!",
  "-",
  "+",
  "*",
  "/",
  "%",
  "&&",
  "||",
  "==",
  "in",
  " ",
  "\n",
  "//",
  "'",
  '"',
  "'''",
  "r'\\d'",
  "b'\\xff'",
  "'\\u00e9'",
  "1",
  "0",
  "-1",
  "9223372036854775807",
  "9223372036854775808u",
  "1e400",
  "0x7f",
  "1u",
  ".5",
  "null",
  "true",
  "as",
  "__self__",
  "type",
  "dyn",
  "google.protobuf.Timestamp",
  "Object{",
  "`a`",
  "a.b",
  "lists.range(9999)",
  "'x'.split('')",
];
const soup = array(
  oneof(
    { weight: 5, arbitrary: constantFrom(...pieces, ...extra) },
    { weight: 1, arbitrary: string({ maxLength: 4 }) },
  ),
  { maxLength: 14 },
).map((tokens) => tokens.join(" "));

interface Change {
  kind: "drop" | "double" | "swap" | "insert" | "replace" | "negate" | "nest" | "graft";
  at: number;
  token: string;
  rule: number;
}

const changes = array(
  record<Change>({
    kind: constantFrom("drop", "double", "swap", "insert", "replace", "negate", "nest", "graft"),
    at: nat(60),
    token: constantFrom(...pieces, ...extra),
    rule: nat(real.length - 1),
  }),
  { minLength: 1, maxLength: 4 },
);

function mutated(source: string, list: readonly Change[]): string {
  let tokens: string[] = source.match(/\w+|'[^']*'|\.\?|[<>=!]=|&&|\|\||\S|\s/g) ?? [];
  for (const { kind, at, token, rule } of list) {
    const index = at % Math.max(1, tokens.length);
    const here = tokens[index] ?? "";
    switch (kind) {
      case "drop":
        tokens.splice(index, 1);
        break;
      case "double":
        tokens.splice(index, 0, here);
        break;
      case "swap":
        tokens = [...tokens.slice(0, index), ...tokens.slice(index + 1, index + 2), here, ...tokens.slice(index + 2)];
        break;
      case "insert":
        tokens.splice(index, 0, " ", token, " ");
        break;
      case "replace":
        tokens[index] = token;
        break;
      case "negate":
        tokens = ["!(", ...tokens, ")"];
        break;
      case "nest":
        tokens = [`[${token}].map(v${index}, `, ...tokens, ")"];
        break;
      case "graft":
        tokens = ["(", ...tokens, ") ", at % 2 === 0 ? "&&" : "||", " (", real[rule]!, ")"];
        break;
    }
  }
  return tokens.join("");
}

const item = record({
  name: oneof(constantFrom("a", "b", ""), string({ maxLength: 5 })),
  size: integer({ min: -3, max: 12 }),
});
const selves = record(
  {
    a: string({ maxLength: 3 }),
    b: string({ maxLength: 3 }),
    replicas: integer({ min: 0, max: 9 }),
    minReplicas: integer({ min: 0, max: 9 }),
    maxReplicas: integer({ min: 0, max: 9 }),
    list: array(item, { maxLength: 5 }),
    labels: constantFrom<Record<string, string>>({}, { "a/b": "c", d: "" }, { x: "y" }),
  },
  { requiredKeys: [] },
);

const policies = policyEnvironment({ params: true, authorizer: true });
const loose = extend(kubernetesEnvironment, {
  variables: {
    self: dynType,
    oldSelf: dynType,
    object: dynType,
    texts: listOf(stringType),
    counts: mapOf(stringType, intType),
  },
});

const within = (outcome: Outcome, budget: number) => {
  if (outcome.error === undefined) expect(outcome.cost).toBeLessThanOrEqual(budget);
  else expect(outcome.error).not.toBe("");
  expect(Number.isFinite(outcome.cost) && outcome.cost >= 0).toBe(true);
};

/** Compiled or told what is wrong; run within several budgets, twice with one result. True when it could be run. */
function tryOut(
  source: string,
  environment: Environment,
  activation: Parameters<NonNullable<ReturnType<typeof compile>["program"]>["evaluate"]>[0],
): boolean {
  const { program, error } = compile(source, environment);
  if (program === undefined) {
    expect(error).toMatch(/^ERROR: /);
    return false;
  }
  const outcome = program.evaluate(activation);
  within(outcome, perCallLimit);
  const again = program.evaluate(activation);
  expect([again.error, again.cost]).toEqual([outcome.error, outcome.cost]);
  for (const budget of [0, 3, 50]) within(program.evaluate(activation, budget), budget);
  if (outcome.value !== undefined) {
    try {
      expect(JSON.stringify(toJson(outcome.value))).toBeDefined();
    } catch (thrown) {
      if (!(thrown instanceof CelError || thrown instanceof CostLimitExceeded)) throw thrown;
    }
  }
  return true;
}

function activationOf(object: unknown, old: unknown) {
  return policyActivation({
    object,
    oldObject: old,
    params: null,
    request: { name: "x", operation: "CREATE", userInfo: { username: "u", groups: ["admins"] }, options: {} },
    namespaceObject: { metadata: { name: "x", labels: { a: "b" } } },
    authorize: ({ verb }) => ({ allowed: verb === "get", reason: "", error: "" }),
  });
}

test("the expressions that are changed below are themselves in order", () => {
  const broken = real.filter(
    (source) =>
      compile(source, source.includes("request") || source.includes("authorizer") ? policies : loose).program ===
      undefined,
  );
  expect(broken.map((source) => compile(source, loose).error)).toEqual([]);
});

test(
  `${runs(0.5)} heaps of tokens compile and run within their budget, or are refused (seed ${seed})`,
  { timeout },
  () => {
    assert(
      property(tuple(soup, json), ([source, value]) => {
        const cel = jsonValue(value);
        tryOut(source, loose, {
          self: cel,
          oldSelf: cel,
          object: cel,
          texts: jsonValue(["a", "b"]),
          counts: jsonValue({ a: 1 }),
        });
        tryOut(source, policies, activationOf(value, null));
      }),
      { numRuns: runs(0.5), seed },
    );
  },
);

test(
  `${runs(0.5)} changed expressions compile and run within their budget, or are refused (seed ${seed})`,
  { timeout },
  () => {
    let ran = 0;
    assert(
      property(tuple(constantFrom(...real), changes, selves, oneof(selves, json)), ([source, list, self, object]) => {
        const changed = mutated(source, list);
        const [cel, other] = [jsonValue(self), jsonValue(object)];
        if (
          tryOut(changed, loose, {
            self: cel,
            oldSelf: other,
            object: other,
            texts: jsonValue(["a", "b"]),
            counts: jsonValue({ a: 1 }),
          })
        )
          ran++;
        if (tryOut(changed, policies, activationOf({ spec: self }, object))) ran++;
      }),
      { numRuns: runs(0.5), seed },
    );
    expect(ran).toBeGreaterThan(runs(0.5) / 20);
  },
);

const values = [
  ...[
    "1",
    "1u",
    "1.5",
    "'a'",
    "b'a'",
    "true",
    "null",
    "[]",
    "[1]",
    "{'a': 1}",
    "type(1)",
    "optional.of(1)",
    "optional.none()",
  ],
  ...["timestamp('2026-01-01T00:00:00Z')", "duration('1h')", "quantity('1')", "semver('1.0.0')"],
  ...["ip('1.1.1.1')", "cidr('1.0.0.0/8')", "url('http://a')"],
];
const overloads = [...loose.functions].flatMap(([name, declaration]) =>
  declaration.overloads.map(({ params }) => ({ name, arity: params.length })),
);
/** A value of any type; mostly one that the check lets pass, so that it comes to be seen when the call is made. */
const argument = tuple(constantFrom(...values), nat(4)).map(([value, often]) => (often > 0 ? `dyn(${value})` : value));
const calls = tuple(constantFrom(...overloads), array(argument, { minLength: 4, maxLength: 4 }), nat(3)).map(
  ([{ name, arity }, all, form]) => {
    const [first, ...rest] = all.slice(0, Math.max(1, arity));
    const operator = /^_(\W+)_$/.exec(name)?.[1];
    if (operator === "?_:") return `${all[0]} ? ${all[1]} : ${all[2]}`;
    if (operator === "[_]" || name === "_[_]") return `${all[0]}[${all[1]}]`;
    if (operator !== undefined) return `${all[0]} ${operator} ${all[1]}`;
    if (name.endsWith("_")) return `${name.slice(0, -1)}${first}`;
    if (form === 0) return `dyn([${all.join()}]).${name}(${rest.join()})`;
    return form === 1 ? `${name}(${[first, ...rest].join()})` : `${first}.${name}(${rest.join()})`;
  },
);

test(
  `${runs(0.5)} calls of every function with values of any type give a value or an error (seed ${seed})`,
  { timeout },
  () => {
    let ran = 0;
    assert(
      property(calls, (source) => {
        if (tryOut(source, loose, { self: null })) ran++;
      }),
      { numRuns: runs(0.5), seed },
    );
    expect(ran).toBeGreaterThan(runs(0.5) / 20);
  },
);

const text: StructuralSchema = { type: "string", maxLength: 20 };
const count: StructuralSchema = { type: "integer" };
const spec: StructuralSchema = {
  type: "object",
  properties: {
    a: text,
    b: text,
    replicas: count,
    minReplicas: count,
    maxReplicas: count,
    list: {
      type: "array",
      maxItems: 10,
      items: { type: "object", properties: { name: text, size: count } },
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["name"],
    },
    labels: { type: "object", maxProperties: 10, additionalProperties: text },
  },
};

test(`${runs(0.25)} changed rules of a custom kind are checked, estimated and run (seed ${seed})`, { timeout }, () => {
  let sound = 0;
  const ofSelf = real.filter((rule) => !/object|authorizer/.test(rule));
  assert(
    property(
      tuple(constantFrom(...ofSelf), changes, selves, selves, nat(2000)),
      ([source, list, self, old, budget]) => {
        const rule = mutated(source, list.slice(0, 2));
        const schema: StructuralSchema = {
          type: "object",
          properties: { spec: { ...spec, "x-kubernetes-validations": [{ rule, messageExpression: "self.a" }] } },
        };
        const refusals = checkRules(schema, "schema");
        for (const { message } of refusals) expect(message).not.toContain("[object ");
        if (refusals.length === 0) sound++;
        const rules = compileValidationRules(schema);
        const causes = validateWithRules(rules, { spec: self }, { spec: old });
        expect(validateWithRules(rules, { spec: self }, { spec: old })).toEqual(causes);
        validateWithRules(rules, { spec: self }, undefined, { costBudget: budget });
        validateWithRules(rules, { spec: self }, { spec: old }, { ratcheting: true });
      },
    ),
    { numRuns: runs(0.25), seed },
  );
  expect(sound).toBeGreaterThan(runs(0.25) / 20);
});
