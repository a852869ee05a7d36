import type { Clock } from "../../apimachinery/clock.ts";
import type { KubeObject } from "../../apimachinery/meta.ts";
import { encodeObject } from "../encode-object.ts";
import type { StorageErrorShape, StorageEvent } from "../interfaces.ts";
import { answer } from "./answer.ts";
import { Applier, readObject } from "./apply.ts";
import { CachePusher } from "./cache-pusher.ts";
import type { PushAnswer } from "./cache-pusher.ts";
import { isRevision, problemOfCall, problemOfList, refused } from "./check-input.ts";
import { compactionTarget } from "./compaction-target.ts";
import { listBody, SnapshotLost } from "./list-body.ts";
import { planList } from "./list-plan.ts";
import { listFailure, listResponse } from "./list-response.ts";
import type {
  ResourceShardProtocol,
  ShardEventsResult,
  ShardListRequest,
  ShardOperation,
  ShardOperationResult,
  ShardSettings,
  ShardTransactResult,
} from "./protocol.ts";
import { SnapshotPins } from "./snapshot-pins.ts";
import { ShardTables } from "./tables.ts";

/** What a shard needs of the Durable Object that hosts it. */
export interface ShardHost {
  sql: SqlStorage;
  /** Runs the closure in a transaction that is rolled back when it throws. */
  transactionSync<T>(closure: () => T): T;
  clock: Clock;
  /** Resolves in a later turn of the event loop, about a millisecond later. */
  nextMacrotask(): Promise<void>;
  /** Resolves when everything written so far is durable. */
  sync(): Promise<void>;
  /** Sets the one alarm, as part of the current commit; replaces what was set. */
  setAlarm(at: number): void;
  /** When the alarm that is set goes off. */
  alarmAt: number | undefined;
  /** Sends committed events to the watch cache; must not leave before they are durable. */
  push(events: StorageEvent[]): Promise<PushAnswer>;
  settings: ShardSettings;
}

interface Call {
  operations: ShardOperation[];
  resolve(result: ShardTransactResult): void;
}

/** A commit that the cache has not acknowledged after this time is looked after by the alarm. */
const deliveryCheckMilliseconds = 5_000;
/** Revisions of one compaction step, and objects of one expiry step. */
const stepSize = 500;
/** A step that is not full waits this long for more. */
const compactionSlackMilliseconds = 60_000;
const alarmSpacingMilliseconds = 5_000;
/** Operations of one commit, so that readers get their turn. */
const maxCommitOperations = 2_000;
const maxEventsLimit = 5_000;

/**
 * One resource type of one cluster: the logic of the ResourceShard Durable Object. All state that matters is in the
 * tables; the rest can be lost at any moment. Behaves as etcd does for k8s.io/apiserver pkg/storage/etcd3 (1.36):
 * MVCC, compare-and-swap by revision, compaction.
 */
export class Shard implements ResourceShardProtocol {
  readonly #host: ShardHost;
  readonly #tables: ShardTables;
  readonly #pins: SnapshotPins;
  readonly #pusher: CachePusher;
  #revision: number;
  #committedAt: number;
  #compacted: number;
  /** The acknowledged revision that the meta row holds. */
  #persistedAcknowledged: number;
  #calls: Call[] = [];
  #commitScheduled = false;
  #syncing = false;
  #alarmAt: number | undefined;

