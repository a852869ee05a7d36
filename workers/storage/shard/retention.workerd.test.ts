import { describe, expect, it } from "vitest";
import { nth } from "../../../test/support/revisions.ts";
import { change, create, things, withShard } from "../../../test/support/shard-in-workerd.ts";
import type { ShardBench } from "../../../test/support/shard-in-workerd.ts";

const minute = 60_000;

/** Fires alarms until none is set. */
async function untilIdle(bench: ShardBench): Promise<void> {
  for (let i = 0; bench.alarmAt !== undefined; i++) {
    if (i > 100) throw new Error("the shard does not come to rest");
    await bench.fireAlarm();
  }
}

describe("retention of history", () => {
  it("S26: history of the last minutes and of the last revisions stays; the rest goes by alarm", () =>
    withShard({ historyMilliseconds: 5 * minute, historyRevisions: 3 }, async (bench) => {
      await bench.run(create("a"), create("b"), create("c"));
      await bench.run(change("update", "a", 1), change("delete", "b", 2));
      await bench.clock.advance(4 * minute);
      await bench.run(change("update", "a", 4), change("update", "a", 6));
      expect((await bench.shard.compact()).compactedRevision).toBe(nth(0));
      await bench.clock.advance(2 * minute);
      expect((await bench.shard.compact()).compactedRevision).toBe(nth(4));
      // 1 was superseded by 4. 2 and 4 are superseded after the compacted revision, 3 is live.
      expect(bench.historyRows()).toEqual([2, 3, 4, 5, 6, 7]);
      expect((await bench.list({ prefix: things, match: { kind: "exact", revision: nth(4) } })).names).toEqual([
        "a@4",
        "b@2",
        "c@3",
      ]);
      await bench.clock.advance(60 * minute);
      expect((await bench.shard.compact()).compactedRevision).toBe(nth(4));
      await bench.run(...Array.from({ length: 3 }, (_, i) => create(`more-${i}`)));
      await untilIdle(bench);
      expect(bench.historyRows()).toEqual([3, 7, 8, 9, 10]);
      const tooOld = await bench.listResponse({ prefix: things, match: { kind: "exact", revision: nth(6) } });
      expect(JSON.parse(tooOld.headers.get("edgeplane-list")!)).toEqual({
        code: "RevisionCompacted",
        requested: nth(6),
        oldest: nth(7),
      });
      expect(await bench.shard.events(nth(6), 10)).toMatchObject({
        ok: false,
        error: { code: "RevisionCompacted", oldest: nth(7) },
      });
      expect(await bench.shard.events(nth(7), 10)).toMatchObject({ ok: true, revision: nth(10) });
      bench.restart();
      expect(await bench.shard.events(nth(6), 10)).toMatchObject({ ok: false });
      expect((await bench.list({ prefix: things })).names).toHaveLength(5);
    }));

  it("S26: compaction goes in steps, and writers get their turn between them", () =>
    withShard({ historyMilliseconds: 0, historyRevisions: 0 }, async (bench) => {
      await bench.run(create("a"));
      for (let call = 0; call < 3; call++) {
        await bench.run(...Array.from({ length: 600 }, (_, i) => change("update", "a", call * 600 + i + 1)));
      }
      const perStatement: number[] = [];
      bench.onExec = (query, bindings) => {
        if (query.startsWith("DELETE FROM history WHERE revision IN"))
          perStatement.push(Number(bindings[1]) - Number(bindings[0]));
      };
      const compaction = bench.shard.compact();
      expect(perStatement).toHaveLength(1);
      await bench.run(create("b"));
      await compaction;
      expect(perStatement.length).toBeGreaterThanOrEqual(4);
      expect(Math.max(...perStatement)).toBeLessThanOrEqual(500);
      expect(bench.historyRows().filter((revision) => revision <= 1_801)).toEqual([1_801]);
    }));

  it("S27: revisions are not used twice when the newest rows are compacted away", () =>
    withShard({ historyMilliseconds: 0, historyRevisions: 0 }, async (bench) => {
      await bench.run(create("a"), change("delete", "a", 1));
      await bench.shard.compact();
      expect(bench.historyRows()).toEqual([]);
      bench.restart();
      expect(await bench.run(create("a"))).toMatchObject([{ ok: true, object: { revision: nth(3) } }]);
    }));

  it("S28: a snapshot in use survives compaction for a minute", () =>
    withShard({ historyMilliseconds: 0, historyRevisions: 0 }, async (bench) => {
      await bench.run(create("a"), create("b"), create("c"));
      expect((await bench.list({ prefix: things, limit: 1 })).header).toMatchObject({ revision: nth(3), remaining: 2 });
      await bench.run(change("delete", "b", 2), change("update", "c", 3));
      const rest = { prefix: things, match: { kind: "exact", revision: nth(3) }, after: `${things}a` };
      expect((await bench.shard.compact()).compactedRevision).toBe(nth(3));
      expect((await bench.list(rest)).names).toEqual(["b@2", "c@3"]);
      await bench.clock.advance(minute);
      expect((await bench.shard.compact()).compactedRevision).toBe(nth(5));
      expect((await bench.listResponse(rest)).status).toBe(409);
    }));

  it("S29: Leases keep no history beyond what the cache has not acknowledged", () =>
    withShard({ historyMilliseconds: 0, historyRevisions: 0 }, async (bench) => {
      bench.onPush = () => Promise.reject(new Error("gone"));
      await bench.run(create("node-1"), create("node-2"));
      for (let revision = 2; revision < 40; revision++) {
        await bench.run(change("update", revision % 2 === 0 ? "node-1" : "node-2", Math.max(1, revision - 1)));
        await bench.clock.advance(1_000);
      }
      await bench.clock.advance(5 * minute);
      await bench.fireAlarm();
      expect(bench.historyRows()).toHaveLength(40);
      bench.onPush = (events) => Promise.resolve({ revision: events.at(-1)!.revision });
      await bench.clock.advance(2 * minute);
      await untilIdle(bench);
      expect(bench.historyRows()).toEqual([39, 40]);
    }));
});

