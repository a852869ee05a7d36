import { expect, it } from "vitest";
import type {
  Storage,
  StorageErrorShape,
  StorageEvent,
  StorageWatch,
  StorageWatchMessage,
  WatchOptions,
} from "../../workers/storage/interfaces.ts";
import { nth, ordinal } from "../support/revisions.ts";
import type { StorageContractSubject } from "./storage-subject.ts";
import { failure, names, thing, things } from "./storage-subject.ts";

/** Reads a watch message by message. */
export class WatchReader {
  readonly #watch: StorageWatch;
  readonly #iterator: AsyncIterator<StorageWatchMessage>;

  constructor(watch: StorageWatch) {
    this.#watch = watch;
    this.#iterator = watch[Symbol.asyncIterator]();
  }

  async next(): Promise<StorageWatchMessage> {
    const { value, done } = await this.#iterator.next();
    if (done) throw new Error("the watch has ended");
    return value;
  }

  async events(count: number): Promise<StorageEvent[]> {
    const events: StorageEvent[] = [];
    while (events.length < count) {
      const message = await this.next();
      if (message.kind === "error") throw new Error(JSON.stringify(message.error));
      if (message.kind === "event") events.push(message.event);
    }
    return events;
  }

  /** Events up to and including the first with this revision. */
  async until(revision: number): Promise<StorageEvent[]> {
    const events: StorageEvent[] = [];
    while (events.at(-1)?.revision !== revision) events.push(...(await this.events(1)));
    return events;
  }

  close(): void {
    this.#watch.close();
  }
}

/** A watch is refused by rejecting, or by a message that is its first and last. */
async function watchFailure(storage: Storage, options: WatchOptions): Promise<StorageErrorShape> {
  let watch: StorageWatch;
  try {
    watch = await storage.watch(options);
  } catch (error) {
    return failure(Promise.reject(error));
  }
  const message = await new WatchReader(watch).next();
  if (message.kind === "error") return message.error;
  throw new Error(`expected an error, got ${JSON.stringify(message)}`);
}

const shown = ({ type, key, revision }: StorageEvent) => `${type} ${key.slice(things.length)}@${ordinal(revision)}`;

