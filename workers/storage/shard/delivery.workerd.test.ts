import { describe, expect, it } from "vitest";
import { nth, ordinal } from "../../../test/support/revisions.ts";
import { change, create, nextMacrotask, things, withShard } from "../../../test/support/shard-in-workerd.ts";
import type { ShardBench } from "../../../test/support/shard-in-workerd.ts";

const pushed = (bench: ShardBench) => bench.pushes.map((events) => events.map(({ revision }) => ordinal(revision)));

/** Lets pushes that are under way come to their end. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await nextMacrotask();
}

describe("delivery of events to the watch cache", () => {
  it("S23: committed events are pushed in order, with what each replaced; failed operations push nothing", () =>
    withShard({}, async (bench) => {
      await bench.run(create("a", 1), create("a", 2), change("update", "a", 1, 3));
      await bench.run({ kind: "get", key: `${things}a` });
      await bench.run(change("delete", "a", 2, 3));
      const events = bench.pushes.flat();
      expect(events.map(({ type, revision }) => `${type} ${ordinal(revision)}`)).toEqual([
        "ADDED 1",
        "MODIFIED 2",
        "DELETED 3",
      ]);
      expect(events[0]!.previous).toBeUndefined();
      expect(events[1]!.previous).toBe(events[0]!.value);
      expect(events[2]!.previous).toBe(events[1]!.value);
      expect(await bench.shard.events(nth(0), 10)).toEqual({ ok: true, events, revision: nth(3) });
      expect(await bench.shard.events(nth(1), 1)).toEqual({ ok: true, events: [events[1]], revision: nth(3) });
    }));

  it("S23: one push at a time; what is committed meanwhile goes together", () =>
    withShard({}, async (bench) => {
      let acknowledge = (_: { revision: number }) => {};
      bench.onPush = () => new Promise((resolve) => (acknowledge = resolve));
      for (const name of ["a", "b", "c"]) await bench.run(create(name));
      expect(pushed(bench)).toEqual([[1]]);
      acknowledge({ revision: nth(1) });
      await settle();
      expect(pushed(bench)).toEqual([[1], [2, 3]]);
    }));

  it("S23: the cache's answer decides what is pushed next", () =>
    withShard({}, async (bench) => {
      bench.onPush = (events) => Promise.resolve({ revision: events.length === 1 ? nth(1) : events.at(-1)!.revision });
      await bench.run(create("a"));
      await bench.run(create("b"));
      await settle();
      expect(pushed(bench).at(0)).toEqual([1]);
      bench.onPush = (events) => Promise.resolve({ revision: events.at(-1)!.revision });
      bench.pushes.length = 0;
      await bench.fireAlarm();
      expect(pushed(bench)).toEqual([[2]]);
    }));

  it("S23: a cache that is thousands of events behind gets the newest alone", () =>
    withShard({}, async (bench) => {
      let acknowledge = (_: { revision: number }) => {};
      bench.onPush = () => new Promise((resolve) => (acknowledge = resolve));
      await bench.run(create("first"));
      for (let call = 0; call < 5; call++) {
        await bench.run(...Array.from({ length: 1_000 }, (_, i) => create(`${call}-${i}`)));
      }
      acknowledge({ revision: nth(1) });
      await settle();
      expect(pushed(bench).slice(1)).toEqual([[5_001]]);
      acknowledge({ revision: nth(5_001) });
      await settle();
      await bench.run(create("last"));
      expect(pushed(bench).at(-1)).toEqual([5_002]);
    }));

  // 12 MB are still held in memory, 20 MB are read from history.
  it.each([12, 20])("S23: a push is bounded in size, with %d MB to push", (megabytes) =>
    withShard({}, async (bench) => {
      let acknowledge = (_: { revision: number }) => {};
      bench.onPush = () => new Promise((resolve) => (acknowledge = resolve));
      await bench.run(create("first"));
      for (let i = 0; i < megabytes; i++) await bench.run(create(`${i}`, "x".repeat(1_000_000)));
      bench.onPush = (events) => Promise.resolve({ revision: events.at(-1)!.revision });
      acknowledge({ revision: nth(1) });
      await settle();
      const batches = bench.pushes.slice(1);
      expect(batches.flat().map(({ revision }) => ordinal(revision))).toEqual(
        Array.from({ length: megabytes }, (_, i) => i + 2),
      );
      for (const batch of batches) expect(batch.length).toBeLessThanOrEqual(9);
    }),
  );

  it("S24: what was committed before an eviction is delivered by the alarm", () =>
    withShard({}, async (bench) => {
      bench.onPush = () => new Promise(() => {});
      await bench.run(create("a"));
      await bench.run(create("b"));
      expect(bench.alarms).toHaveLength(1);
      bench.restart();
      bench.onPush = (events) => Promise.resolve({ revision: events.at(-1)!.revision });
      bench.pushes.length = 0;
      expect(await bench.fireAlarm()).toBeLessThanOrEqual(5_000);
      expect(pushed(bench)).toEqual([[1, 2]]);
    }));

  it("S24: after an eviction the first write takes along what was not delivered", () =>
    withShard({}, async (bench) => {
      bench.onPush = () => new Promise(() => {});
      await bench.run(create("a"));
      bench.restart();
      bench.pushes.length = 0;
      await bench.run(create("b"));
      expect(pushed(bench)).toEqual([[1, 2]]);
    }));

  it("S24: failed pushes are repeated, at once, then after 1 s doubling to 60 s; commits do not hurry them", () =>
    withShard({}, async (bench) => {
      const times: number[] = [];
      bench.onPush = () => {
        times.push(bench.clock.now());
        return Promise.reject(new Error("gone"));
      };
      await bench.run(create("a"));
      await settle();
      for (let i = 0; i < 12; i++) {
        await bench.run(create(`more-${i}`));
        await bench.fireAlarm();
      }
      const waits = times.slice(1).map((time, index) => time - times[index]!);
      expect(waits[0]).toBe(0);
      expect(waits.slice(1)).toEqual([...waits.slice(1)].sort((a, b) => a - b));
      expect(waits.at(-1)).toBeGreaterThanOrEqual(60_000);
      expect(Math.max(...waits)).toBeLessThanOrEqual(65_000);
      bench.onPush = (events) => Promise.resolve({ revision: events.at(-1)!.revision });
      bench.pushes.length = 0;
      await bench.fireAlarm();
      expect(bench.pushes.flat().map(({ revision }) => ordinal(revision))).toEqual(
        Array.from({ length: 13 }, (_, i) => i + 1),
      );
    }));

  it("S35: a cache that has nobody to tell gets nothing more until it follows, and no alarm looks after it", () =>
    withShard({}, async (bench) => {
      bench.onPush = (events) => Promise.resolve({ revision: events.at(-1)!.revision, idle: true });
      await bench.run(create("a"));
      await settle();
      await bench.fireAlarm();
      expect(bench.alarmAt).toBeUndefined();
      for (const name of ["b", "c"]) await bench.run(create(name));
      await settle();
      expect(pushed(bench)).toEqual([[1]]);
      expect(bench.alarmAt).toBeUndefined();
      expect(await bench.shard.events(nth(1), 1)).toMatchObject({ ok: true, revision: nth(3) });
      await bench.run(create("d"));
      expect(pushed(bench)).toEqual([[1]]);
      expect(await bench.shard.events(nth(9), 1, true)).toMatchObject({ ok: false });
      await bench.run(create("e"));
      await settle();
      await bench.run(create("f"));
      expect(await bench.shard.currentRevision(true)).toBe(nth(6));
      await bench.run(create("g"));
      expect(pushed(bench)).toEqual([[1], [5], [7]]);
      bench.restart();
      await bench.run(create("h"));
      expect(pushed(bench).at(-1)).toContain(8);
    }));

  it("S35: an answer that was given before the cache followed again does not count", () =>
    withShard({}, async (bench) => {
      let answer = (_: { revision: number; idle: boolean }) => {};
      bench.onPush = () => new Promise((resolve) => (answer = resolve));
      await bench.run(create("a"));
      await bench.shard.events(nth(1), 1, true);
      answer({ revision: nth(1), idle: true });
      await settle();
      await bench.run(create("b"));
      expect(pushed(bench)).toEqual([[1], [2]]);
    }));

  it("S35: compaction and expiry go on although nothing is pushed", () =>
    withShard({ historyMilliseconds: 0, historyRevisions: 0, objectTtlMilliseconds: 3_600_000 }, async (bench) => {
      bench.onPush = (events) => Promise.resolve({ revision: events.at(-1)!.revision, idle: true });
      await bench.run(create("a"));
      await settle();
      await bench.fireAlarm();
      for (let n = 1; n < 5; n++) await bench.run(change("update", "a", n));
      await bench.fireAlarm();
      expect(bench.historyRows()).toEqual([5]);
      while (bench.alarmAt !== undefined) await bench.fireAlarm();
      expect((await bench.list({ prefix: things })).names).toEqual([]);
      expect(pushed(bench)).toEqual([[1]]);
    }));

  it("S25: a burst of writes sets one alarm, and an idle shard none", () =>
    withShard({}, async (bench) => {
      for (let i = 0; i < 20; i++) {
        await bench.run(create(`${i}`));
        await bench.clock.advance(100);
      }
      expect(bench.alarms).toHaveLength(1);
      await bench.fireAlarm();
      expect(bench.alarmAt).toBeUndefined();
      bench.pushes.length = 0;
      bench.restart();
      await bench.shard.alarm();
      expect(bench.pushes).toEqual([]);
      expect(bench.alarmAt).toBeUndefined();
    }));
});
