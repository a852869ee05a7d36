import { compare, excludeFields } from "./compare.ts";
import type { Comparison } from "./compare.ts";
import { difference, emptySet, intersection, isEmpty, pathsOf, recursiveDifference, union } from "./field-set.ts";
import type { FieldSet } from "./field-set.ts";
import { merge } from "./merge.ts";
import type { PathElement } from "./path-element.ts";
import { removeItems } from "./remove-items.ts";
import { ensureNamedFieldsAreMembers, reconcileWithSchema } from "./schema-sets.ts";
import type { SchemaType } from "./schema.ts";
import { valueEquals } from "./schema.ts";
import { toFieldSet } from "./to-field-set.ts";

/** What a manager owns, in the fields of one version. */
export interface ManagedSet {
  readonly set: FieldSet;
  readonly apiVersion: string;
  readonly applied: boolean;
}

/** By an identifier that is the caller's. */
export type Managers = ReadonlyMap<string, ManagedSet>;

export interface TypedValue {
  readonly type: SchemaType;
  readonly value: unknown;
  readonly apiVersion: string;
}

/** undefined: the version does not exist any more. Returns the argument when it is in that version. */
export type Convert = (value: TypedValue, apiVersion: string) => TypedValue | undefined;

export interface Conflict {
  manager: string;
  path: PathElement[];
}

/** The change would take fields from other managers. In the order of managers and paths. */
export class ConflictsError extends Error {
  readonly conflicts: readonly Conflict[];

  constructor(conflicts: readonly Conflict[]) {
    super(`${conflicts.length} conflicts`);
    this.conflicts = conflicts;
  }
}

/**
 * Keeps account of who owns which field, and merges what is applied.
 * Mirrors sigs.k8s.io/structured-merge-diff merge/update.go (v6).
 */
export class Updater {
  readonly #convert: Convert;
  readonly #ignored: (apiVersion: string) => FieldSet | undefined;

  /** `ignored`: the fields of a version that no one can come to own. */
  constructor(convert: Convert, ignored: (apiVersion: string) => FieldSet | undefined = () => undefined) {
    this.#convert = convert;
    this.#ignored = ignored;
  }

