import { expect, it } from "vitest";
import { completeObject } from "../../workers/storage/encode-object.ts";
import { emptyRevision } from "../../workers/storage/interfaces.ts";
import type { StorageEvent } from "../../workers/storage/interfaces.ts";
import type { StorageCapabilities, StorageContractSubject } from "./storage-subject.ts";
import { failure, thing, things } from "./storage-subject.ts";
import { WatchReader } from "./storage-watch-contract.ts";

interface ModelObject {
  value: string;
  revision: number;
}

/** Every state that a store went through, kept whole. */
class Model {
  readonly #states = new Map<number, ReadonlyMap<string, ModelObject>>([[emptyRevision, new Map()]]);
  readonly events: StorageEvent[] = [];

  get revision(): number {
    return emptyRevision + this.events.length;
  }

  get current(): ReadonlyMap<string, ModelObject> {
    return this.#states.get(this.revision)!;
  }

  apply(type: StorageEvent["type"], key: string, value: string): void {
    const previous = this.current.get(key)?.value;
    const next = new Map(this.current);
    const revision = this.revision + 1;
    if (type === "DELETED") next.delete(key);
    else next.set(key, { value, revision });
    this.events.push({ type, key, revision, value, ...(previous === undefined ? {} : { previous }) });
    this.#states.set(revision, next);
  }

  list(revision: number, prefix: string, after: string): [string, ModelObject][] {
    const inRange = [...this.#states.get(revision)!].filter(([key]) => key.startsWith(prefix) && key > after);
    return inRange.sort(([a], [b]) => (a < b ? -1 : 1));
  }
}

const seeds = [1, 20260, 987_654_321];
const steps = 250;

/** Random operations against a model that keeps every state; now and then lists, compaction, and watches at the end. */
export function describeStorageModel(
  factory: () => Promise<StorageContractSubject>,
  capabilities: StorageCapabilities,
): void {
  for (const seed of seeds) {
    it(`S1–S18: ${steps} random operations agree with the model, seed ${seed}`, async () => {
      const subject = await factory();
      const random = newRandom(seed);
      const model = new Model();
      let compacted = emptyRevision;
      for (let step = 0; step < steps; step++) {
        if (random(20) === 0 && model.revision > compacted) {
          compacted += random(model.revision - compacted + 1);
          await subject.compact(compacted);
        } else if (random(4) === 0) await checkList(subject, model, compacted, random);
        else await write(subject, model, step, random);
      }
      expect(await subject.storage.currentRevision()).toBe(model.revision);
      for (let revision = compacted; revision <= model.revision; revision += 1 + random(5)) {
        const list = await subject.storage.list({ prefix: things, match: { kind: "exact", revision } });
        expect(await list.text()).toBe(
          model
            .list(revision, things, "")
            .map(([, { value }]) => value)
            .join(","),
        );
      }
      if (capabilities.watch) await checkWatch(subject, model, compacted + random(model.revision - compacted + 1));
    }, 60_000);
  }
}

async function write(subject: StorageContractSubject, model: Model, step: number, random: Random): Promise<void> {
  const { storage } = subject;
  const name = `${["a", "ab", "b"][random(3)]}/${random(8)}`;
  const key = things + name;
  const existing = model.current.get(key);
  const encoded = thing(name, step);
  const next = completeObject(encoded, model.revision + 1);
  const expected = random(5) === 0 ? random(model.revision + 2) : (existing?.revision ?? 0);
  const kind = (["create", "update", "update", "delete"] as const)[random(4)]!;
  if (kind === "create") {
    if (existing !== undefined) {
      expect(await failure(storage.create(key, encoded))).toEqual({ code: "KeyExists", key });
    } else {
      expect(await storage.create(key, encoded)).toEqual({ key, value: next, revision: model.revision + 1 });
      model.apply("ADDED", key, next);
    }
  } else if (existing === undefined) {
    expect(await failure(storage[kind](key, encoded, expected))).toEqual({ code: "KeyNotFound", key });
  } else if (expected !== existing.revision) {
    const error = { code: "RevisionConflict", key, actual: existing.revision, current: { key, ...existing } };
    expect(await failure(storage[kind](key, encoded, expected))).toEqual(error);
  } else {
    expect((await storage[kind](key, encoded, expected)).value).toBe(next);
    model.apply(kind === "update" ? "MODIFIED" : "DELETED", key, next);
  }
  const stored = model.current.get(key);
  expect(await storage.get(key)).toEqual(stored && { key, ...stored });
}

async function checkList(
  subject: StorageContractSubject,
  model: Model,
  compacted: number,
  random: Random,
): Promise<void> {
  const prefix = [things, `${things}a/`, `${things}ab/`][random(3)]!;
  const after = random(2) === 0 ? "" : `${things}${["a", "ab"][random(2)]}/${random(8)}`;
  const limit = random(3) === 0 ? 0 : 1 + random(6);
  const revision = compacted + random(model.revision - compacted + 1);
  const match = ([undefined, { kind: "exact", revision }, { kind: "notOlderThan", revision }] as const)[random(3)];
  const list = await subject.storage.list({
    prefix,
    limit,
    ...(match === undefined ? {} : { match }),
    ...(after === "" ? {} : { after }),
  });
  if (match?.kind === "notOlderThan") expect(list.revision).toBeGreaterThanOrEqual(revision);
  else expect(list.revision).toBe(match?.revision ?? model.revision);
  const expected = model.list(list.revision, prefix, after);
  const page = limit === 0 ? expected : expected.slice(0, limit);
  expect(await list.text()).toBe(page.map(([, { value }]) => value).join(","));
  expect(list.count).toBe(page.length);
  expect(list.lastKey).toBe(page.length < expected.length ? page.at(-1)![0] : undefined);
  expect(list.remaining).toBe(page.length < expected.length ? expected.length - page.length : undefined);
}

async function checkWatch(subject: StorageContractSubject, model: Model, since: number): Promise<void> {
  const reader = new WatchReader(await subject.storage.watch({ prefix: things, since }));
  // Something must come last, or a missing event could not be told from a late one.
  const last = await subject.storage.create(`${things}last/one`, thing("last/one"));
  const events = await reader.until(last.revision);
  expect(events.slice(0, -1)).toEqual(model.events.slice(since - emptyRevision));
  reader.close();
}

type Random = (below: number) => number;

/** Small numbers from a seed (mulberry32). */
function newRandom(seed: number): Random {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}