describe("time to live", () => {
  it("S30: an object goes an hour after its last write, with a DELETED event that carries its last state", () =>
    withShard({ objectTtlMilliseconds: 60 * minute }, async (bench) => {
      await bench.run(create("early", "e"), create("renewed"), create("deleted"));
      await bench.run(change("delete", "deleted", 3));
      await bench.clock.advance(30 * minute);
      await bench.run(change("update", "renewed", 2, "r"));
      await bench.clock.advance(29 * minute);
      await bench.shard.alarm();
      expect((await bench.list({ prefix: things })).names).toEqual(["early@1", "renewed@5"]);
      bench.pushes.length = 0;
      await bench.clock.advance(minute);
      await bench.shard.alarm();
      expect((await bench.list({ prefix: things })).names).toEqual(["renewed@5"]);
      const [event] = bench.pushes.flat();
      expect(event).toMatchObject({ type: "DELETED", key: `${things}early`, revision: nth(6) });
      expect(JSON.parse(event!.value)).toEqual({
        metadata: { name: "early", namespace: "default", resourceVersion: String(nth(6)) },
        value: "e",
      });
      const start = bench.clock.now();
      await untilIdle(bench);
      expect((await bench.list({ prefix: things })).names).toEqual([]);
      expect(bench.clock.now() - start).toBeLessThan(40 * minute);
    }));

  it("S30: a cache that hangs does not hold up expiry", () =>
    withShard({ objectTtlMilliseconds: 60 * minute }, async (bench) => {
      bench.onPush = () => new Promise(() => {});
      await bench.run(create("a"));
      await bench.clock.advance(60 * minute);
      await bench.shard.alarm();
      expect((await bench.list({ prefix: things })).names).toEqual([]);
      expect(bench.alarmAt).toBeDefined();
    }));

  it("S30: many objects go in steps", () =>
    withShard({ objectTtlMilliseconds: 60 * minute }, async (bench) => {
      await bench.run(...Array.from({ length: 1_000 }, (_, i) => create(`a${i}`)));
      await bench.run(...Array.from({ length: 234 }, (_, i) => create(`b${i}`)));
      bench.pushes.length = 0;
      await untilIdle(bench);
      expect((await bench.list({ prefix: things })).header).toEqual({ revision: nth(2_468), count: 0 });
      expect(bench.pushes.flat()).toHaveLength(1_234);
      expect(Math.max(...bench.pushes.map((events) => events.length))).toBeLessThanOrEqual(500);
    }));
});
