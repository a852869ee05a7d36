import { compareKeys, endOfPrefix } from "../compare-keys.ts";
import type { StorageErrorShape } from "../interfaces.ts";
import type { ShardListHeader, ShardListRequest } from "./protocol.ts";
import type { ShardTables } from "./tables.ts";

/** Which history rows make up a list. Rows never change, so the values may be read later. */
export interface ListPlan {
  header: ShardListHeader;
  /** In key order. */
  revisions: number[];
}

export type ListPlanResult = { ok: true; plan: ListPlan } | { ok: false; error: StorageErrorShape };

/** Decides a list in one synchronous go, without reading a value. */
export function planList(
  tables: ShardTables,
  request: ShardListRequest,
  newest: number,
  compacted: number,
): ListPlanResult {
  const { match } = request;
  if (match !== undefined && match.revision > newest) {
    return { ok: false, error: { code: "RevisionTooLarge", requested: match.revision, current: newest } };
  }
  if (match?.kind === "exact" && match.revision < compacted) {
    return { ok: false, error: { code: "RevisionCompacted", requested: match.revision, oldest: compacted } };
  }
  const revision = match?.kind === "exact" ? match.revision : newest;
  const end = endOfPrefix(request.prefix);
  const from = firstKey(request);
  const limit = request.limit ?? 0;
  if (limit === 0 && revision === newest) {
    const revisions = tables.liveRevisions(from, end);
    return { ok: true, plan: { header: { revision, count: revisions.length }, revisions } };
  }
  return { ok: true, plan: planSnapshot(tables, from, end, revision, revision === newest, limit) };
}

function planSnapshot(
  tables: ShardTables,
  from: string,
  end: string,
  revision: number,
  isNewest: boolean,
  limit: number,
): ListPlan {
  const changed = isNewest ? [] : tables.supersededSince(from, end, revision);
  changed.sort(([a], [b]) => compareKeys(a, b));
  const unchanged = tables.liveAt(from, end, revision, limit === 0 ? -1 : limit + 1);
  const merged = merge(unchanged, changed);
  const page = limit === 0 ? merged : merged.slice(0, limit);
  const header: ShardListHeader = { revision, count: page.length };
  if (page.length < merged.length) {
    const lastKey = page.at(-1)![0];
    header.lastKey = lastKey;
    header.remaining =
      tables.countLiveAt(`${lastKey}\0`, end, revision) +
      changed.filter(([key]) => compareKeys(key, lastKey) > 0).length;
  }
  return { header, revisions: page.map(([, rowRevision]) => rowRevision) };
}

/** Where the page begins: the least key above `after` is the one with a NUL appended. */
function firstKey({ prefix, after }: ShardListRequest): string {
  return after === undefined || compareKeys(after, prefix) < 0 ? prefix : `${after}\0`;
}

/** Two lists in key order, without common keys, as one. */
function merge(a: [string, number][], b: [string, number][]): [string, number][] {
  if (b.length === 0) return a;
  const merged: [string, number][] = [];
  let i = 0;
  let j = 0;
  while (i < a.length && j < b.length) merged.push(compareKeys(a[i]![0], b[j]![0]) < 0 ? a[i++]! : b[j++]!);
  return merged.concat(a.slice(i), b.slice(j));
}