  constructor(host: ShardHost) {
    this.#host = host;
    this.#tables = new ShardTables(host.sql);
    this.#pins = new SnapshotPins(host.clock);
    const state = this.#tables.load();
    this.#revision = state.revision;
    this.#committedAt = state.committedAt;
    this.#compacted = state.compactedRevision;
    this.#persistedAcknowledged = state.acknowledgedRevision;
    this.#alarmAt = host.alarmAt;
    this.#pusher = new CachePusher({
      push: (events) => host.push(events),
      read: (since, limit) => this.#tables.events(since, limit),
      revision: () => this.#revision,
      clock: host.clock,
      acknowledged: state.acknowledgedRevision,
    });
  }

  /**
   * Group commit: a call is applied at once while no other commit is on its way to the disk; calls that arrive
   * meanwhile are gathered for about a millisecond. Calls that only read are answered at once.
   */
  transact(operations: ShardOperation[]): Promise<ShardTransactResult> {
    const problem = problemOfCall(operations);
    if (problem !== undefined) {
      const count = Array.isArray(operations) ? operations.length : 1;
      return Promise.resolve(this.#failed(count, problem));
    }
    if (operations.every((operation) => operation?.kind === "get")) return Promise.resolve(this.#read(operations));
    return new Promise((resolve) => {
      this.#calls.push({ operations, resolve });
      if (!this.#syncing) this.#commitCalls();
      else if (!this.#commitScheduled) this.#scheduleCommit();
    });
  }

  currentRevision(follow?: boolean): Promise<number> {
    if (follow) this.#pusher.follow();
    return Promise.resolve(this.#revision);
  }

  async events(since: number, limit: number, follow?: boolean): Promise<ShardEventsResult> {
    if (follow) this.#pusher.follow();
    if (!isRevision(since) || !isRevision(limit)) return { ok: false, error: refused("since or limit") };
    const revision = this.#revision;
    if (since < this.#compacted) {
      return { ok: false, error: { code: "RevisionCompacted", requested: since, oldest: this.#compacted } };
    }
    if (since > revision)
      return { ok: false, error: { code: "RevisionTooLarge", requested: since, current: revision } };
    try {
      return { ok: true, events: this.#tables.events(since, Math.min(limit, maxEventsLimit)), revision };
    } catch (error) {
      return { ok: false, error: unavailable(error) };
    }
  }

  async fetch(request: Request): Promise<Response> {
    try {
      if (request.method !== "POST" || new URL(request.url).pathname !== "/list") {
        return listFailure(refused(`${request.method} ${request.url}`));
      }
      return await this.#list(await request.json<ShardListRequest>());
    } catch (error) {
      return listFailure(unavailable(error));
    }
  }

  async compact(): Promise<{ compactedRevision: number }> {
    await this.#compactTo(this.#compactionTarget());
    return { compactedRevision: this.#compacted };
  }

  /**
   * Runs what is due: delivery to the cache, expiry, compaction; sets the next alarm if one is needed. Rejects only when
   * the storage fails, and then the runtime repeats it.
   */
  async alarm(): Promise<void> {
    this.#alarmAt = undefined;
    try {
      // Not awaited: a cache that hangs must not hold up the rest. The next alarm looks after it.
      void this.#pusher.attempt();
      await this.#expire();
      const target = this.#compactionTarget();
      if (target - this.#compacted >= stepSize || this.#compactionDue() <= this.#host.clock.now()) {
        await this.#compactTo(target);
      }
      if (!this.#pusher.behind && this.#persistedAcknowledged !== this.#pusher.acknowledged) {
        this.#persistedAcknowledged = this.#pusher.acknowledged;
        this.#tables.acknowledge(this.#persistedAcknowledged);
      }
    } finally {
      this.#setAlarmBy(this.#nextAlarm());
    }
  }

  #scheduleCommit(): void {
    this.#commitScheduled = true;
    void this.#host.nextMacrotask().then(() => {
      this.#commitScheduled = false;
      this.#commitCalls();
    });
  }

  #commitCalls(): void {
    let operations = 0;
    let count = 0;
    while (count < this.#calls.length && operations < maxCommitOperations) {
      operations += this.#calls[count++]!.operations.length;
    }
    const calls = this.#calls.splice(0, count);
    if (this.#calls.length > 0 && !this.#commitScheduled) this.#scheduleCommit();
    this.#commitTogether(calls);
    if (!this.#syncing) void this.#waitForDisk();
  }

  async #waitForDisk(): Promise<void> {
    this.#syncing = true;
    try {
      await this.#host.sync();
    } catch {
      // The runtime resets the object; callers see that their calls failed.
    }
    this.#syncing = false;
    if (this.#calls.length > 0) this.#commitCalls();
  }

  #commitTogether(calls: Call[]): void {
    let results: ShardOperationResult[][];
    try {
      results = this.#commit(calls.map((call) => call.operations));
    } catch (error) {
      // One call must not take others down with it.
      if (calls.length > 1) for (const call of calls) this.#commitTogether([call]);
      else for (const call of calls) call.resolve(this.#failed(call.operations.length, unavailable(error)));
      return;
    }
    const revision = this.#revision;
    calls.forEach((call, index) => call.resolve({ revision, results: results[index]! }));
  }

  /** All or nothing. The events are pushed once they are durable. */
  #commit(batches: ShardOperation[][]): ShardOperationResult[][] {
    const committedAt = Math.max(this.#host.clock.now(), this.#committedAt);
    const applier = new Applier(this.#tables, this.#revision, committedAt);
    const results = this.#host.transactionSync(() =>
      batches.map((operations) => answer(operations, (operation) => applier.apply(operation))),
    );
    if (applier.events.length > 0) {
      this.#revision = applier.revision;
      this.#committedAt = committedAt;
      // Without delivery, and its alarm, compaction and expiry need one of their own.
      if (!this.#pusher.idle)
        this.#setAlarmBy(Math.max(committedAt + deliveryCheckMilliseconds, this.#pusher.nextAttempt));
      else if (this.#alarmAt === undefined) this.#setAlarmBy(this.#nextAlarm());
      this.#pusher.enqueue(applier.events);
    }
    return results;
  }

  #read(operations: ShardOperation[]): ShardTransactResult {
    try {
      const read = ({ key }: ShardOperation) => ({ ok: true, object: readObject(this.#tables, key) }) as const;
      return { revision: this.#revision, results: answer(operations, read) };
    } catch (error) {
      return this.#failed(operations.length, unavailable(error));
    }
  }

  #failed(count: number, error: StorageErrorShape): ShardTransactResult {
    return { revision: this.#revision, results: Array.from({ length: count }, () => ({ ok: false, error })) };
  }

  async #list(request: ShardListRequest): Promise<Response> {
    const problem = problemOfList(request);
    if (problem !== undefined) return listFailure(problem);
    const result = planList(this.#tables, request, this.#revision, this.#compacted);
    if (!result.ok) return listFailure(result.error);
    const { header, revisions } = result.plan;
    if (header.lastKey !== undefined || revisions.length > 1) this.#pins.pin(header.revision);
    try {
      const form = request.keys ? "lines" : "values";
      const body = await listBody(this.#tables, revisions, form, () => this.#host.nextMacrotask());
      return listResponse(header, body);
    } catch (error) {
      if (!(error instanceof SnapshotLost)) throw error;
      return listFailure({ code: "RevisionCompacted", requested: header.revision, oldest: this.#compacted });
    }
  }

  #compactionTarget(): number {
    const bounds = {
      now: this.#host.clock.now(),
      revision: this.#revision,
      compacted: this.#compacted,
      acknowledged: this.#pusher.acknowledged,
      oldestPin: this.#pins.oldest(),
    };
    return compactionTarget(bounds, this.#host.settings, (revision) => this.#tables.committedAt(revision)!);
  }

  async #compactTo(target: number): Promise<void> {
    while (this.#compacted < target) {
      const upTo = Math.min(target, this.#compacted + stepSize, Math.max(this.#pins.oldest(), this.#compacted));
      if (upTo === this.#compacted) return;
      this.#host.transactionSync(() => this.#tables.compact(this.#compacted, upTo));
      this.#compacted = upTo;
      if (upTo < target) await this.#host.nextMacrotask();
    }
  }

  /** Deletes what has outlived the type's time to live, with DELETED events as for any deletion. */
  async #expire(): Promise<void> {
    const ttl = this.#host.settings.objectTtlMilliseconds;
    if (ttl === undefined) return;
    for (;;) {
      const cutoff = this.#host.clock.now() - ttl;
      const deletions: ShardOperation[] = [];
      for (const [key, expectedRevision, committedAt, value] of this.#tables.oldestLive()) {
        if (committedAt > cutoff || deletions.length === stepSize) break;
        deletions.push({ kind: "delete", key, value: encodeObject(JSON.parse(value) as KubeObject), expectedRevision });
      }
      if (deletions.length === 0) return;
      this.#commit([deletions]);
      await this.#host.nextMacrotask();
    }
  }

  /** When compaction has something to do that has waited long enough; Infinity if nothing may be dropped. */
  #compactionDue(): number {
    const { historyMilliseconds, historyRevisions } = this.#host.settings;
    if (this.#revision - historyRevisions <= this.#compacted) return Infinity;
    return this.#tables.committedAt(this.#compacted + 1)! + historyMilliseconds + compactionSlackMilliseconds;
  }

  #expiryDue(): number {
    const ttl = this.#host.settings.objectTtlMilliseconds;
    if (ttl === undefined) return Infinity;
    for (const [, , committedAt] of this.#tables.oldestLive()) return committedAt + ttl;
    return Infinity;
  }

  #nextAlarm(): number {
    const now = this.#host.clock.now();
    const delivery = this.#pusher.behind
      ? Math.max(this.#pusher.nextAttempt, now + deliveryCheckMilliseconds)
      : Infinity;
    const chores = Math.max(Math.min(this.#compactionDue(), this.#expiryDue()), now + alarmSpacingMilliseconds);
    return Math.min(delivery, chores);
  }

  /** An alarm that is already set for an earlier time serves as well: setting one is a billed row. */
  #setAlarmBy(at: number): void {
    if (at === Infinity || (this.#alarmAt !== undefined && this.#alarmAt <= at)) return;
    this.#alarmAt = at;
    this.#host.setAlarm(at);
  }
}

function unavailable(error: unknown): StorageErrorShape {
  return { code: "Unavailable", message: error instanceof Error ? error.message : String(error) };
}
