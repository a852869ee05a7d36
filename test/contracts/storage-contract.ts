import { describe, expect, it } from "vitest";
import type { KubeObject } from "../../workers/apimachinery/meta.ts";
import { isStorageError } from "../../workers/storage/errors.ts";
import { guaranteedDelete, guaranteedUpdate, PreconditionError } from "../../workers/storage/guaranteed-update.ts";
import type { ListOptions } from "../../workers/storage/interfaces.ts";
import { maxObjectBytes } from "../../workers/storage/interfaces.ts";
import { nth } from "../support/revisions.ts";
import { describeStorageModel } from "./storage-model.ts";
import { failure, names, thing, things } from "./storage-subject.ts";
import type { StorageCapabilities, StorageContractSubject } from "./storage-subject.ts";
import { describeStorageWatchContract } from "./storage-watch-contract.ts";

/** What every {@link Storage} does; the rules are in docs/spec/storage.md. `factory` gives a new, empty store. */
export function describeStorageContract(
  name: string,
  factory: () => Promise<StorageContractSubject>,
  capabilities: StorageCapabilities,
): void {
  describe(`${name}: storage contract`, () => {
    describeWrites(factory);
    describeLists(factory);
    describeGuaranteedUpdate(factory);
    describeStorageModel(factory, capabilities);
  });
  if (capabilities.watch) describe(`${name}: watch contract`, () => describeStorageWatchContract(factory));
  else {
    describe(`${name}: without watch`, () => {
      it("refuses to watch with Unavailable", async () => {
        const { storage } = await factory();
        expect((await failure(storage.watch({ prefix: things }))).code).toBe("Unavailable");
      });
    });
  }
}

function describeWrites(factory: () => Promise<StorageContractSubject>): void {
  it("S1 S2: each change gets the next revision, which is inside its value; a failed one gets none", async () => {
    const { storage } = await factory();
    expect(await storage.currentRevision()).toBe(nth(0));
    const created = await storage.create(`${things}a`, thing("a"));
    expect(created).toMatchObject({ key: `${things}a`, revision: nth(1) });
    expect(JSON.parse(created.value)).toEqual({
      metadata: { name: "a", uid: "uid-a", resourceVersion: String(nth(1)) },
      value: 0,
    });
    await failure(storage.create(`${things}a`, thing("a")));
    await failure(storage.update(`${things}a`, thing("a"), nth(7)));
    const updated = await storage.update(`${things}a`, thing("a", 1), nth(1));
    expect(updated.revision).toBe(nth(2));
    expect(await storage.get(`${things}a`)).toEqual(updated);
    expect((await storage.delete(`${things}a`, thing("a", 1), nth(2))).revision).toBe(nth(3));
    expect((await storage.create(`${things}a`, thing("a"))).revision).toBe(nth(4));
    expect(await storage.currentRevision()).toBe(nth(4));
  });

  it("S3: create throws KeyExists", async () => {
    const { storage } = await factory();
    await storage.create(`${things}a`, thing("a"));
    expect(await failure(storage.create(`${things}a`, thing("a")))).toEqual({ code: "KeyExists", key: `${things}a` });
  });

  it("S4: get answers the newest state, or undefined", async () => {
    const { storage } = await factory();
    expect(await storage.get(`${things}a`)).toBeUndefined();
    const { revision } = await storage.create(`${things}a`, thing("a"));
    await storage.delete(`${things}a`, thing("a"), revision);
    expect(await storage.get(`${things}a`)).toBeUndefined();
  });

  it("S5: update and delete compare revisions; a conflict carries the object that is there", async () => {
    const { storage } = await factory();
    const key = `${things}a`;
    for (const change of ["update", "delete"] as const) {
      expect(await failure(storage[change](key, thing("a"), nth(1)))).toEqual({ code: "KeyNotFound", key });
    }
    await storage.create(key, thing("a"));
    const current = await storage.update(key, thing("a", 1), nth(1));
    for (const change of ["update", "delete"] as const) {
      const error = await failure(storage[change](key, thing("a", 2), nth(1)));
      expect(error).toEqual({ code: "RevisionConflict", key, actual: nth(2), current });
    }
    expect(await storage.get(key)).toEqual(current);
  });

  it("S6: a delete answers the last state with the deletion's own revision", async () => {
    const { storage } = await factory();
    await storage.create(`${things}a`, thing("a", "last"));
    const deleted = await storage.delete(`${things}a`, thing("a", "last"), nth(1));
    expect(deleted.revision).toBe(nth(2));
    expect(JSON.parse(deleted.value)).toMatchObject({ metadata: { resourceVersion: String(nth(2)) }, value: "last" });
  });

  it("S11: a value may have 1.5 MiB of UTF-8, and no more", async () => {
    const { storage } = await factory();
    const frame = thing("a", "");
    const free = maxObjectBytes - (frame.head.length + 1 + frame.tail.length);
    const wide = "ü".repeat(Math.floor(free / 2)) + "x".repeat(free % 2);
    const stored = await storage.create(`${things}a`, thing("a", wide));
    expect(new TextEncoder().encode(stored.value).byteLength).toBe(maxObjectBytes);
    expect((await storage.get(`${things}a`))?.value).toBe(stored.value);
    for (const write of [
      storage.create(`${things}b`, thing("a", wide + "ü")),
      storage.update(`${things}a`, thing("a", wide + "ü"), nth(1)),
      storage.create(`${things}b`, thing("a", "x".repeat(maxObjectBytes))),
    ]) {
      expect(await failure(write)).toMatchObject({ code: "ValueTooLarge", limit: maxObjectBytes });
    }
    expect(await storage.currentRevision()).toBe(nth(1));
  });

  it("S19: operations issued together succeed and fail each for itself, in order", async () => {
    const { storage } = await factory();
    const results = await Promise.allSettled([
      storage.create(`${things}a`, thing("a", 1)),
      storage.create(`${things}a`, thing("a", 2)),
      storage.get(`${things}a`),
      storage.update(`${things}a`, thing("a", 3), nth(1)),
      storage.update(`${things}b`, thing("b"), nth(1)),
      storage.create(`${things}c`, thing("c")),
      storage.currentRevision(),
    ]);
    expect(results.map(({ status }) => status)).toEqual([
      "fulfilled",
      "rejected",
      "fulfilled",
      "fulfilled",
      "rejected",
      "fulfilled",
      "fulfilled",
    ]);
    expect(await names(await storage.list({ prefix: things }))).toEqual(["a@2", "c@3"]);
  });

  it("S19: more operations than one message carries are taken", async () => {
    const { storage } = await factory();
    const all = Array.from({ length: 2_300 }, (_, i) => storage.create(`${things}${i}`, thing(`${i}`)));
    const revisions = (await Promise.all(all)).map(({ revision }) => revision);
    expect(new Set(revisions).size).toBe(2_300);
    expect(Math.max(...revisions)).toBe(nth(2_300));
    const large = "x".repeat(1_400_000);
    await Promise.all(Array.from({ length: 30 }, (_, i) => storage.create(`${things}large-${i}`, thing("l", large))));
    expect((await storage.list({ prefix: things })).count).toBe(2_330);
    const all30 = Array.from({ length: 30 }, (_, i) => `${things}large-${i}`);
    const read = await Promise.all(all30.map((key) => storage.get(key)));
    expect(read.map((object) => object?.key)).toEqual(all30);
    const conflicts = await Promise.all(all30.map((key) => failure(storage.update(key, thing("l"), nth(1)))));
    expect(conflicts.map(({ code }) => code)).toEqual(all30.map(() => "RevisionConflict"));
  }, 60_000);
}

