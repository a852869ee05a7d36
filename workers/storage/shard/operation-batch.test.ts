import { describe, expect, it } from "vitest";
import { encodeObject } from "../encode-object.ts";
import { StorageError } from "../errors.ts";
import { newShardStorage } from "./client.ts";
import type { ShardOperation, ShardOperationResult, ShardTransactResult } from "./protocol.ts";

const value = encodeObject({ metadata: { name: "a" } });

/** Answers each operation with its key as value; remembers the calls. */
function newStub(answer?: (operation: ShardOperation, call: number) => ShardOperationResult) {
  const calls: ShardOperation[][] = [];
  return {
    calls,
    transact(operations: ShardOperation[]): Promise<ShardTransactResult> {
      calls.push(operations);
      const call = calls.length;
      const results = operations.map(
        (operation): ShardOperationResult =>
          answer?.(operation, call) ?? {
            ok: true,
            object: { key: operation.key, value: operation.key, revision: call },
          },
      );
      return Promise.resolve({ revision: 100 + call, results });
    },
    fetch: () => Promise.reject(new Error("not here")),
  };
}

describe("operations of a shard client", () => {
  it("S33: what is issued in one macrotask is one call, whatever promises lie before it", async () => {
    const stub = newStub();
    const storage = newShardStorage(stub);
    const after = async (turns: number, key: string) => {
      for (let turn = 0; turn < turns; turn++) await Promise.resolve();
      return storage.get(key);
    };
    const [a, b, c, d, revision] = await Promise.all([
      storage.get("/a"),
      after(3, "/b"),
      after(6, "/c"),
      storage.create("/d", value),
      storage.currentRevision(),
    ]);
    expect(stub.calls.map((call) => call.map(({ key }) => key))).toEqual([["/a", "/d", "/b", "/c"]]);
    expect([a, b, c, d].map((object) => object?.key)).toEqual(["/a", "/b", "/c", "/d"]);
    expect(revision).toBe(101);
    await storage.get("/e");
    expect(stub.calls).toHaveLength(2);
  });

  it("S33: no call carries more than 1,000 operations or about 8 MB", async () => {
    const stub = newStub();
    const storage = newShardStorage(stub);
    await Promise.all(Array.from({ length: 2_500 }, (_, i) => storage.get(`/${i}`)));
    expect(stub.calls.map(({ length }) => length)).toEqual([1_000, 1_000, 500]);
    stub.calls.length = 0;
    const large = encodeObject({ metadata: { name: "a" }, value: "x".repeat(1_000_000) });
    await Promise.all(Array.from({ length: 20 }, (_, i) => storage.create(`/${i}`, large)));
    expect(Math.max(...stub.calls.map(({ length }) => length))).toBe(8);
    expect(stub.calls.flat().map(({ key }) => key)).toEqual(Array.from({ length: 20 }, (_, i) => `/${i}`));
  });

  it("S33: the revision alone is a call, too", async () => {
    const stub = newStub();
    expect(await newShardStorage(stub).currentRevision()).toBe(101);
    expect(stub.calls).toEqual([[]]);
  });

  it("S33: gets that a full answer left out are asked again", async () => {
    const stub = newStub((operation, call) =>
      operation.key !== "/a" && call < 3
        ? { ok: false, error: { code: "Unavailable", message: "full" }, again: true }
        : { ok: true, object: undefined },
    );
    const storage = newShardStorage(stub);
    await Promise.all(["/a", "/b", "/c"].map((key) => storage.get(key)));
    expect(stub.calls.map(({ length }) => length)).toEqual([3, 2, 2]);
  });

  it("S34: a shard that cannot be reached is Unavailable, for writes, reads and lists", async () => {
    const fail = () => Promise.reject(new Error("overloaded"));
    const storage = newShardStorage({ transact: fail, fetch: fail });
    const unavailable = new StorageError({ code: "Unavailable", message: "overloaded" });
    await expect(storage.get("/a")).rejects.toEqual(unavailable);
    await expect(storage.create("/a", value)).rejects.toEqual(unavailable);
    await expect(storage.currentRevision()).rejects.toEqual(unavailable);
    await expect(storage.list({ prefix: "/a/" })).rejects.toEqual(unavailable);
  });
});
