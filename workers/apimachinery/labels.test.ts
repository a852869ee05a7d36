import * as fc from "fast-check";
import { expect, test } from "vitest";
import { everything, labelSelectorAsSelector, nothing, parseLabelSelector, selectorFromSet } from "./labels.ts";

const labels = { app: "web", tier: "front", empty: "", count: "5" };

test.each([
  ["", true],
  ["app=web", true],
  ["app==web", true],
  ["app!=web", false],
  ["missing!=web", true],
  ["app in (web,api)", true],
  ["app in (api)", false],
  ["app notin (web)", false],
  ["missing notin (web)", true],
  ["app", true],
  ["!app", false],
  ["! missing", true],
  ["count>4", true],
  ["count>5", false],
  ["count<6", true],
  ["app<6", false],
  ["empty=", true],
  ["empty in ()", true],
  ["empty in (,x)", true],
  ["app=web,tier=front,!missing", true],
  ["in=a", false],
  [" app  in  ( web ) ", true],
])("%j matches: %s", (text, matches) => {
  expect(parseLabelSelector(text).matches(labels)).toBe(matches);
});

test.each([
  ["a=", "a="],
  ["b=1,a in (y,x)", "a in (x,y),b=1"],
  ["x notin ()", "x notin ()"],
  ["x in (a,,b)", "x in (,a,b)"],
  ["!c, b , a==d", "a==d,b,!c"],
  ["n>1,n<09", "n>1,n<09"],
])("%j is written as %j", (text, canonical) => {
  expect(parseLabelSelector(text).toString()).toBe(canonical);
});

const keyHelp =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

test.each([
  ["app: nginx", `unable to parse requirement: <nil>: Invalid value: "app:": ${keyHelp}`],
  ["a b", "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
  ["a,,b", "found ',', expected: identifier after ','"],
  ["a,", "found '', expected: identifier after ','"],
  [",a", "found ',', expected: !, identifier, or 'end of string'"],
  ["a in b", "unable to parse requirement: found 'b' expected: '('"],
  ["a in (b", "unable to parse requirement: found '', expected: ',' or ')'"],
  ["a in (!", "unable to parse requirement: found '!', expected: ',', ')' or identifier"],
  ["a=b=c", "found '=', expected: ',' or 'end of string'"],
  ["a=)", "unable to parse requirement: found ')', expected: identifier"],
  ["!=", "found '!=', expected: !, identifier, or 'end of string'"],
  [
    "a>x",
    `unable to parse requirement: values[0]: Invalid value: "x": for 'Gt', 'Lt' operators, the value must be an integer`,
  ],
  [
    "a=-",
    `unable to parse requirement: values[0][a]: Invalid value: "-": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`,
  ],
])("%j is refused", (text, message) => {
  expect(() => parseLabelSelector(text)).toThrow(new Error(message));
});

test("metav1.LabelSelector: undefined selects nothing, {} everything", () => {
  expect(labelSelectorAsSelector(undefined)).toBe(nothing);
  expect(labelSelectorAsSelector({})).toBe(everything);
  const selector = labelSelectorAsSelector({
    matchLabels: { tier: "front" },
    matchExpressions: [
      { key: "app", operator: "In", values: ["web", "api"] },
      { key: "missing", operator: "DoesNotExist" },
    ],
  });
  expect(selector.toString()).toBe("app in (api,web),!missing,tier=front");
  expect(selector.matches(labels)).toBe(true);
  expect(selector.matches(undefined)).toBe(false);
  expect(() => labelSelectorAsSelector({ matchExpressions: [{ key: "a", operator: "Like" }] })).toThrow(
    '"Like" is not a valid label selector operator',
  );
  expect(() => labelSelectorAsSelector({ matchExpressions: [{ key: "a", operator: "In", values: [] }] })).toThrow(
    "values: Invalid value: []: for 'in', 'notin' operators, values set can't be empty",
  );
});

test("labels named like members of Object are ordinary", () => {
  expect(parseLabelSelector("constructor").matches({})).toBe(false);
  expect(parseLabelSelector("!toString").matches({})).toBe(true);
});

test("the canonical form parses back to a selector that matches the same", () => {
  const key = fc.constantFrom("a", "b", "c", "in", "x.io/notin");
  const value = fc.constantFrom("", "1", "2", "in", "z");
  const term = fc.oneof(
    fc.tuple(key, fc.constantFrom("=", "==", "!="), value).map(([k, o, v]) => `${k}${o}${v}`),
    fc
      .tuple(key, fc.constantFrom("in", "notin"), fc.array(value, { maxLength: 3 }))
      .map(([k, o, v]) => `${k} ${o} (${v.join(",")})`),
    fc
      .tuple(key, fc.constantFrom(">", "<"), fc.integer({ min: -2, max: 3 }))
      .map(([k, o, v]) => `${k}${o}${Math.abs(v)}`),
    fc.tuple(fc.constantFrom("", "!"), key).map(([o, k]) => `${o}${k}`),
  );
  fc.assert(
    fc.property(fc.array(term, { maxLength: 4 }), fc.dictionary(key, value), (terms, set) => {
      const selector = parseLabelSelector(terms.join(","));
      const again = parseLabelSelector(selector.toString());
      expect(again.toString()).toBe(selector.toString());
      expect(again.matches(set)).toBe(selector.matches(set));
      expect(selector.matches(set)).toBe(terms.every((text) => parseLabelSelector(text).matches(set)));
      expect(selectorFromSet(set).matches(set)).toBe(true);
    }),
    { seed: 20260104, numRuns: 500 },
  );
});
