import { expect, it } from "vitest";
import { compareKeys, endOfPrefix } from "./compare-keys.ts";

it("S7: keys are ordered as their UTF-8 bytes", () => {
  const keys = [
    "/a",
    "/a/",
    "/a-",
    "/a0",
    "/ab",
    "/a\u00fc",
    "/a\ud7ff",
    "/a\ue000",
    "/a\uff21",
    "/a\u{1f642}",
    "/a\u{10ffff}",
    "",
  ];
  const byBytes = [...keys].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  expect([...keys].sort(compareKeys)).toEqual(byBytes);
  for (const key of keys) expect(compareKeys(key, key)).toBe(0);
});

it("S7: a prefix ends before the next sibling", () => {
  const end = endOfPrefix("/registry/a/");
  for (const key of ["/registry/a/", "/registry/a/\u{10ffff}"]) expect(compareKeys(key, end)).toBeLessThan(0);
  for (const key of ["/registry/a0", "/registry/ab/x"]) expect(compareKeys(key, end)).toBeGreaterThanOrEqual(0);
});
