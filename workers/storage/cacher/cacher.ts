import type { Clock } from "../../apimachinery/clock.ts";
import type { GroupResource } from "../../apimachinery/gvk.ts";
import type { StorageErrorShape, StorageEvent } from "../interfaces.ts";
import type { ShardEventsResult, ShardListHeader, ShardListRequest, ShardSettings } from "../shard/protocol.ts";
import { resourcePrefix } from "../keys.ts";
import { CyclicBuffer } from "./cyclic-buffer.ts";
import type { EventEncoder } from "./event-encoder.ts";
import { objectTexts, pieces } from "./initial-events.ts";
import { closeCode } from "./protocol.ts";
import { StateKeeper } from "./state-keeper.ts";
import type { WatchRequest } from "./protocol.ts";
import { CachedEvent, WatchFilter } from "./watch-filter.ts";
import type { FieldReaders } from "./watch-filter.ts";
import { ViewIndex } from "./view-index.ts";
import type { ViewEntry } from "./view-index.ts";
import { packFrames, viewKey, WatchView } from "./watch-view.ts";
import type { Frame } from "./watch-view.ts";
import { Watcher } from "./watcher.ts";
import type { SavedWatcher, WatcherSocket } from "./watcher.ts";

/** What the cacher asks of the shard. */
export interface CacherShard {
  events(since: number, limit: number, follow?: boolean): Promise<ShardEventsResult>;
  list(request: ShardListRequest): Promise<CacherListResult>;
  currentRevision(follow?: boolean): Promise<number>;
}

export type CacherListResult =
  | { ok: true; header: ShardListHeader; body: ReadableStream<Uint8Array> }
  | { ok: false; error: StorageErrorShape };

/** Undefined: only the shard can answer. */
export type CachedList =
  | { ok: true; header: ShardListHeader; values: string[] }
  | { ok: false; error: StorageErrorShape }
  | undefined;

export interface CacherOptions {
  type: GroupResource;
  shard: CacherShard;
  clock: Clock;
  /** In [0, 1). */
  random: () => number;
  encoder: EventEncoder;
  fields: FieldReaders;
  capacity: ShardSettings["watchCacheCapacity"];
  /** Asks that {@link Cacher.sendDueBookmarks} be called at about this time, unless that is already asked for. */
  wakeAt(milliseconds: number): void;
  /** The newest revision that all live watchers have been sent. */
  dispatched?(revision: number): void;
  /** Somebody else than watchers wants to know what is dispatched. */
  awaited?(): boolean;
}

type InitialObjects =
  | { ok: true; revision: number; pieces: AsyncIterable<string[]> | Iterable<string[]> }
  | { ok: false; error: StorageErrorShape };

/**
 * Events that arrive within this many milliseconds travel together. What a frame costs hardly depends on what is in it, so with
 * many watchers frames are made rarer: up to 66 watchers get one every 10 ms, 200 every 30 ms.
 */
const dispatchInterval = 10;
const dispatchIntervalPerWatcher = 0.15;
const maxDispatchInterval = 100;
const bookmarkFrequency = 60_000;
/** A watcher that has not acknowledged for so long while there was news is ended. */
const stallLimit = 30_000;
/** Events read from the shard's history at a time. */
const historyPage = 500;
/** Watchers that start within so long after another share one state; a lone one takes its objects from the shard. */
const fanInMilliseconds = 60_000;

/**
 * Dispatches a type's committed events to its watchers. Counterpart of k8s.io/apiserver pkg/storage/cacher (1.36);
 * rules W1… are in docs/spec/watch.md.
 *
 * The cursor is the revision up to which every live watcher has been sent all events; they are dispatched together,
 * without a yield in between. It is kept in the attachments of the sockets that were sent something (or of one of them),
 * so after hibernation the largest of them is the cursor, and the buffer, which starts empty, is not missed.
 *
 * Without a cursor nothing is known of what the shard pushes: so it begins, and so it is again once a push has been answered
 * with `idle` (W17). Who needs a cursor then asks the shard for it, which makes the shard push what follows.
 */
