import { expect, it } from "vitest";
import type { StorageEvent } from "../interfaces.ts";
import { CachedEvent, WatchFilter } from "./watch-filter.ts";

const prefix = "/registry/example.com/things/";

function modified(before: unknown, after: unknown): StorageEvent {
  const text = (spec: unknown, revision: number) =>
    JSON.stringify({ metadata: { name: "a", namespace: "n", resourceVersion: String(revision) }, spec });
  return { type: "MODIFIED", key: `${prefix}n/a`, revision: 2, value: text(after, 2), previous: text(before, 1) };
}

function shownType(fieldSelector: string, event: StorageEvent): string | undefined {
  return new WatchFilter({ prefix, fieldSelector }, new Map()).shown(new CachedEvent(event))?.type;
}

it("W6 a field without a reader is a path in the object, as custom resources select by", () => {
  expect(shownType("spec.color=red", modified({ color: "blue" }, { color: "red" }))).toBe("ADDED");
  expect(shownType("spec.color=red", modified({ color: "red" }, {}))).toBe("DELETED");
  expect(shownType("spec.size=3,spec.on=true", modified({ size: 3, on: true }, { size: 3, on: true }))).toBe(
    "MODIFIED",
  );
  expect(shownType("spec.deep.er!=", modified({}, { deep: { er: 1 } }))).toBe("ADDED");
  expect(shownType("spec.deep=", modified({}, { deep: { er: 1 } }))).toBe("MODIFIED");
});

it("W16 a watch of one name parses nothing", () => {
  const event = { ...modified({}, {}), value: "not JSON", previous: "neither" };
  expect(shownType("metadata.name=a", event)).toBe("MODIFIED");
  expect(shownType("metadata.name=b", event)).toBeUndefined();
});
