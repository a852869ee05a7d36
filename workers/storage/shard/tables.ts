import type { StorageEvent } from "../interfaces.ts";

export const eventTypes = { ADDED: 1, MODIFIED: 2, DELETED: 3 } as const;
const typeNames = ["ADDED", "MODIFIED", "DELETED"] as const;

/** What a shard must know when it wakes up. */
export interface ShardState {
  /** The newest committed revision. */
  revision: number;
  /** When it was committed. */
  committedAt: number;
  compactedRevision: number;
  acknowledgedRevision: number;
}

/** Events are read until they have about this many characters, so that an answer stays far below RPC's 32 MiB. */
const maxEventsSize = 8 * 1024 * 1024;

/**
 * The SQL of a shard. Texts are constant, so that the runtime caches the statements. Every method is synchronous; the
 * caller decides what is one transaction. The schema is in durable-objects/resource-shard/schema.ts.
 */
export class ShardTables {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  load(): ShardState {
    const [compacted, acknowledged, newest, committedAt] = this.#sql
      .exec(
        `SELECT compacted_revision, acknowledged_revision, (SELECT max(revision) FROM history),
                (SELECT committed_at FROM history ORDER BY revision DESC LIMIT 1)
         FROM meta`,
      )
      .raw()
      .next().value as [number, number, number | null, number | null];
    // The newest rows may be tombstones that were compacted away: their revisions must not be used again.
    return {
      revision: Math.max(newest ?? 0, compacted),
      committedAt: committedAt ?? 0,
      compactedRevision: compacted,
      acknowledgedRevision: acknowledged,
    };
  }

  read(key: string): { revision: number; value: string } | undefined {
    const row = this.#sql
      .exec(
        `SELECT c.revision, h.value FROM current c CROSS JOIN history h ON h.revision = c.revision WHERE c.key = ?`,
        key,
      )
      .raw()
      .next().value as [number, string] | undefined;
    return row === undefined ? undefined : { revision: row[0], value: row[1] };
  }

  insert(key: string, revision: number): void {
    this.#sql.exec(`INSERT INTO current (key, revision) VALUES (?, ?)`, key, revision);
  }

  replace(key: string, revision: number): void {
    this.#sql.exec(`UPDATE current SET revision = ? WHERE key = ?`, revision, key);
  }

  remove(key: string): void {
    this.#sql.exec(`DELETE FROM current WHERE key = ?`, key);
  }

  append(
    revision: number,
    previousRevision: number,
    type: number,
    committedAt: number,
    key: string,
    value: string,
  ): void {
    this.#sql.exec(
      `INSERT INTO history (revision, previous_revision, type, committed_at, key, value) VALUES (?, ?, ?, ?, ?, ?)`,
      revision,
      previousRevision,
      type,
      committedAt,
      key,
      value,
    );
  }

  /** Events after `since`, at most `limit` and at most about 8 MB (but at least one). */
  events(since: number, limit: number): StorageEvent[] {
    const rows = this.#sql
      .exec(
        `SELECT h.revision, h.type, h.key, h.value, p.value
         FROM history h LEFT JOIN history p ON p.revision = h.previous_revision
         WHERE h.revision > ? ORDER BY h.revision LIMIT ?`,
        since,
        limit,
      )
      .raw() as Iterable<[number, number, string, string, string | null]>;
    const events: StorageEvent[] = [];
    let size = 0;
    for (const [revision, type, key, value, previous] of rows) {
      const event: StorageEvent = { type: typeNames[type - 1]!, key, revision, value };
      if (previous !== null) event.previous = previous;
      events.push(event);
      size += value.length + (previous?.length ?? 0);
      if (size >= maxEventsSize) break;
    }
    return events;
  }

  committedAt(revision: number): number | undefined {
    const row = this.#sql.exec(`SELECT committed_at FROM history WHERE revision = ?`, revision).raw().next().value;
    return row?.[0] as number | undefined;
  }

  /** Revisions of the live objects in [from, end), in key order. */
  liveRevisions(from: string, end: string): number[] {
    // One text instead of a row for each: a cursor's rows cost several times as much, and this is not done in steps.
    const [text] = this.#sql
      .exec(
        `SELECT group_concat(revision) FROM (SELECT revision FROM current WHERE key >= ? AND key < ? ORDER BY key)`,
        from,
        end,
      )
      .raw()
      .next().value as [string | null];
    return text === null ? [] : text.split(",").map(Number);
  }

  /** Live objects not younger than `revision` in [from, end), in key order, at most `limit` (-1 is no limit). */
  liveAt(from: string, end: string, revision: number, limit: number): [key: string, revision: number][] {
    const rows = this.#sql
      .exec(
        `SELECT key, revision FROM current WHERE key >= ? AND key < ? AND revision <= ? ORDER BY key LIMIT ?`,
        from,
        end,
        revision,
        limit,
      )
      .raw();
    return Array.from(rows as Iterable<[string, number]>);
  }

  countLiveAt(from: string, end: string, revision: number): number {
    return this.#sql
      .exec(`SELECT count(*) FROM current WHERE key >= ? AND key < ? AND revision <= ?`, from, end, revision)
      .raw()
      .next().value![0] as number;
  }

  /**
   * What the keys in [from, end) that changed after `revision` were at `revision`: the first change after it names the
   * revision that it superseded. Keys that did not exist then are left out. No order.
   */
  supersededSince(from: string, end: string, revision: number): [key: string, revision: number][] {
    const rows = this.#sql
      .exec(
        `SELECT key, previous_revision FROM (
           SELECT key, previous_revision, min(revision) FROM history
           WHERE revision > ? AND key >= ? AND key < ? GROUP BY key)
         WHERE previous_revision > 0`,
        revision,
        from,
        end,
      )
      .raw();
    return Array.from(rows as Iterable<[string, number]>);
  }

  /** The values of the given revisions, in the given order; rows that are gone are left out. */
  values(revisions: readonly number[]): Iterable<[revision: number, value: string, key: string]> {
    return this.#sql
      .exec(
        `SELECT h.revision, h.value, h.key FROM json_each(?) j CROSS JOIN history h ON h.revision = j.value`,
        JSON.stringify(revisions),
      )
      .raw() as Iterable<[number, string, string]>;
  }

  /**
   * Drops, of the changes in (after, upTo], what each supersedes, and tombstones. What remains up to `upTo` is exactly
   * what was live at `upTo`.
   */
  compact(after: number, upTo: number): void {
    this.#sql.exec(
      `DELETE FROM history WHERE revision IN
         (SELECT previous_revision FROM history WHERE revision > ? AND revision <= ? AND previous_revision > 0)`,
      after,
      upTo,
    );
    this.#sql.exec(`DELETE FROM history WHERE revision > ? AND revision <= ? AND type = 3`, after, upTo);
    this.#sql.exec(`UPDATE meta SET compacted_revision = ?`, upTo);
  }

  acknowledge(revision: number): void {
    this.#sql.exec(`UPDATE meta SET acknowledged_revision = ?`, revision);
  }

  /** Live objects in the order of their last write, oldest first. Read lazily: break off early. */
  oldestLive(): Iterable<[key: string, revision: number, committedAt: number, value: string]> {
    return this.#sql
      .exec(
        `SELECT h.key, h.revision, h.committed_at, h.value
         FROM history h CROSS JOIN current c ON c.key = h.key AND c.revision = h.revision
         ORDER BY h.revision`,
      )
      .raw() as Iterable<[string, number, number, string]>;
  }
}