function describeLists(factory: () => Promise<StorageContractSubject>): void {
  it("S7: a list is in key order and keeps to its prefix", async () => {
    const { storage } = await factory();
    expect(await storage.list({ prefix: things })).toMatchObject({ revision: nth(0), count: 0 });
    for (const name of ["b/one", "a/two", "ab/one", "a/one", "a-b/one"]) {
      await storage.create(things + name, thing(name, name));
    }
    const keysOf = async (prefix: string) => {
      const list = await storage.list({ prefix });
      const text = await list.text();
      expect(list.revision).toBe(nth(5));
      return (JSON.parse(`[${text}]`) as { value: string }[]).map(({ value }) => value);
    };
    expect(await keysOf(things)).toEqual(["a-b/one", "a/one", "a/two", "ab/one", "b/one"]);
    expect(await keysOf(`${things}a/`)).toEqual(["a/one", "a/two"]);
    expect(await keysOf(`${things}c/`)).toEqual([]);
  });

  it("S8: match decides the snapshot: newest, not older than, exact", async () => {
    const { storage } = await factory();
    await storage.create(`${things}a`, thing("a"));
    await storage.create(`${things}b`, thing("b"));
    await storage.update(`${things}a`, thing("a", 1), nth(1));
    await storage.delete(`${things}b`, thing("b"), nth(2));
    await storage.create(`${things}b`, thing("b"));
    await storage.create(`${things}c`, thing("c"));
    const at = async (match: ListOptions["match"]) => {
      const list = await storage.list(match === undefined ? { prefix: things } : { prefix: things, match });
      return [list.revision, ...(await names(list))];
    };
    const newest = [nth(6), "a@3", "b@5", "c@6"];
    expect(await at(undefined)).toEqual(newest);
    expect(await at({ kind: "notOlderThan", revision: nth(6) })).toEqual(newest);
    expect((await at({ kind: "notOlderThan", revision: nth(3) }))[0]).toBeGreaterThanOrEqual(nth(3));
    expect(await at({ kind: "exact", revision: nth(6) })).toEqual(newest);
    expect(await at({ kind: "exact", revision: nth(5) })).toEqual([nth(5), "a@3", "b@5"]);
    expect(await at({ kind: "exact", revision: nth(4) })).toEqual([nth(4), "a@3"]);
    expect(await at({ kind: "exact", revision: nth(3) })).toEqual([nth(3), "a@3", "b@2"]);
    expect(await at({ kind: "exact", revision: nth(2) })).toEqual([nth(2), "a@1", "b@2"]);
    expect(await at({ kind: "exact", revision: nth(1) })).toEqual([nth(1), "a@1"]);
    for (const kind of ["exact", "notOlderThan"] as const) {
      const error = await failure(storage.list({ prefix: things, match: { kind, revision: nth(7) } }));
      expect(error).toEqual({ code: "RevisionTooLarge", requested: nth(7), current: nth(6) });
    }
  });

  it("S9: pages of one snapshot add up to it while writers go on", async () => {
    const { storage } = await factory();
    const name = (i: number) => `n${String(i).padStart(2, "0")}`;
    for (let i = 0; i < 20; i += 2) await storage.create(things + name(i), thing(name(i)));
    const expected = await names(await storage.list({ prefix: things }));
    const first = await storage.list({ prefix: things, limit: 3 });
    expect(first).toMatchObject({ revision: nth(10), count: 3, lastKey: things + name(4), remaining: 7 });
    const seen = await names(first);
    let after = first.lastKey;
    let remaining = 7;
    for (let round = 1; after !== undefined; round++) {
      await storage.create(things + name(20 - 2 * round + 1), thing("new"));
      const last = (await storage.get(things + name(18)))!;
      await storage.update(last.key, thing(name(18), round), last.revision);
      const next = (await storage.get(things + name(round * 6)))!;
      await storage.delete(next.key, thing("gone"), next.revision);
      const match = { kind: "exact", revision: first.revision } as const;
      const page = await storage.list({ prefix: things, match, limit: 3, after });
      remaining -= page.count;
      expect(page.remaining ?? 0).toBe(remaining);
      expect(page.revision).toBe(first.revision);
      seen.push(...(await names(page)));
      after = page.lastKey;
    }
    expect(seen).toEqual(expected);
    expect(remaining).toBe(0);
  });

  it("S9: a limit that is not reached leaves nothing to continue", async () => {
    const { storage } = await factory();
    for (const name of ["a", "b"]) await storage.create(things + name, thing(name));
    for (const limit of [0, 2, 3]) {
      const list = await storage.list({ prefix: things, limit });
      expect(list.count).toBe(2);
      expect(list.lastKey).toBeUndefined();
      expect(list.remaining).toBeUndefined();
    }
    expect(await names(await storage.list({ prefix: things, after: `${things}a` }))).toEqual(["b@2"]);
    expect(await names(await storage.list({ prefix: things, after: `${things}b` }))).toEqual([]);
  });

  it("S10: text and stream are the same", async () => {
    const { storage } = await factory();
    for (const name of ["a", "b"]) await storage.create(things + name, thing(name, "ü🙂"));
    const text = await (await storage.list({ prefix: things })).text();
    const stream = (await storage.list({ prefix: things })).stream();
    expect(await new Response(stream).text()).toBe(text);
    const none = await storage.list({ prefix: "/registry/none/" });
    expect(await new Response(none.stream()).text()).toBe("");
  });

  it("S18: compaction ends lists at older revisions, not at newer ones", async () => {
    const { storage, compact } = await factory();
    await storage.create(`${things}a`, thing("a"));
    await storage.create(`${things}b`, thing("b"));
    await storage.update(`${things}a`, thing("a", 1), nth(1));
    await storage.delete(`${things}b`, thing("b"), nth(2));
    await storage.update(`${things}a`, thing("a", 2), nth(3));
    await compact(nth(3));
    const exact = (revision: number) => storage.list({ prefix: things, match: { kind: "exact", revision } });
    expect(await failure(exact(nth(2)))).toEqual({ code: "RevisionCompacted", requested: nth(2), oldest: nth(3) });
    expect(await names(await exact(nth(3)))).toEqual(["a@3", "b@2"]);
    expect(await names(await exact(nth(4)))).toEqual(["a@3"]);
    expect(await names(await storage.list({ prefix: things }))).toEqual(["a@5"]);
    expect(
      await names(await storage.list({ prefix: things, match: { kind: "notOlderThan", revision: nth(1) } })),
    ).toEqual(["a@5"]);
  });

  it("S18: revisions go on after everything was deleted and compacted", async () => {
    const { storage, compact } = await factory();
    await storage.create(`${things}a`, thing("a"));
    await storage.delete(`${things}a`, thing("a"), nth(1));
    await compact(nth(2));
    expect(await storage.currentRevision()).toBe(nth(2));
    expect((await storage.create(`${things}a`, thing("a"))).revision).toBe(nth(3));
  });
}