export function describeStorageWatchContract(factory: () => Promise<StorageContractSubject>): void {
  const open = async (subject: StorageContractSubject, options: Omit<WatchOptions, "prefix"> & { prefix?: string }) =>
    new WatchReader(await subject.storage.watch({ prefix: things, ...options }));

  it("S14 S15: from a revision on, each change once and in order, with the object before it", async () => {
    const subject = await factory();
    const { storage } = subject;
    const one = await storage.create(`${things}a`, thing("a", 1));
    const two = await storage.create(`${things}b`, thing("b", 1));
    const three = await storage.update(`${things}a`, thing("a", 2), nth(1));
    const reader = await open(subject, { since: nth(1) });
    const four = await storage.delete(`${things}a`, thing("a", 2), nth(3));
    const five = await storage.create(`${things}a`, thing("a", 3));
    expect(await reader.events(4)).toEqual([
      { type: "ADDED", key: two.key, revision: nth(2), value: two.value },
      { type: "MODIFIED", key: one.key, revision: nth(3), value: three.value, previous: one.value },
      { type: "DELETED", key: one.key, revision: nth(4), value: four.value, previous: three.value },
      { type: "ADDED", key: one.key, revision: nth(5), value: five.value },
    ]);
    expect(JSON.parse(four.value)).toMatchObject({ metadata: { resourceVersion: String(nth(4)) }, value: 2 });
    reader.close();
  });

  it("S1 S14: an empty store can be watched from the revision that its list shows", async () => {
    const subject = await factory();
    const { revision } = await subject.storage.list({ prefix: things });
    expect(revision).toBe(nth(0));
    const readers = [await open(subject, { since: revision })];
    await subject.storage.create(`${things}a`, thing("a"));
    readers.push(await open(subject, { since: revision }));
    for (const reader of readers) {
      expect((await reader.events(1)).map(shown)).toEqual(["ADDED a@1"]);
      reader.close();
    }
  });

  it("S14: a watch of a namespace sees only the namespace", async () => {
    const subject = await factory();
    await subject.storage.create(`${things}a/one`, thing("a/one"));
    const reader = await open(subject, { prefix: `${things}a/`, since: nth(1) });
    await subject.storage.create(`${things}ab/one`, thing("ab/one"));
    await subject.storage.create(`${things}a/two`, thing("a/two"));
    expect((await reader.events(1)).map(shown)).toEqual(["ADDED a/two@3"]);
    reader.close();
  });

  it("S14: two watches do not disturb each other, and a closed one ends", async () => {
    const subject = await factory();
    await subject.storage.create(`${things}a`, thing("a"));
    const [first, second] = [await open(subject, { since: nth(1) }), await open(subject, { since: nth(1) })];
    first.close();
    await subject.storage.create(`${things}b`, thing("b"));
    expect((await second.events(1)).map(shown)).toEqual(["ADDED b@2"]);
    await expect(first.next()).rejects.toThrow("the watch has ended");
    second.close();
  });

  it("S16: from undefined on, the newest objects come first as ADDED", async () => {
    const subject = await factory();
    const { storage } = subject;
    await storage.create(`${things}a`, thing("a"));
    await storage.create(`${things}b`, thing("b"));
    await storage.create(`${things}c`, thing("c"));
    await storage.update(`${things}a`, thing("a", 1), nth(1));
    await storage.delete(`${things}b`, thing("b"), nth(2));
    const reader = await open(subject, {});
    const initial = await reader.events(2);
    expect(initial.map(shown).sort()).toEqual(["ADDED a@4", "ADDED c@3"]);
    expect(initial.every(({ previous }) => previous === undefined)).toBe(true);
    await storage.update(`${things}c`, thing("c", 1), nth(3));
    expect((await reader.events(1)).map(shown)).toEqual(["MODIFIED c@6"]);
    reader.close();
  });

  it("S16: from 0 on, some recent state comes first, and what follows leads to the newest", async () => {
    const subject = await factory();
    const { storage } = subject;
    await storage.create(`${things}a`, thing("a"));
    await storage.create(`${things}b`, thing("b"));
    await storage.update(`${things}a`, thing("a", 1), nth(1));
    const reader = await open(subject, { since: 0 });
    await storage.delete(`${things}b`, thing("b"), nth(2));
    await storage.create(`${things}c`, thing("c"));
    const events = await reader.until(nth(5));
    expect(events[0]!.type).toBe("ADDED");
    const state = new Map<string, number>();
    for (const { type, key, revision } of events) {
      if (type === "DELETED") state.delete(key);
      else state.set(key, ordinal(revision));
    }
    const folded = [...state].map(([key, revision]) => `${key.slice(things.length)}@${revision}`);
    expect(folded.sort()).toEqual(await names(await storage.list({ prefix: things })));
    reader.close();
  });

  it("S17: initial events end with a marked bookmark", async () => {
    const subject = await factory();
    const { storage } = subject;
    await storage.create(`${things}a`, thing("a"));
    await storage.create(`${things}b`, thing("b"));
    for (const since of [undefined, 0, nth(1), nth(2)]) {
      const reader = await open(subject, {
        initialEvents: true,
        bookmarks: true,
        ...(since === undefined ? {} : { since }),
      });
      expect((await reader.events(2)).map(shown).sort()).toEqual(["ADDED a@1", "ADDED b@2"]);
      expect(await reader.next()).toEqual({ kind: "bookmark", revision: nth(2), initialEventsEnd: true });
      reader.close();
    }
    const reader = await open(subject, { initialEvents: true });
    // The snapshot is taken at some time after the call: only what it showed says from where the events go on.
    expect((await reader.events(2)).map(shown).sort()).toEqual(["ADDED a@1", "ADDED b@2"]);
    await storage.update(`${things}a`, thing("a", 1), nth(1));
    expect((await reader.events(1)).map(shown)).toEqual(["MODIFIED a@3"]);
    reader.close();
  });

  it("S17: initial events of an empty store are the bookmark alone", async () => {
    const subject = await factory();
    const reader = await open(subject, { initialEvents: true });
    expect(await reader.next()).toEqual({ kind: "bookmark", revision: nth(0), initialEventsEnd: true });
    await subject.storage.create(`${things}a`, thing("a"));
    expect((await reader.events(1)).map(shown)).toEqual(["ADDED a@1"]);
    reader.close();
  });

  it("S18: a watch from before the compacted revision is refused, from there on not", async () => {
    const subject = await factory();
    const { storage } = subject;
    await storage.create(`${things}a`, thing("a"));
    for (let change = 1; change < 5; change++) await storage.update(`${things}a`, thing("a", change), nth(change));
    await subject.compact(nth(3));
    const error = await watchFailure(storage, { prefix: things, since: nth(2) });
    expect(error).toEqual({ code: "RevisionCompacted", requested: nth(2), oldest: nth(3) });
    const reader = await open(subject, { since: nth(3) });
    const events = await reader.events(2);
    expect(events.map(shown)).toEqual(["MODIFIED a@4", "MODIFIED a@5"]);
    expect(JSON.parse(events[0]!.previous!)).toMatchObject({ metadata: { resourceVersion: String(nth(3)) }, value: 2 });
    reader.close();
  });
}
