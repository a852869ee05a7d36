import { describe, expect, it } from "vitest";
import { nth } from "../../../test/support/revisions.ts";
import { FakeClock } from "../../apimachinery/clock.ts";
import { FakeShard } from "./fake-shard.ts";
import { StateKeeper } from "./state-keeper.ts";

const prefix = "/registry/things/";

function newRig(maximumLength?: number) {
  const shard = new FakeShard();
  const clock = new FakeClock();
  const keeper = new StateKeeper({ prefix, shard, clock, buffered: () => undefined, maximumLength });
  return {
    shard,
    clock,
    keeper,
    commit: (name: string, fields: Record<string, unknown> = {}) => shard.commit(prefix + name, fields),
    remove: (name: string) => shard.commit(prefix + name, undefined),
    /** What is shown under a prefix, as names. */
    async names(under: string, after?: string): Promise<unknown> {
      const read = await keeper.read(undefined, undefined);
      if (!read?.ok) return read;
      return read.state.values(under, after).map((text) => JSON.parse(text).metadata.name);
    },
  };
}

describe("StateKeeper", () => {
  it("W18 loads once, follows what is held, and asks for what was not", async () => {
    const { shard, keeper, commit, remove, names } = newRig();
    commit("n/b");
    commit("m/a");
    expect(await names(prefix)).toEqual(["a", "b"]);
    keeper.hold(commit("n/c"));
    const held = await keeper.read({ kind: "notOlderThan", revision: 0 }, nth(3));
    expect(held?.ok && held.state.revision).toBe(nth(3));
    expect(shard.eventsCalls).toBe(0);
    remove("n/b");
    keeper.hold(commit("n/d"));
    expect(await names(`${prefix}n/`)).toEqual(["c", "d"]);
    expect(await names(prefix, `${prefix}m/a`)).toEqual(["c", "d"]);
    expect(await names(prefix, `${prefix}n/c`)).toEqual(["d"]);
    expect(shard.listCalls).toBe(1);
  });

  it("W18 many readers at once share a load, and each sees what was committed before it came", async () => {
    const { shard, commit, names } = newRig();
    commit("a");
    const first = names(prefix);
    const second = names(prefix);
    commit("b");
    const third = names(prefix);
    expect(await Promise.all([first, second, third])).toEqual([
      ["a", "b"],
      ["a", "b"],
      ["a", "b"],
    ]);
    expect(shard.listCalls).toBe(1);
  });

  it("W18 a revision that is not reached is RevisionTooLarge; a state that history does not reach is loaded anew", async () => {
    const { shard, keeper, commit, remove, names } = newRig();
    commit("a");
    expect(await names(prefix)).toEqual(["a"]);
    expect(await keeper.read({ kind: "notOlderThan", revision: nth(2) }, nth(1))).toEqual({
      ok: false,
      error: { code: "RevisionTooLarge", requested: nth(2), current: nth(1) },
    });
    commit("b");
    remove("a");
    shard.compacted = nth(3);
    expect(await names(prefix)).toEqual(["b"]);
    expect(shard.listCalls).toBe(2);
  });

  it("W18 what is too large is left to the shard for five minutes, while loading or when it grows", async () => {
    const { shard, clock, keeper, commit, remove, names } = newRig(1_000);
    commit("a", { text: "x".repeat(500) });
    expect(await names(prefix)).toEqual(["a"]);
    keeper.hold(commit("b", { text: "x".repeat(500) }));
    expect(keeper.loaded).toBe(false);
    expect(await names(prefix)).toBeUndefined();
    await clock.advance(5 * 60_000);
    expect(await names(prefix)).toBeUndefined();
    expect(await names(prefix)).toBeUndefined();
    expect(shard.listCalls).toBe(2);
    remove("b");
    await clock.advance(5 * 60_000);
    expect(await names(prefix)).toEqual(["a"]);
  });

  it("W18 a state that nobody has read for five minutes is dropped with the next event", async () => {
    const { clock, keeper, commit, names } = newRig();
    commit("a");
    await names(prefix);
    await clock.advance(5 * 60_000 + 1);
    keeper.hold(commit("b"));
    expect(keeper.loaded).toBe(false);
    expect(await names(prefix)).toEqual(["a", "b"]);
  });
});
