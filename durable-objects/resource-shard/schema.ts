import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/**
 * The tables of one ResourceShard. A change writes two rows: one in each table.
 *
 * The value of an object is kept once, in the history row of the revision that wrote it; `current` points there. So
 * compaction never drops the row that a live object points to, and `current` is a dense table of keys: counting,
 * paging and planning a list touch no values.
 */
export const current = sqliteTable("current", {
  key: text("key").primaryKey(),
  revision: integer("revision").notNull(),
});

/** Small columns come first, so that a scan that needs no value reads no overflow page. */
export const history = sqliteTable("history", {
  revision: integer("revision").primaryKey(),
  /** The revision that this one supersedes; 0 for a creation. */
  previousRevision: integer("previous_revision").notNull(),
  /** 1 ADDED, 2 MODIFIED, 3 DELETED */
  type: integer("type").notNull(),
  /** Milliseconds since the Unix epoch; never decreases. */
  committedAt: integer("committed_at").notNull(),
  key: text("key").notNull(),
  /** For DELETED the last state, with the deletion's revision. */
  value: text("value").notNull(),
});

/** One row, written by the alarm only. */
export const meta = sqliteTable("meta", {
  id: integer("id").primaryKey(),
  /** History up to here holds only what was live at this revision. */
  compactedRevision: integer("compacted_revision").notNull(),
  /** The watch cache is known to hold everything up to here. */
  acknowledgedRevision: integer("acknowledged_revision").notNull(),
});