function describeGuaranteedUpdate(factory: () => Promise<StorageContractSubject>): void {
  const key = `${things}a`;

  it("S12: guaranteedUpdate loses no update of many at once", async () => {
    const { storage } = await factory();
    await storage.create(key, thing("a", 0));
    const increment = () => guaranteedUpdate(storage, key, (object) => ({ ...object!, value: object!.value + 1 }));
    await Promise.all(Array.from({ length: 12 }, increment));
    expect(JSON.parse((await storage.get(key))!.value).value).toBe(12);
    expect(await storage.currentRevision()).toBe(nth(13));
  });

  it("S12: guaranteedUpdate does not write what is unchanged, and does not trust a stale state", async () => {
    const { storage } = await factory();
    const stale = await storage.create(key, thing("a", 0));
    const newest = await storage.update(key, thing("a", 1), nth(1));
    expect(await guaranteedUpdate(storage, key, (object) => object!)).toEqual(newest);
    expect(await storage.currentRevision()).toBe(nth(2));
    const seen: unknown[] = [];
    const result = await guaranteedUpdate(
      storage,
      key,
      (object) => {
        seen.push(object!.value);
        if (object!.value === 0) throw new Error("only with the stale state");
        return { ...object!, value: 2 };
      },
      { cached: stale },
    );
    expect(seen).toEqual([0, 1]);
    expect(result.revision).toBe(nth(3));
    // As the stale state is, so the object shall be: nothing to do for the stale state, but for the newest.
    const back = await guaranteedUpdate(storage, key, (object) => ({ ...object!, value: 0 }), { cached: stale });
    expect(back.revision).toBe(nth(4));
  });

  it("S12: guaranteedUpdate creates only when told to; what tryUpdate throws ends it", async () => {
    const { storage } = await factory();
    const change = () => ({ metadata: { name: "a" }, value: 1 });
    expect((await failure(guaranteedUpdate(storage, key, change))).code).toBe("KeyNotFound");
    expect((await guaranteedUpdate(storage, key, change, { ignoreNotFound: true })).revision).toBe(nth(1));
    const refuse = () => {
      throw new Error("no");
    };
    await expect(guaranteedUpdate(storage, key, refuse)).rejects.toThrow("no");
  });

  it("S12: guaranteedDelete removes the newest state", async () => {
    const { storage } = await factory();
    const stale = await storage.create(key, thing("a", 0));
    await storage.update(key, thing("a", 1), nth(1));
    const deleted = await guaranteedDelete(storage, key, { cached: stale });
    expect(JSON.parse(deleted.value)).toMatchObject({ metadata: { resourceVersion: String(nth(3)) }, value: 1 });
    expect((await failure(guaranteedDelete(storage, key))).code).toBe("KeyNotFound");
  });

  it("S13: uid and resourceVersion preconditions hold of the newest state", async () => {
    const { storage } = await factory();
    const stale = await storage.create(key, thing("a", 0, "u1"));
    await storage.update(key, thing("a", 1, "u1"), nth(1));
    const change = (object: KubeObject | undefined) => ({ ...object!, value: 9 });
    const wrongUid = guaranteedUpdate(storage, key, change, { preconditions: { uid: "u2" }, cached: stale });
    await expect(wrongUid).rejects.toThrow(
      new PreconditionError("Precondition failed: UID in precondition: u2, UID in object meta: u1"),
    );
    const wrongVersion = guaranteedDelete(storage, key, {
      preconditions: { resourceVersion: String(nth(1)) },
      cached: stale,
    });
    await expect(wrongVersion).rejects.toThrow(
      new PreconditionError(
        `Precondition failed: ResourceVersion in precondition: ${nth(1)}, ResourceVersion in object meta: ${nth(2)}`,
      ),
    );
    const right = { preconditions: { uid: "u1", resourceVersion: String(nth(2)) }, cached: stale };
    expect((await guaranteedUpdate(storage, key, change, right)).revision).toBe(nth(3));
    expect(isStorageError(await guaranteedDelete(storage, key, right).catch((e: unknown) => e), "KeyNotFound")).toBe(
      false,
    );
  });
}
