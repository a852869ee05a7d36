import { expect, it } from "vitest";
import { FakeClock } from "../apimachinery/clock.ts";
import { isAborted, TimerQueue } from "./timer-queue.ts";

it("fires in order of the due times over a single clock timer", async () => {
  const clock = new FakeClock(0);
  const timers = new TimerQueue(clock);
  const fired: string[] = [];
  const dues = [70, 30, 90, 10, 30, 50];
  dues.forEach((due, index) => timers.at(due, () => fired.push(`${due}#${index}@${clock.now()}`)));
  expect(clock.pending).toBe(1);
  expect(timers.nextDue()).toBe(10);
  await clock.advance(60);
  expect(fired).toEqual(["10#3@10", "30#1@30", "30#4@30", "50#5@50"]);
  expect(timers.size).toBe(2);
  await clock.advance(60);
  expect(timers.nextDue()).toBeUndefined();
  expect(clock.pending).toBe(0);
});

it("holds no clock timer for cancelled entries", () => {
  const clock = new FakeClock(0);
  const timers = new TimerQueue(clock);
  const early = timers.at(10, () => {});
  const late = timers.at(20, () => {});
  timers.cancel(early);
  expect(timers.nextDue()).toBe(20);
  timers.cancel(late);
  timers.cancel(late);
  expect([clock.pending, timers.size, timers.nextDue()]).toEqual([0, 0, undefined]);
});

it("wakes sleepers early when they are aborted", async () => {
  const clock = new FakeClock(0);
  const timers = new TimerQueue(clock);
  const abort = new AbortController();
  const slept = timers.sleep(1000, abort.signal).then(
    () => "slept",
    (error) => (isAborted(error) ? "aborted" : "failed"),
  );
  abort.abort();
  expect(await slept).toBe("aborted");
  expect(clock.pending).toBe(0);
});
