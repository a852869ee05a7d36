import { assert, constantFrom, oneof, property, string, array } from "fast-check";
import { expect, test } from "vitest";
import { parseFieldSelector } from "../../workers/apimachinery/fields.ts";
import { parseLabelSelector } from "../../workers/apimachinery/labels.ts";
import { parseQuantity } from "../../workers/apimachinery/quantity.ts";
import { runs, seed, timeout } from "./arbitraries.ts";

const labelTokens = array(
  oneof(
    constantFrom("a", "b.c/d", " in ", " notin ", "(", ")", ",", "=", "==", "!=", "!", ">", "<", "1", " ", "\\"),
    string({ maxLength: 3 }),
  ),
  { maxLength: 9 },
).map((parts) => parts.join(""));

test(
  `${runs()} texts are label selectors, whose canonical form means the same, or are refused (seed ${seed})`,
  { timeout },
  () => {
    assert(
      property(labelTokens, (text) => {
        let selector;
        try {
          selector = parseLabelSelector(text);
        } catch (error) {
          expect((error as Error).message).not.toBe("");
          return;
        }
        const canonical = selector.toString();
        const again = parseLabelSelector(canonical);
        expect(again.toString()).toBe(canonical);
        const sets: (Record<string, string> | undefined)[] = [undefined, {}, { a: "1" }, { "b.c/d": "a", a: "b" }];
        for (const labels of sets) expect(again.matches(labels)).toBe(selector.matches(labels));
      }),
      { numRuns: runs(), seed },
    );
  },
);

test(`${runs()} texts are field selectors or are refused (seed ${seed})`, { timeout }, () => {
  const tokens = array(
    oneof(constantFrom("metadata.name", "=", "==", "!=", ",", "\\", "\\,", "x"), string({ maxLength: 3 })),
    { maxLength: 7 },
  ).map((parts) => parts.join(""));
  assert(
    property(tokens, (text) => {
      try {
        parseFieldSelector(text).matches((field) => field);
      } catch (error) {
        expect((error as Error).message).not.toBe("");
      }
    }),
    { numRuns: runs(), seed },
  );
});

test(
  `${runs()} texts are quantities, whose canonical form is the same amount, or are refused (seed ${seed})`,
  { timeout },
  () => {
    const tokens = oneof(
      array(constantFrom("1", "0", "9", ".", "-", "+", "m", "Ki", "Gi", "k", "E", "e", "n", "u", "3"), {
        maxLength: 7,
      }).map((parts) => parts.join("")),
      string({ maxLength: 6 }),
    );
    assert(
      property(tokens, (text) => {
        let quantity;
        try {
          quantity = parseQuantity(text);
        } catch (error) {
          expect((error as Error).message).not.toBe("");
          return;
        }
        const again = parseQuantity(quantity.toString());
        expect(again.cmp(quantity)).toBe(0);
        expect(again.toString()).toBe(quantity.toString());
      }),
      { numRuns: runs(), seed },
    );
  },
);
