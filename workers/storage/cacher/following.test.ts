import { describe, expect, it } from "vitest";
import { seededRandom } from "../../../test/support/random.ts";
import { nth, ordinal } from "../../../test/support/revisions.ts";
import { FakeClock } from "../../apimachinery/clock.ts";
import { emptyRevision } from "../interfaces.ts";
import { CachePusher } from "../shard/cache-pusher.ts";
import { Cacher } from "./cacher.ts";
import { newEventEncoder } from "./event-encoder.ts";
import { FakeShard } from "./fake-shard.ts";
import { FakeSocket } from "./fake-socket.ts";
import type { SavedWatcher, WatcherSocket } from "./watcher.ts";

const prefix = "/registry/configmaps/";

/** A shard's pusher and a cacher with a network of random delays between them; both can lose what they have in memory. */
class Pair {
  readonly clock = new FakeClock();
  readonly shard = new FakeShard();
  readonly random: () => number;
  pushes = 0;
  /** Somebody sleeps until there is something above this revision. */
  sleepsSince: number | undefined;
  #pusher!: CachePusher;
  #cacher!: Cacher;
  #watchers: { socket: FakeSocket; since: number }[] = [];
  /** Messages on their way. */
  #travelling = 0;

  constructor(seed: number) {
    this.random = seededRandom(seed);
    this.restartShard(emptyRevision);
    this.restartCache();
  }

  /** What was acknowledged after `acknowledged` was not written down. */
  restartShard(acknowledged: number): void {
    this.#pusher = new CachePusher({
      push: (events) => {
        this.pushes++;
        return this.#travel(() => this.#cacher.push(events));
      },
      read: (since, limit) => this.shard.after(since).slice(0, limit),
      revision: () => this.shard.revision,
      clock: this.clock,
      acknowledged,
    });
  }

  restartCache(): void {
    this.#cacher = new Cacher({
      type: { group: "", resource: "configmaps" },
      shard: {
        events: (since, limit, follow) =>
          this.#travel(() => {
            if (follow) this.#pusher.follow();
            return this.shard.events(since, limit);
          }),
        currentRevision: (follow) =>
          this.#travel(() => {
            if (follow) this.#pusher.follow();
            return this.shard.currentRevision();
          }),
        list: (request) => this.#travel(() => this.shard.list(request)),
      },
      clock: this.clock,
      random: this.random,
      encoder: newEventEncoder({}),
      fields: new Map(),
      capacity: { minimum: 4, maximum: 8 },
      wakeAt: () => undefined,
      dispatched: (revision) => this.#wakeSleeper(revision),
      awaited: () => this.sleepsSince !== undefined,
    });
    const open = this.#watchers.filter(({ socket }) => socket.closedWith === undefined && socket.saved !== undefined);
    this.#cacher.restore(
      open.map(({ socket }): [WatcherSocket, SavedWatcher] => [socket, structuredClone(socket.saved!)]),
    );
  }

  commit(): void {
    this.#pusher.enqueue([this.shard.commit(`${prefix}n/c${this.pick(3)}`, { data: {} })]);
  }

  /** What the shard's alarm does, as long as it is set. */
  alarm(): Promise<void> {
    return this.#pusher.attempt();
  }

  get idle(): boolean {
    return this.#pusher.idle;
  }

  get acknowledged(): number {
    return this.#pusher.acknowledged;
  }

  watch(since: number): FakeSocket {
    const socket = new FakeSocket();
    this.#cacher.accept(socket, { prefix, representation: { kind: "storage" }, since });
    this.#watchers.push({ socket, since });
    return socket;
  }

  closeOne(): void {
    const [gone] = this.#watchers.splice(this.pick(this.#watchers.length), 1);
    if (gone === undefined) return;
    gone.socket.close(1000, "");
    // The cache hears of it later, perhaps in another life.
    void this.#travel(() => Promise.resolve(this.#cacher.closed(gone.socket, gone.socket.saved)));
  }

  async sleep(): Promise<void> {
    const since = this.shard.revision;
    this.sleepsSince = since;
    this.#wakeSleeper(await this.#travel(() => (this.#pusher.follow(), this.shard.currentRevision())));
  }

  list(): ReturnType<Cacher["list"]> {
    return this.#cacher.list({ prefix, match: { kind: "notOlderThan", revision: 0 } });
  }

  get watchers(): readonly { socket: FakeSocket; since: number }[] {
    return this.#watchers;
  }

  /** Until every message has arrived. */
  async settle(): Promise<void> {
    do {
      await this.clock.advance(50);
      for (let round = 0; round < 3; round++) await new Promise((resolve) => setImmediate(resolve));
    } while (this.#travelling > 0);
  }

  pick(count: number): number {
    return Math.floor(this.random() * count);
  }

  #wakeSleeper(revision: number): void {
    if (this.sleepsSince !== undefined && revision > this.sleepsSince) this.sleepsSince = undefined;
  }

  async #travel<T>(call: () => Promise<T>): Promise<T> {
    this.#travelling++;
    try {
      await this.#delay();
      const answer = await call();
      await this.#delay();
      return answer;
    } finally {
      this.#travelling--;
    }
  }

  #delay(): Promise<void> {
    const milliseconds = this.pick(4) === 0 ? this.pick(40) : this.pick(5);
    return new Promise((resolve) => this.clock.setTimeout(resolve, milliseconds));
  }
}

