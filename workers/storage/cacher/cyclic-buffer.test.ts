import { expect, it } from "vitest";
import type { StorageEvent } from "../interfaces.ts";
import { CyclicBuffer, eventFreshDuration } from "./cyclic-buffer.ts";

function event(revision: number, length = 2): StorageEvent {
  return { type: "MODIFIED", key: "/registry/pods/default/a", revision, value: "x".repeat(length) };
}

it("keeps the newest events and says how far it reaches back", () => {
  const buffer = new CyclicBuffer({ minimum: 4, maximum: 4 });
  expect(buffer.after(0)).toBeUndefined();
  for (let revision = 11; revision <= 17; revision++) buffer.append(event(revision), 0);
  expect([buffer.oldestStart, buffer.newest, buffer.size]).toEqual([13, 17, 4]);
  expect(buffer.after(12)).toBeUndefined();
  expect(buffer.after(13)?.map(({ revision }) => revision)).toEqual([14, 15, 16, 17]);
  expect(buffer.after(14, 2)?.map(({ revision }) => revision)).toEqual([15, 16]);
  expect(buffer.after(17)).toEqual([]);
  expect(() => buffer.append(event(19), 0)).toThrow("revision 19 does not follow 17");
});

it("grows while full within the fresh duration and shrinks when a quarter would do", () => {
  const buffer = new CyclicBuffer({ minimum: 4, maximum: 16 });
  let revision = 0;
  for (; revision < 40; revision++) buffer.append(event(revision + 1), revision);
  expect(buffer.capacity).toBe(16);
  expect(buffer.after(24)?.map((each) => each.revision)).toEqual(Array.from({ length: 16 }, (_, index) => index + 25));
  let now = 40;
  const capacities = new Set<number>();
  for (; revision < 80; revision++) {
    buffer.append(event(revision + 1), (now += eventFreshDuration));
    capacities.add(buffer.capacity);
    expect(buffer.newest).toBe(revision + 1);
    expect(buffer.after(buffer.oldestStart!)).toHaveLength(buffer.size);
  }
  expect([...capacities]).toEqual([8, 4]);
});

it("holds no more text than its limit, but always the newest event", () => {
  const buffer = new CyclicBuffer({ minimum: 100, maximum: 100, maximumLength: 1000 });
  for (let revision = 1; revision <= 20; revision++) buffer.append(event(revision, 300), 0);
  expect(buffer.after(17)).toHaveLength(3);
  expect(buffer.after(16)).toBeUndefined();
  buffer.append(event(21, 5000), 0);
  expect([buffer.oldestStart, buffer.size]).toEqual([20, 1]);
});
