import { expect, test } from "vitest";
import { FakeClock } from "./clock.ts";

test("timers fire in order of their due time, each seeing its own time", async () => {
  const clock = new FakeClock(0);
  const fired: [string, number][] = [];
  clock.setTimeout(() => fired.push(["late", clock.now()]), 20);
  clock.setTimeout(() => fired.push(["early", clock.now()]), 10);
  await clock.advance(15);
  expect(fired).toEqual([["early", 10]]);
  await clock.advance(15);
  expect(fired).toEqual([
    ["early", 10],
    ["late", 20],
  ]);
  expect(clock.now()).toBe(30);
});
