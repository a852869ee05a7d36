import * as fc from "fast-check";
import { expect, test } from "vitest";
import { FakeClock } from "../apimachinery/clock.ts";
import { BucketRateLimiter, ItemFastSlowRateLimiter } from "./rate-limiters.ts";
import { newRateLimitingQueue } from "./workqueue.ts";

test("items wait once, in order of arrival", async () => {
  const queue = newRateLimitingQueue(new FakeClock());
  for (const item of ["a", "b", "a", "c"]) queue.add(item);
  expect(queue.length).toBe(3);
  expect([await queue.get(), await queue.get(), await queue.get()]).toEqual(["a", "b", "c"]);
});

test("an item added while it is processed is queued again after done, and only once", async () => {
  const queue = newRateLimitingQueue(new FakeClock());
  queue.add("a");
  expect(await queue.get()).toBe("a");
  queue.add("a");
  queue.add("a");
  expect(queue.length).toBe(0);
  expect(queue.pending).toBe(1);
  queue.done("a");
  expect(queue.length).toBe(1);
  expect(await queue.get()).toBe("a");
  queue.done("a");
  expect(queue.pending).toBe(0);
});

test("waiting workers get one item each", async () => {
  const queue = newRateLimitingQueue(new FakeClock());
  const workers = [queue.get(), queue.get()];
  queue.add("a");
  queue.add("b");
  expect(await Promise.all(workers)).toEqual(["a", "b"]);
});

test("shutDown hands out what is queued, then undefined, and drops what is delayed", async () => {
  const clock = new FakeClock();
  const queue = newRateLimitingQueue(clock);
  queue.add("a");
  queue.addAfter("b", 10);
  queue.shutDown();
  queue.add("c");
  queue.addAfter("d", 1);
  expect(await queue.get()).toBe("a");
  expect(await queue.get()).toBeUndefined();
  expect(clock.pending).toBe(0);
  const idle = newRateLimitingQueue(clock);
  const worker = idle.get();
  idle.shutDown();
  expect(await worker).toBeUndefined();
});

test("delayed items come when they are due, the earlier of two delays counts, one timer serves all", async () => {
  const clock = new FakeClock();
  const queue = newRateLimitingQueue(clock);
  queue.addAfter("slow", 1000);
  queue.addAfter("fast", 10);
  queue.addAfter("slow", 50);
  queue.addAfter("slow", 5000);
  expect(clock.pending).toBe(1);
  expect(queue.pending).toBe(2);
  expect(queue.nextDue).toBe(clock.now() + 10);
  await clock.advance(10);
  expect(queue.length).toBe(1);
  await clock.advance(39);
  expect(queue.length).toBe(1);
  await clock.advance(1);
  expect(queue.length).toBe(2);
  await clock.advance(10_000);
  expect(queue.length).toBe(2);
  expect(clock.pending).toBe(0);
});

test("a delay beyond the longest timer is kept", async () => {
  const clock = new FakeClock();
  const queue = newRateLimitingQueue(clock);
  const month = 31 * 24 * 3600 * 1000;
  queue.addAfter("later", month);
  await clock.advance(month - 1);
  expect(queue.length).toBe(0);
  await clock.advance(1);
  expect(queue.length).toBe(1);
});

test("failures of an item back off 5 ms · 2^n up to 1000 s until they are forgotten", async () => {
  const clock = new FakeClock();
  const queue = newRateLimitingQueue(clock);
  const delays: number[] = [];
  for (let failure = 0; failure < 20; failure++) {
    queue.addRateLimited("a");
    delays.push(queue.nextDue! - clock.now());
    await clock.advance(delays.at(-1)!);
    await queue.get();
    queue.done("a");
  }
  expect(delays).toEqual(Array.from({ length: 20 }, (_, index) => Math.min(5 * 2 ** index, 1_000_000)));
  expect(queue.numRequeues("a")).toBe(20);
  queue.forget("a");
  expect(queue.numRequeues("a")).toBe(0);
});

test("the bucket gives its burst at once, then its rate", async () => {
  const clock = new FakeClock();
  const limiter = new BucketRateLimiter<string>(clock, 10, 3);
  expect([1, 2, 3, 4, 5].map(() => limiter.when())).toEqual([0, 0, 0, 100, 200]);
  await clock.advance(1000);
  expect(limiter.when()).toBe(0);
});

test("fast retries, then slow ones", () => {
  const limiter = new ItemFastSlowRateLimiter<string>(5, 10_000, 2);
  expect([1, 2, 3].map(() => limiter.when("a"))).toEqual([5, 5, 10_000]);
});

test("model: every added item is processed after its last addition, never twice at once", async () => {
  const operation = fc.oneof(
    fc.record({ kind: fc.constant("add" as const), item: fc.integer({ min: 0, max: 5 }) }),
    fc.record({
      kind: fc.constant("after" as const),
      item: fc.integer({ min: 0, max: 5 }),
      delay: fc.integer({ min: 0, max: 30 }),
    }),
    fc.record({ kind: fc.constant("take" as const) }),
    fc.record({ kind: fc.constant("done" as const), index: fc.nat(5) }),
    fc.record({ kind: fc.constant("advance" as const), delay: fc.integer({ min: 1, max: 20 }) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(operation, { maxLength: 60 }), async (operations) => {
      const clock = new FakeClock();
      const queue = newRateLimitingQueue<number>(clock);
      const processing: number[] = [];
      const owed = new Map<number, number>();
      const take = async () => {
        const item = (await queue.get())!;
        expect(processing).not.toContain(item);
        processing.push(item);
        if ((owed.get(item) ?? Infinity) <= clock.now()) owed.delete(item);
      };
      for (const step of operations) {
        if (step.kind === "add" || step.kind === "after") {
          const due = clock.now() + (step.kind === "add" ? 0 : step.delay);
          if (step.kind === "add") queue.add(step.item);
          else queue.addAfter(step.item, step.delay);
          owed.set(step.item, Math.min(owed.get(step.item) ?? Infinity, due));
        } else if (step.kind === "take" && queue.length > 0) await take();
        else if (step.kind === "done" && processing.length > 0) {
          queue.done(processing.splice(step.index % processing.length, 1)[0]!);
        } else if (step.kind === "advance") await clock.advance(step.delay);
      }
      for (let round = 0; queue.pending > 0; round++) {
        expect(round).toBeLessThan(100);
        for (const item of processing.splice(0)) queue.done(item);
        await clock.advance(30);
        while (queue.length > 0) await take();
      }
      expect(owed.size).toBe(0);
    }),
    { seed: 20260106, numRuns: 200 },
  );
});