function seen(socket: FakeSocket): number[] {
  return socket.messages.flatMap((message) => (message.kind === "event" ? [ordinal(message.event.revision)] : []));
}

describe("A cache that nobody watches", () => {
  it("W17 S35: gets one push and then none, until a watcher comes, which misses nothing", async () => {
    const pair = new Pair(1);
    for (let index = 0; index < 5; index++) {
      pair.commit();
      await pair.settle();
    }
    expect(pair.pushes).toBe(1);
    const socket = pair.watch(nth(2));
    await pair.settle();
    expect(seen(socket)).toEqual([3, 4, 5]);
    pair.commit();
    await pair.settle();
    expect(seen(socket)).toEqual([3, 4, 5, 6]);
    expect(pair.pushes).toBe(2);
    pair.closeOne();
    await pair.settle();
    for (let index = 0; index < 5; index++) {
      pair.commit();
      await pair.settle();
    }
    expect(pair.pushes).toBe(3);
  });

  it("W17: is told for the sake of a sleeper", async () => {
    const pair = new Pair(2);
    pair.commit();
    await pair.settle();
    expect(pair.idle).toBe(true);
    await Promise.all([pair.sleep(), pair.settle()]);
    pair.commit();
    await pair.settle();
    expect(pair.sleepsSince).toBeUndefined();
    pair.commit();
    await pair.settle();
    expect(pair.idle).toBe(true);
  });

  it("W18: a list shows what was committed while nothing was pushed", async () => {
    const pair = new Pair(3);
    for (let index = 0; index < 20; index++) {
      pair.commit();
      await pair.settle();
      const [listed] = await Promise.all([pair.list(), pair.settle()]);
      expect(listed).toMatchObject({ ok: true, header: { revision: pair.shard.revision } });
      expect(listed?.ok && listed.values).toEqual(pair.shard.values(prefix));
    }
    expect(pair.pushes).toBe(1);
    expect(pair.shard.listCalls).toBe(1);
  });

  it.each(Array.from({ length: 100 }, (_, index) => index + 1))(
    "W1 W17 S35 seed %i: whoever watches or sleeps is told, whatever gets lost or late",
    async (seed) => {
      const pair = new Pair(seed);
      const lists: Promise<void>[] = [];
      let written = pair.acknowledged;
      for (let step = 0; step < 120; step++) {
        const action = pair.pick(16);
        if (action < 4) pair.commit();
        else if (action < 6) pair.watch(nth(pair.pick(ordinal(pair.shard.revision) + 1)));
        else if (action < 9) pair.closeOne();
        else if (action === 9) written = Math.max(written, pair.acknowledged);
        else if (action === 10) void pair.alarm();
        else if (action === 11 && pair.sleepsSince === undefined) void pair.sleep();
        else if (action === 12) {
          lists.push(
            pair.list().then((listed) => {
              if (!listed?.ok) throw new Error(JSON.stringify(listed));
              const texts = new Map<string, string>();
              for (const { revision, key, value } of pair.shard.history) {
                if (revision <= listed.header.revision) texts.set(key, value);
              }
              expect(listed.values).toEqual([...texts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, text]) => text));
            }),
          );
        } else if (action === 13 && pair.pick(2) === 0) {
          await pair.settle();
          pair.restartCache();
        } else if (action === 14 && pair.pick(2) === 0) {
          // Its calls fail with it, so none may be on the way.
          await pair.settle();
          pair.restartShard(written);
        }
        if (pair.pick(2)) await pair.clock.advance(pair.pick(10));
      }
      await pair.settle();
      await Promise.all(lists);
      // A shard that is behind has an alarm.
      void pair.alarm();
      await pair.settle();
      for (const { socket, since } of pair.watchers) {
        expect(socket.closedWith).toBeUndefined();
        expect(seen(socket)).toEqual(pair.shard.after(since).map(({ revision }) => ordinal(revision)));
      }
      if (pair.sleepsSince !== undefined) expect(pair.shard.revision).toBe(pair.sleepsSince);
      if (pair.watchers.length > 0) expect(pair.idle).toBe(false);
    },
  );
});
