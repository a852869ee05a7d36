import * as fc from "fast-check";
import { expect, test } from "vitest";
import { newMilliQuantity, newQuantity, parseQuantity, Quantity } from "./quantity.ts";

test.each([
  ["0", "0"],
  ["0n", "0"],
  ["0Ki", "0"],
  ["1", "1"],
  ["1.5", "1500m"],
  ["0.1", "100m"],
  ["100m", "100m"],
  ["1000m", "1"],
  ["1000", "1k"],
  ["1024", "1024"],
  ["1Ki", "1Ki"],
  ["8Ki", "8Ki"],
  ["1024Ki", "1Mi"],
  ["1.5Gi", "1536Mi"],
  ["0.5Ki", "512"],
  ["100Ki", "100Ki"],
  ["0.5i".replace("i", "Mi"), "512Ki"],
  [".001Ki", "1024m"],
  ["1e3", "1e3"],
  ["1e4", "10e3"],
  ["1E6", "1E6"],
  ["12e-3", "12e-3"],
  ["1000000000000000000000", "1000E"],
  ["1E", "1E"],
  ["-1.5", "-1500m"],
  ["0.1n", "1n"],
  ["-0.1n", "-1n"],
  ["1.0000000001", "1000000001n"],
  ["8Ei", "9223372036854775807"],
  ["-8Ei", "-9223372036854775807"],
  [".", "0"],
  ["1000000Gi", "1000000Gi"],
  ["2048Ti", "2Pi"],
])("%s is written as %s", (text, canonical) => {
  expect(parseQuantity(text).toString()).toBe(canonical);
});

test.each(["", "1x", "abc", " 1", "1 ", "1.5.1", "1e1.5", "1,5"])("%j does not match the format", (text) => {
  expect(() => parseQuantity(text)).toThrow(
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
  );
});

test.each(["1K", "--1", "1mm", "1e", "1ki", "1i", "1Eie3"])("%s has a bad suffix", (text) => {
  expect(() => parseQuantity(text)).toThrow("unable to parse quantity's suffix");
});

test("a number is read by its text", () => {
  expect(parseQuantity(0.1).milliValue()).toBe(100n);
  expect(parseQuantity(2).toString()).toBe("2");
});

test("value and milliValue round away from zero and saturate", () => {
  expect(parseQuantity("1500m").value()).toBe(2n);
  expect(parseQuantity("-1500m").value()).toBe(-2n);
  expect(parseQuantity("1n").milliValue()).toBe(1n);
  expect(parseQuantity("1e400").value()).toBe(2n ** 63n - 1n);
  expect(parseQuantity("10E").value()).toBe(2n ** 63n - 1n);
});

test("a zero takes the format of what is added", () => {
  expect(parseQuantity("0").add(parseQuantity("1Gi")).toString()).toBe("1Gi");
  expect(parseQuantity("1Gi").sub(parseQuantity("512Mi")).toString()).toBe("512Mi");
  expect(newQuantity(0).sub(parseQuantity("1Gi")).toString()).toBe("-1Gi");
  expect(newMilliQuantity(250).add(parseQuantity("750m")).toString()).toBe("1");
});

test("huge exponents cost nothing", () => {
  const huge = parseQuantity("1e2000000000");
  expect(huge.cmp(parseQuantity("2e1999999999"))).toBe(1);
  expect(huge.neg().cmp(parseQuantity("1"))).toBe(-1);
  expect(huge.add(parseQuantity("1")).toString()).toBe("100e1999999998");
  expect(parseQuantity("1e-2000000000").toString()).toBe("1e-9");
  expect(huge.toNumber()).toBe(Infinity);
});

const suffixes = [
  "n",
  "u",
  "m",
  "",
  "k",
  "M",
  "G",
  "T",
  "P",
  "E",
  "Ki",
  "Mi",
  "Gi",
  "Ti",
  "Pi",
  "Ei",
  "e3",
  "E-2",
  "e7",
];
const quantityText = fc
  .tuple(
    fc.constantFrom("", "-", "+"),
    fc.bigInt({ min: 0n, max: 10n ** 20n }),
    fc.option(fc.stringMatching(/^[0-9]{0,12}$/), { nil: undefined }),
    fc.constantFrom(...suffixes),
  )
  .map(
    ([sign, integer, fraction, suffix]) => `${sign}${integer}${fraction === undefined ? "" : `.${fraction}`}${suffix}`,
  );

test("the canonical form parses back to the same amount and is a fixed point", () => {
  fc.assert(
    fc.property(quantityText, (text) => {
      const parsed = parseQuantity(text);
      const zero = newQuantity(0, parsed.format);
      // Adding drops the text that the parser may have kept.
      const canonical = parsed.add(zero).toString();
      expect(parseQuantity(canonical).cmp(parsed)).toBe(0);
      expect(parseQuantity(canonical).add(zero).toString()).toBe(canonical);
      expect(canonical).toMatch(/^-?[0-9]+([numkMGTPE]|[KMGTPE]i|e-?[0-9]+)?$/);
    }),
    { seed: 20260101, numRuns: 2000 },
  );
});

test("addition is exact: it commutes, associates and is undone by subtraction", () => {
  const quantity = quantityText.map((text) => parseQuantity(text));
  fc.assert(
    fc.property(quantity, quantity, quantity, (a, b, c) => {
      expect(a.add(b).cmp(b.add(a))).toBe(0);
      expect(
        a
          .add(b)
          .add(c)
          .cmp(a.add(b.add(c))),
      ).toBe(0);
      expect(a.add(b).sub(b).cmp(a)).toBe(0);
      expect(a.cmp(b)).toBe(a.sub(b).sign());
      expect(a.cmp(b)).toBe(-b.cmp(a) + 0);
    }),
    { seed: 20260102, numRuns: 1000 },
  );
});

test("amounts within a double agree with arithmetic on numbers", () => {
  fc.assert(
    fc.property(fc.integer({ min: -1_000_000, max: 1_000_000 }), (millis) => {
      const quantity = parseQuantity(`${millis}m`);
      expect(quantity.toNumber()).toBe(millis / 1000);
      expect(quantity.milliValue()).toBe(BigInt(millis));
      expect(quantity.value()).toBe(BigInt(Math.sign(millis) * Math.ceil(Math.abs(millis) / 1000) || 0));
      expect(quantity).toBeInstanceOf(Quantity);
    }),
    { seed: 20260103 },
  );
});