export class Cacher {
  readonly #options: CacherOptions;
  readonly #buffer: CyclicBuffer;
  readonly #watchers = new Map<WatcherSocket, Watcher>();
  readonly #views: ViewIndex;
  readonly #state: StateKeeper;
  #initialListAt = -Infinity;
  #cursor: number | undefined;
  /** Held, not yet dispatched. */
  #pending: StorageEvent[] = [];
  #pushing: Promise<unknown> = Promise.resolve();
  /** Pushes that have not been answered. */
  #pushes = 0;
  /** True until the first push. */
  #unpushed = true;
  #dispatching: Promise<void> | undefined;
  #lastDispatch = -Infinity;

  constructor(options: CacherOptions) {
    this.#options = options;
    this.#buffer = new CyclicBuffer(options.capacity);
    this.#views = new ViewIndex(options.fields);
    this.#state = new StateKeeper({
      prefix: resourcePrefix(options.type),
      shard: options.shard,
      clock: options.clock,
      buffered: (since) => this.#buffer.after(since),
    });
  }

  /** The newest revision held; undefined when that is not known (after a start without live watchers). */
  get revision(): number | undefined {
    return this.#pending.at(-1)?.revision ?? this.#cursor;
  }

  get bufferCapacity(): number {
    return this.#buffer.capacity;
  }

  get watcherCount(): number {
    return this.#watchers.size;
  }

  /** Takes over the watchers of before hibernation. A watch whose initial events were under way cannot go on. */
  restore(sockets: Iterable<readonly [WatcherSocket, SavedWatcher]>): void {
    const restored = [...sockets];
    for (const [, { cursor }] of restored) this.#advanceCursor(cursor);
    for (const [socket, saved] of restored) {
      if (saved.mode === "initial") {
        socket.close(closeCode.done, "");
        continue;
      }
      const watcher = this.#add(socket, { ...saved, mode: saved.mode === "live" ? "live" : "catchingUp" });
      if (watcher.mode === "live") watcher.position = Math.max(watcher.position, this.#cursor ?? 0);
      else this.#start(watcher);
    }
  }

  /** A new watcher. Throws an Error when a selector cannot be parsed. Errors of the start come through the socket. */
  accept(socket: WatcherSocket, request: WatchRequest): void {
    const fromState = request.initialEvents === true || (!request.since && request.initialEvents !== false);
    const watcher = this.#add(socket, {
      request,
      mode: fromState ? "initial" : "catchingUp",
      position: request.since ?? 0,
      cursor: -1,
      first: true,
    });
    watcher.save(this.#cursor);
    this.#start(watcher);
  }

  /** W1: every event reaches every live watcher once, in order, whatever the shard pushes twice or leaves out. */
  async push(events: StorageEvent[]): Promise<{ revision: number; idle?: boolean }> {
    this.#unpushed = false;
    this.#pushes++;
    try {
      const received = this.#pushing.then(() => this.#receive(events));
      this.#pushing = received.catch(() => undefined);
      await received;
      await this.#dispatchSoon();
    } finally {
      this.#pushes--;
    }
    const revision = this.#cursor ?? 0;
    if (!this.#mayRest) return { revision };
    // Nothing may come between this and the answer: whoever comes now has to ask the shard.
    this.#cursor = undefined;
    return { revision, idle: true };
  }

  get #mayRest(): boolean {
    if (this.#pushes > 0 || this.#watchers.size > 0 || this.#pending.length > 0) return false;
    return !this.#options.awaited?.();
  }

  /**
   * W18: the newest state, or one not older than a revision. Left to the shard: the past, and pages that are continued,
   * since their snapshot has to be kept.
   */
  async list({ prefix, match, limit, after }: ShardListRequest): Promise<CachedList> {
    if (match?.kind === "exact") return undefined;
    const read = await this.#state.read(match, this.revision);
    if (!read?.ok) return read;
    const values = read.state.values(prefix, after);
    if (limit && values.length > limit) return undefined;
    return { ok: true, header: { revision: read.state.revision, count: values.length }, values };
  }

  acknowledged(socket: WatcherSocket, length: number): void {
    this.#watchers.get(socket)?.acknowledge(length);
  }

  /** The watcher's end is planned: a last bookmark, then the close. */
  endRequested(socket: WatcherSocket): void {
    const watcher = this.#watchers.get(socket);
    if (watcher === undefined) return;
    if (watcher.mode === "live") this.#sendBookmark(watcher);
    watcher.close(closeCode.done);
    this.#forget(watcher);
  }

  /** The socket is gone. `saved` is its attachment, which may hold the newest cursor. */
  closed(socket: WatcherSocket, saved: SavedWatcher | undefined): void {
    // Only what was before hibernation can be news, and only while others depend on it.
    if (saved !== undefined && this.#cursor !== undefined && this.#unpushed) this.#advanceCursor(saved.cursor);
    const watcher = this.#watchers.get(socket);
    if (watcher !== undefined) this.#forget(watcher);
  }

  /** Bookmarks for watchers that asked for them and do not know the newest revision. */
  sendDueBookmarks(): void {
    for (const watcher of this.#watchers.values()) if (watcher.mode === "live") this.#sendBookmark(watcher);
  }

  #add(socket: WatcherSocket, saved: SavedWatcher): Watcher {
    const key = viewKey(saved.request);
    let entry = this.#views.get(key);
    if (entry === undefined) {
      const filter = new WatchFilter(saved.request, this.#options.fields);
      entry = this.#views.add(new WatchView(saved.request, filter, this.#options.encoder));
    }
    const watcher = new Watcher(socket, entry.view, saved);
    this.#scheduleBookmark(watcher);
    entry.watchers.add(watcher);
    this.#watchers.set(socket, watcher);
    return watcher;
  }

  #forget(watcher: Watcher): void {
    watcher.closed = true;
    watcher.acknowledge(Infinity);
    this.#watchers.delete(watcher.socket);
    const entry = this.#views.get(watcher.view.key);
    entry?.watchers.delete(watcher);
    if (entry?.watchers.size === 0) this.#views.delete(watcher.view.key);
    this.#saveCursor();
  }

  /** Some open socket must keep the cursor; which of them is all the same. */
  #saveCursor(): void {
    for (const watcher of this.#watchers.values()) {
      if (watcher.closed) continue;
      watcher.save(this.#cursor);
      return;
    }
  }

  #advanceCursor(revision: number): void {
    if (revision >= 0 && revision > (this.#cursor ?? -1)) this.#cursor = revision;
  }

  /** The shard pushes what comes after `revision`. What was before it will not be dispatched. */
  #begin(revision: number): void {
    if (this.#cursor !== undefined) return;
    this.#cursor = revision;
    this.#options.dispatched?.(revision);
  }

  // Events from the shard

  async #receive(events: StorageEvent[]): Promise<void> {
    for (const event of events) {
      this.#cursor ??= event.revision - 1;
      const held = this.revision!;
      if (event.revision <= held) continue;
      if (event.revision > held + 1) await this.#fillGap(held, event.revision);
      this.#hold(event);
    }
  }

  /** Holds the events between, from the shard's history; when it does not reach back, all watchers must relist. */
  async #fillGap(held: number, next: number): Promise<void> {
    let from = held;
    while (from < next - 1) {
      const result = await this.#options.shard.events(from, Math.min(historyPage, next - 1 - from));
      if (!result.ok) {
        this.#startOver(next - 1, result.error);
        return;
      }
      if (result.events.length === 0) throw new Error(`the shard has no event after ${from}, but pushed ${next}`);
      for (const event of result.events) if (event.revision < next) this.#hold(event);
      from = result.events.at(-1)!.revision;
      if (this.#pending.length >= historyPage) this.#dispatch();
    }
  }

  #hold(event: StorageEvent): void {
    // What happened while the shard did not push is missing.
    if (this.#buffer.newest !== undefined && this.#buffer.newest + 1 < event.revision) this.#buffer.clear();
    // The shard may begin again at what it does not know to be acknowledged.
    if ((this.#buffer.newest ?? 0) < event.revision) this.#buffer.append(event, this.#options.clock.now());
    this.#state.hold(event);
    this.#pending.push(event);
  }

  #startOver(revision: number, error: StorageErrorShape): void {
    this.#dispatch();
    for (const watcher of [...this.#watchers.values()]) {
      if (watcher.mode === "initial") continue;
      watcher.fail(error);
      this.#forget(watcher);
    }
    this.#buffer.clear();
    this.#cursor = revision;
  }

  // Dispatch

  get #dispatchInterval(): number {
    return Math.min(maxDispatchInterval, Math.max(dispatchInterval, this.#watchers.size * dispatchIntervalPerWatcher));
  }

  #dispatchSoon(): Promise<void> {
    if (this.#dispatching !== undefined) return this.#dispatching;
    const { clock } = this.#options;
    const wait = this.#lastDispatch + this.#dispatchInterval - clock.now();
    if (wait <= 0 || this.#watchers.size === 0) {
      this.#dispatch();
      return Promise.resolve();
    }
    this.#dispatching = new Promise((resolve) => {
      clock.setTimeout(() => {
        this.#dispatching = undefined;
        this.#dispatch();
        resolve();
      }, wait);
    });
    return this.#dispatching;
  }

  #dispatch(): void {
    const { clock, wakeAt, dispatched } = this.#options;
    const now = clock.now();
    this.#lastDispatch = now;
    const newest = this.#pending.at(-1)?.revision;
    if (newest === undefined) return;
    const events = this.#pending.map((event) => new CachedEvent(event));
    this.#pending = [];
    this.#cursor = newest;
    let saved = false;
    for (const [entry, concerned] of this.#views.concerned(events)) {
      if (this.#dispatchView(entry, concerned)) saved = true;
    }
    if (!saved) this.#saveCursor();
    this.#afterDispatch(now);
    if (this.#anyWantsBookmark()) wakeAt(now + this.#jitter(bookmarkFrequency));
    dispatched?.(newest);
  }

  /** True when some watcher's state was saved. */
  #dispatchView({ view, watchers }: ViewEntry, events: CachedEvent[]): boolean {
    let shared: Frame[] | undefined;
    let saved = false;
    const firstRevision = events[0]!.event.revision;
    for (const watcher of watchers) {
      if (watcher.mode !== "live") continue;
      let frames: Frame[];
      if (watcher.position >= firstRevision) {
        const lacking = events.filter(({ event }) => event.revision > watcher.position);
        frames = packFrames(view.lines(lacking, watcher.first), view.binary);
      } else if (watcher.first && view.firstDiffers) {
        frames = packFrames(view.lines(events, true), view.binary);
      } else {
        frames = shared ??= packFrames(view.lines(events, false), view.binary);
      }
      if (frames.length === 0) continue;
      const complete = watcher.deliver(frames);
      if (!complete) watcher.mode = "behind";
      watcher.save(this.#cursor);
      saved = true;
      if (!complete) this.#start(watcher);
    }
    return saved;
  }

  /** Live watchers are at the cursor now. Drops those that are gone or stalled, and sends bookmarks that are due. */
  #afterDispatch(now: number): void {
    for (const watcher of [...this.#watchers.values()]) {
      if (watcher.mode === "live") watcher.position = Math.max(watcher.position, this.#cursor ?? 0);
      if (watcher.stalledSince !== undefined && now - watcher.stalledSince > stallLimit) watcher.close(closeCode.slow);
      if (watcher.closed) this.#forget(watcher);
      else if (watcher.mode === "live" && now >= watcher.nextBookmark) this.#sendBookmark(watcher);
    }
  }

  #anyWantsBookmark(): boolean {
    for (const watcher of this.#watchers.values()) {
      if (watcher.request.bookmarks && watcher.told < watcher.position) return true;
    }
    return false;
  }

  #sendBookmark(watcher: Watcher): void {
    this.#scheduleBookmark(watcher);
    if (!watcher.request.bookmarks || watcher.told >= watcher.position || !watcher.hasRoom) return;
    watcher.send(watcher.view.bookmark(watcher.position, false, watcher.first));
    watcher.save(this.#cursor);
  }

  #scheduleBookmark(watcher: Watcher): void {
    watcher.nextBookmark = this.#options.clock.now() + this.#jitter(bookmarkFrequency);
  }

  #jitter(milliseconds: number): number {
    return milliseconds * (0.75 + this.#options.random() / 4);
  }

  // Watchers that are not live

  #start(watcher: Watcher): void {
    this.#catchUp(watcher)
      .catch((error: unknown) => {
        watcher.fail({ code: "Unavailable", message: error instanceof Error ? error.message : String(error) });
      })
      .finally(() => {
        if (watcher.closed) this.#forget(watcher);
      });
  }

  /** Sends what the watcher lacks, as fast as it acknowledges, until it is live or closed. */
  async #catchUp(watcher: Watcher): Promise<void> {
    const { clock, shard } = this.#options;
    if (watcher.mode === "initial") await this.#sendInitialEvents(watcher);
    else if (!watcher.request.since && watcher.position === 0 && watcher.request.initialEvents === false) {
      watcher.position = this.#cursor ?? (await shard.currentRevision(true));
    }
    for (;;) {
      await watcher.room(clock.now());
      if (watcher.closed) return;
      if (this.#cursor !== undefined && watcher.position >= this.#cursor) break;
      const buffered = this.#buffer.after(watcher.position, historyPage);
      // It may end before the newest event when the shard has not been pushing.
      if (buffered !== undefined && buffered.length > 0) {
        this.#deliverPiece(watcher, buffered);
        continue;
      }
      if (watcher.mode === "behind") {
        watcher.close(closeCode.slow);
        return;
      }
      const cold = this.#cursor === undefined;
      const known = this.#cursor ?? 0;
      const result = await shard.events(watcher.position, historyPage, true);
      if (watcher.closed) return;
      if (!result.ok && result.error.code === "RevisionTooLarge" && cold) {
        // W4: it is live, and waits.
        this.#begin(result.error.current);
        continue;
      }
      if (!result.ok) {
        watcher.fail(result.error);
        return;
      }
      if (result.events.length > 0) {
        this.#deliverPiece(watcher, result.events);
        continue;
      }
      if (result.revision < known) throw new Error(`the shard is at ${result.revision}, before ${known}`);
      watcher.position = Math.max(watcher.position, result.revision);
      this.#begin(result.revision);
    }
    watcher.mode = "live";
    watcher.save(this.#cursor);
  }

  #deliverPiece(watcher: Watcher, events: StorageEvent[]): void {
    const newest = events.at(-1)?.revision;
    if (newest === undefined) return;
    const cached = events.map((event) => new CachedEvent(event));
    const frames = packFrames(watcher.view.lines(cached, watcher.first), watcher.view.binary);
    if (watcher.deliver(frames)) watcher.position = Math.max(watcher.position, newest);
    watcher.save(this.#cursor);
  }

  /**
   * The objects that a watch starts with, in pieces, at one revision: from the state when several start about the same time,
   * else streamed from the shard.
   */
  async #initialObjects({ prefix, since }: WatchRequest): Promise<InitialObjects> {
    const { clock, shard } = this.#options;
    const request: ShardListRequest = { prefix };
    if (since !== undefined) request.match = { kind: "notOlderThan", revision: since };
    const crowd = clock.now() - this.#initialListAt < fanInMilliseconds;
    this.#initialListAt = clock.now();
    const cached = crowd || this.#state.loaded ? await this.list(request) : undefined;
    if (cached?.ok) return { ok: true, revision: cached.header.revision, pieces: pieces(cached.values) };
    if (cached !== undefined) return cached;
    const listed = await shard.list({ ...request, keys: true });
    return listed.ok ? { ok: true, revision: listed.header.revision, pieces: objectTexts(listed.body) } : listed;
  }

  /** The current objects as ADDED; leaves the watcher at their snapshot's revision. */
  async #sendInitialEvents(watcher: Watcher): Promise<void> {
    const { clock, type } = this.#options;
    const { request, view } = watcher;
    const objects = await this.#initialObjects(request);
    if (!objects.ok) {
      watcher.fail(objects.error);
      return;
    }
    for await (const values of objects.pieces) {
      for (const frame of packFrames(view.initialLines(type, values, watcher.first), view.binary)) {
        await watcher.room(clock.now());
        if (watcher.closed) return;
        watcher.send(frame);
      }
    }
    watcher.position = objects.revision;
    watcher.mode = "catchingUp";
    if (request.initialEvents && (request.bookmarks || request.representation.kind === "storage")) {
      await watcher.room(clock.now());
      if (watcher.closed) return;
      watcher.send(view.bookmark(watcher.position, true, watcher.first));
    }
    watcher.save(this.#cursor);
  }
}