  /**
   * Managers after a write by other means than apply: `manager` owns what it changed, the others lose it. Values are in
   * the version of the request. `changed` are the fields that have been added or modified.
   */
  update(
    live: TypedValue,
    updated: TypedValue,
    managers: Managers,
    manager: string,
  ): { managers: Managers; changed: FieldSet } {
    const version = updated.apiVersion;
    const comparison = excludeFields(compare(updated.type, live.value, updated.value), this.#ignored(version));
    const changed = union(comparison.modified, comparison.added);
    const result = this.#takeAway(live, updated, comparison, changed, managers, manager, true);
    const own = difference(union(result.get(manager)?.set ?? emptySet, changed), comparison.removed);
    if (isEmpty(own)) result.delete(manager);
    else result.set(manager, { set: own, apiVersion: version, applied: false });
    return { managers: result, changed };
  }

  /**
   * Lays `config` over the live value and removes what the manager applied before and now leaves out. `merged` is
   * undefined when the value does not change. Throws {@link ConflictsError} unless forced.
   */
  apply(
    live: TypedValue,
    config: TypedValue,
    managers: Managers,
    manager: string,
    force: boolean,
  ): { merged: TypedValue | undefined; managers: Managers } {
    const version = config.apiVersion;
    const reconciled = new Map<string, ManagedSet>();
    for (const [name, managed] of managers) {
      const versioned = this.#convert(live, managed.apiVersion);
      if (versioned === undefined) continue;
      const set = reconcileWithSchema(managed.set, versioned.type);
      reconciled.set(name, set === managed.set ? managed : { ...managed, set });
    }
    const last = reconciled.get(manager);
    const set = recursiveDifference(toFieldSet(config.type, config.value), this.#ignored(version) ?? emptySet);
    reconciled.set(manager, { set, apiVersion: version, applied: true });
    let merged: TypedValue = { ...live, value: merge(config.type, live.value, config.value) };
    merged = this.#prune(merged, reconciled, version, set, last);
    const comparison = excludeFields(compare(merged.type, live.value, merged.value), this.#ignored(version));
    const changed = union(comparison.modified, comparison.added);
    const result = this.#takeAway(live, merged, comparison, changed, reconciled, manager, force);
    return { merged: valueEquals(live.value, merged.value) ? undefined : merged, managers: result };
  }

  /** Takes changed and removed fields from all managers but one. */
  #takeAway(
    live: TypedValue,
    updated: TypedValue,
    comparison: Comparison,
    changed: FieldSet,
    managers: Managers,
    except: string,
    force: boolean,
  ): Map<string, ManagedSet> {
    const byVersion = new Map([[updated.apiVersion, { removed: comparison.removed, changed }]]);
    const result = new Map<string, ManagedSet>();
    const conflicts: Conflict[] = [];
    for (const [name, managed] of managers) {
      if (name === except) {
        if (!isEmpty(managed.set)) result.set(name, managed);
        continue;
      }
      let changes = byVersion.get(managed.apiVersion);
      if (changes === undefined) {
        const before = this.#convert(live, managed.apiVersion);
        const after = this.#convert(updated, managed.apiVersion);
        if (before === undefined || after === undefined) continue;
        changes = { removed: comparison.removed, changed };
        if (before.value !== live.value || after.value !== updated.value || after.type !== updated.type) {
          const other = excludeFields(
            compare(after.type, before.value, after.value),
            this.#ignored(managed.apiVersion),
          );
          changes = { removed: other.removed, changed: union(other.modified, other.added) };
        }
        byVersion.set(managed.apiVersion, changes);
      }
      if (!force) {
        for (const path of pathsOf(intersection(managed.set, changes.changed))) conflicts.push({ manager: name, path });
      }
      const set = difference(difference(managed.set, changes.changed), changes.removed);
      if (set === managed.set) result.set(name, managed);
      else if (!isEmpty(set)) result.set(name, { ...managed, set });
    }
    if (conflicts.length > 0) throw new ConflictsError(sortByManager(conflicts));
    return result;
  }

  /** Removes what was applied last time, is not applied now, and is not owned by anyone else. */
  #prune(
    merged: TypedValue,
    managers: Managers,
    version: string,
    applied: FieldSet,
    last: ManagedSet | undefined,
  ): TypedValue {
    if (last === undefined || isEmpty(last.set)) return merged;
    // All of it is applied again.
    if (last.apiVersion === version && isEmpty(difference(last.set, applied))) return merged;
    const converted = this.#convert(merged, last.apiVersion);
    if (converted === undefined) return merged;
    let pruned = without(converted, ensureNamedFieldsAreMembers(last.set, converted.type));
    pruned = this.#addBackOwned(converted, pruned, last.apiVersion, managers);
    pruned = this.#addBackDangling(converted, pruned, last);
    return this.#convert(pruned, version) ?? merged;
  }

  #addBackOwned(merged: TypedValue, pruned: TypedValue, prunedVersion: string, managers: Managers): TypedValue {
    const byVersion = new Map<string, FieldSet>();
    for (const { apiVersion, set } of managers.values())
      byVersion.set(apiVersion, union(byVersion.get(apiVersion) ?? emptySet, set));
    // The version of the pruned value first: other versions may need fields that were pruned.
    const versions = [...byVersion.keys()].sort((a, b) => Number(b === prunedVersion) - Number(a === prunedVersion));
    let result = pruned;
    for (const version of versions) {
      const whole = this.#convert(merged, version);
      const part = this.#convert(result, version);
      if (whole === undefined || part === undefined) continue;
      const named = (set: FieldSet) => ensureNamedFieldsAreMembers(set, whole.type);
      const kept = union(named(toFieldSet(part.type, part.value)), named(byVersion.get(version)!));
      result = without(whole, difference(named(toFieldSet(whole.type, whole.value)), kept));
    }
    return result;
  }

  /** Only what the manager itself had applied may go. */
  #addBackDangling(merged: TypedValue, pruned: TypedValue, last: ManagedSet): TypedValue {
    const converted = this.#convert(pruned, last.apiVersion);
    if (converted === undefined) return merged;
    const named = (set: FieldSet) => ensureNamedFieldsAreMembers(set, merged.type);
    const gone = difference(
      named(toFieldSet(merged.type, merged.value)),
      named(toFieldSet(converted.type, converted.value)),
    );
    return without(merged, intersection(gone, named(last.set)));
  }
}

function without(typed: TypedValue, fields: FieldSet): TypedValue {
  return isEmpty(fields) ? typed : { ...typed, value: removeItems(typed.type, typed.value, fields) ?? {} };
}

function sortByManager(conflicts: Conflict[]): Conflict[] {
  return conflicts.sort((a, b) => (a.manager < b.manager ? -1 : a.manager > b.manager ? 1 : 0));
}
