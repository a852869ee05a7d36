import { describe, expect, it } from "vitest";
import { nth, ordinal } from "../../../test/support/revisions.ts";
import { change, create, nextMacrotask, things, thing, withShard } from "../../../test/support/shard-in-workerd.ts";
import type { ShardOperation } from "./protocol.ts";

describe("commits of a shard", () => {
  it("S20: a change writes two rows, and its value is kept once", () =>
    withShard({}, async (bench) => {
      await bench.run(create("warm-up"));
      const writes: [ShardOperation, number][] = [
        [create("a", "secret-1"), 2],
        [change("update", "a", 2, "secret-2"), 2],
        [change("delete", "a", 3, "secret-2"), 2],
        [change("update", "a", 3), 0],
        [{ kind: "get", key: `${things}a` }, 0],
      ];
      for (const [operation, rows] of writes) {
        bench.rowsWritten = 0;
        await bench.run(operation);
        expect([operation.kind, bench.rowsWritten]).toEqual([operation.kind, rows]);
      }
    }));

  it("S21: what throws midway leaves nothing behind and fails its own call only", () =>
    withShard({}, async (bench) => {
      bench.onExec = (query, bindings) => {
        if (query.startsWith("INSERT INTO history") && bindings.includes(`${things}poison`)) throw new Error("disk");
      };
      const first = bench.shard.transact([create("first")]);
      const before = bench.shard.transact([create("a")]);
      const poisoned = bench.shard.transact([create("b"), create("poison"), create("c")]);
      const after = bench.shard.transact([create("d"), { kind: "get", key: `${things}b` }]);
      expect((await first).results).toMatchObject([{ ok: true }]);
      expect((await before).results).toMatchObject([{ ok: true, object: { revision: nth(2) } }]);
      const error = { code: "Unavailable", message: "disk" };
      expect((await poisoned).results).toEqual(Array.from({ length: 3 }, () => ({ ok: false, error })));
      expect((await after).results).toEqual([
        { ok: true, object: { key: `${things}d`, revision: nth(3), value: expect.any(String) as string } },
        { ok: true, object: undefined },
      ]);
      expect((await bench.list({ prefix: things })).names).toEqual(["a@2", "d@3", "first@1"]);
      expect(bench.historyRows()).toEqual([1, 2, 3]);
      expect(bench.pushes.flat().map(({ revision }) => ordinal(revision))).toEqual([1, 2, 3]);
    }));

  it("S22: reads of a call see the writes before them in the call", () =>
    withShard({}, async (bench) => {
      const get: ShardOperation = { kind: "get", key: `${things}a` };
      const results = await bench.run(
        get,
        create("a", 1),
        get,
        change("update", "a", 1, 2),
        get,
        change("delete", "a", 2),
        get,
      );
      const values = results
        .filter((_, index) => index % 2 === 0)
        .map((result) => (result.ok ? result.object?.revision : result));
      expect(values).toEqual([undefined, nth(1), nth(2), undefined]);
    }));

  it("S21: calls that arrive while a commit is under way are applied together and answered each for itself", () =>
    withShard({}, async (bench) => {
      let transactions = 0;
      bench.onExec = (query) => {
        if (query.startsWith("INSERT INTO current")) transactions++;
      };
      const calls = Array.from({ length: 50 }, (_, i) => bench.shard.transact([create(`n${i}`), create("same")]));
      expect(transactions).toBe(2);
      const answers = await Promise.all(calls);
      expect(answers.filter(({ results }) => results[1]!.ok)).toHaveLength(1);
      expect(answers.map(({ results }) => results[0]!.ok)).toEqual(Array.from({ length: 50 }, () => true));
      expect(new Set(answers.slice(1).map(({ revision }) => revision))).toEqual(new Set([nth(51)]));
    }));

  it("S21: commit times never decrease, though the clock may", () =>
    withShard({}, async (bench) => {
      await bench.clock.advance(10_000);
      await bench.run(create("a"));
      const later = bench.clock.now();
      bench.clock.now = () => later - 5_000;
      await bench.run(create("b"));
      const times = Array.from(bench.sql.exec("SELECT committed_at FROM history").raw(), ([time]) => time);
      expect(times).toEqual([later, later]);
    }));

  it("S31: wrong input gets an error shape", () =>
    withShard({}, async (bench) => {
      const wrong = [
        undefined,
        null,
        7,
        {},
        { kind: "get" },
        { kind: "get", key: "no-slash" },
        { kind: "get", key: `/${"x".repeat(3_000)}` },
        { kind: "drop", key: `${things}a` },
        { kind: "create", key: `${things}a` },
        { kind: "create", key: `${things}a`, value: { head: "x" } },
        { kind: "update", key: `${things}a`, value: thing("a") },
        { kind: "update", key: `${things}a`, value: thing("a"), expectedRevision: 1.5 },
        { kind: "delete", key: `${things}a`, value: thing("a"), expectedRevision: "1" },
      ] as unknown as ShardOperation[];
      const results = await bench.run(...wrong, create("good"));
      expect(results.map(({ ok }) => ok)).toEqual([...wrong.map(() => false), true]);
      for (const operations of [undefined, 3, Array.from({ length: 1_001 }, () => create("x"))]) {
        const answer = await bench.shard.transact(operations as ShardOperation[]);
        expect(answer.results.every(({ ok }) => !ok)).toBe(true);
        expect(answer.results.length).toBeGreaterThan(0);
      }
      for (const since of [-1, 0.5, "1", undefined]) {
        expect((await bench.shard.events(since as number, 10)).ok).toBe(false);
      }
      const lists: unknown[] = [
        null,
        {},
        { prefix: "/a" },
        { prefix: things, limit: -1 },
        { prefix: things, match: { kind: "near", revision: 1 } },
        { prefix: things, match: { kind: "exact", revision: "1" } },
        { prefix: things, after: 3 },
      ];
      for (const request of lists) expect((await bench.listResponse(request as object)).status).toBe(409);
      const notJson = new Request("https://shard/list", { method: "POST", body: "{" });
      expect((await bench.shard.fetch(notJson)).status).toBe(409);
      expect((await bench.shard.fetch(new Request("https://shard/"))).status).toBe(409);
      expect(await bench.shard.currentRevision()).toBe(nth(1));
      await nextMacrotask();
    }));
});
