import { formatTime } from "../../apimachinery/clock.ts";
import type { Clock } from "../../apimachinery/clock.ts";
import { apiVersionOf, parseApiVersion } from "../../apimachinery/gvk.ts";
import type { GroupVersionKind } from "../../apimachinery/gvk.ts";
import type { KubeObject, ManagedFieldsEntry } from "../../apimachinery/meta.ts";
import { newBadRequest, StatusError } from "../../apimachinery/status-errors.ts";
import { difference, isEmpty } from "../../apimachinery/structured-merge/field-set.ts";
import type { FieldSet } from "../../apimachinery/structured-merge/field-set.ts";
import type { SchemaType } from "../../apimachinery/structured-merge/schema.ts";
import { ConflictsError, Updater } from "../../apimachinery/structured-merge/updater.ts";
import type { Convert, ManagedSet, Managers, TypedValue } from "../../apimachinery/structured-merge/updater.ts";
import { validate } from "../../apimachinery/structured-merge/validate.ts";
import { capUpdateManagers } from "./cap-managers.ts";
import { newConflictError } from "./conflict-error.ts";
import { conflictsBesidesLastApplied, kubectlManager, updateLastApplied } from "./last-applied.ts";
import {
  decodeManagedFields,
  emptyManaged,
  encodeManagedFields,
  isReset,
  managerIdentifier,
} from "./managed-fields.ts";
import type { Managed } from "./managed-fields.ts";
import { strippedFields } from "./strip-meta.ts";

export interface FieldManagerOptions {
  /** Of the request. */
  gvk: GroupVersionKind;
  /** "" for the main resource. */
  subresource: string;
  type: SchemaType;
  /** What an object of the kind has before anything is set. */
  emptyObject: KubeObject;
  /** A merged object as the kind decodes it, with defaults: a copy, or the argument. */
  restore(object: KubeObject): KubeObject;
  /** To the form of another version; undefined when that is not served. */
  convert: Convert;
  /** What a write through this endpoint cannot change, by apiVersion. */
  resetFields?: (apiVersion: string) => FieldSet | undefined;
  clock: Clock;
}

const beforeFirstApply = "before-first-apply";

/**
 * Keeps metadata.managedFields of the objects of one endpoint, and merges what is applied to them. Objects are in the
 * version of the request; arguments are left as they are.
 * Mirrors k8s.io/apimachinery pkg/util/managedfields/internal (1.36), whose chain of managers are the steps here:
 * version check, last-applied annotation, skip what was never applied, cap, names, times, strip, merge.
 */
export class FieldManager {
  readonly #options: FieldManagerOptions;
  readonly #apiVersion: string;
  readonly #updater: Updater;

  constructor(options: FieldManagerOptions) {
    this.#options = options;
    this.#apiVersion = apiVersionOf(options.gvk);
    this.#updater = new Updater(options.convert, options.resetFields);
  }

  /**
   * `updated` with its managedFields, after a create (`live` is undefined), update or patch. Never fails: what cannot be
   * accounted for leaves the entries as they were.
   */
  update(live: KubeObject | undefined, updated: KubeObject, manager: string): KubeObject {
    try {
      const managed = this.#decodeLiveOrNew(live, updated);
      // Only a new object begins to be tracked; one without entries stays so until something is applied.
      if (managed.managers.size === 0 && live?.metadata.uid) return withManagedFields(updated, undefined);
      const tracked = this.#trackUpdate(live, updated, managed, manager);
      return withManagedFields(updated, encodeManagedFields(tracked));
    } catch {
      return withManagedFields(updated, live?.metadata.managedFields);
    }
  }

  #decodeLiveOrNew(live: KubeObject | undefined, updated: KubeObject): Managed {
    const ofLive = () => {
      try {
        return decodeManagedFields(live?.metadata.managedFields);
      } catch {
        return emptyManaged();
      }
    };
    if (this.#options.subresource !== "") return ofLive();
    const given = updated.metadata.managedFields;
    if (isReset(given)) return emptyManaged();
    try {
      const managed = decodeManagedFields(given);
      return managed.managers.size === 0 ? ofLive() : managed;
    } catch {
      return ofLive();
    }
  }

  #trackUpdate(live: KubeObject | undefined, updated: KubeObject, managed: Managed, manager: string): Managed {
    const identifier = this.#identifier(manager, "Update");
    const before = this.#typed(live ?? this.#options.emptyObject);
    const { managers: after, changed } = this.#updater.update(
      before,
      this.#typed(updated),
      managed.managers,
      identifier,
    );
    const managers = new Map(after);
    const times = new Map(managed.times);
    const own = strip(after, identifier);
    if (own === undefined) managers.delete(identifier);
    else managers.set(identifier, own);
    // Taking fields away changes no time.
    if (!isEmpty(difference(changed, strippedFields))) times.set(identifier, formatTime(this.#options.clock.now()));
    return capUpdateManagers({ ...managed, managers, times });
  }

  /**
   * The live object with `applied` laid over it. `live` is undefined when there is none yet. Throws StatusError: 400
   * for another kind or with managedFields in the configuration, 409 on conflicts, 500 when it does not fit the schema.
   */
  apply(live: KubeObject | undefined, applied: KubeObject, manager: string, force: boolean): KubeObject {
    this.#checkKind(applied);
    const base = live ?? this.#options.emptyObject;
    let managed: Managed;
    try {
      managed = decodeManagedFields(base.metadata.managedFields);
    } catch (error) {
      throw newUnknownError(`failed to decode managed fields: ${(error as Error).message}`);
    }
    let result: { object: KubeObject; managed: Managed };
    try {
      result = this.#applyAsKubectl(base, applied, managed, manager, force);
    } catch (error) {
      if (error instanceof StatusError) throw error;
      // The configuration has been looked at: what does not fit is what an earlier schema let in.
      throw newUnknownError(
        `failed to create typed live object (${this.#describe(base)}): ${(error as Error).message}`,
      );
    }
    const object = withManagedFields(result.object, undefined);
    if (manager === kubectlManager) updateLastApplied(object, applied);
    return withManagedFields(object, encodeManagedFields(result.managed));
  }

  #checkKind(applied: KubeObject): void {
    const { gvk } = this.#options;
    if (applied.apiVersion !== this.#apiVersion || applied.kind !== gvk.kind) {
      const { group, version } = parseApiVersion(applied.apiVersion ?? "");
      throw newBadRequest(`invalid object type: ${group}/${version}, Kind=${applied.kind ?? ""}`);
    }
  }

  /** Fields that kubectl had set by client-side apply are its own: they make no conflict. */
  #applyAsKubectl(live: KubeObject, applied: KubeObject, managed: Managed, manager: string, force: boolean) {
    try {
      return this.#applyTracked(live, applied, managed, manager, force);
    } catch (error) {
      if (!(error instanceof ConflictsError)) throw error;
      if (manager !== kubectlManager) throw newConflictError(error.conflicts);
      const left = conflictsBesidesLastApplied(error.conflicts, live, this.#options.type, this.#apiVersion);
      if (left.length > 0) throw newConflictError(left);
      return this.#applyTracked(live, applied, managed, manager, true);
    }
  }

  #applyTracked(
    live: KubeObject,
    applied: KubeObject,
    managed: Managed,
    manager: string,
    force: boolean,
  ): { object: KubeObject; managed: Managed } {
    let before = managed;
    let base = live;
    if (managed.managers.size === 0) {
      base = withManagedFields(live, undefined);
      before = this.#trackUpdate(undefined, base, managed, beforeFirstApply);
    }
    if (applied.metadata.managedFields != null) throw newBadRequest("metadata.managedFields must be nil");
    try {
      validate(this.#options.type, applied);
    } catch (error) {
      throw newUnknownError(
        `failed to create typed patch object (${this.#describe(applied)}): ${(error as Error).message}`,
      );
    }
    const identifier = this.#identifier(manager, "Apply");
    const { merged, managers: after } = this.#updater.apply(
      this.#typed(base),
      this.#typed(applied),
      before.managers,
      identifier,
      force,
    );
    const managers = new Map(after);
    const own = strip(managers, identifier);
    if (own === undefined) managers.delete(identifier);
    else managers.set(identifier, own);
    const times = new Map(before.times);
    if (merged === undefined) return { object: base, managed: { ...before, managers, times } };
    times.set(identifier, formatTime(this.#options.clock.now()));
    return { object: this.#restore(merged.value as KubeObject, applied), managed: { ...before, managers, times } };
  }

  #restore(merged: KubeObject, applied: KubeObject): KubeObject {
    try {
      return this.#options.restore(merged);
    } catch (error) {
      if (error instanceof StatusError) throw error;
      throw newUnknownError(
        `failed to convert new typed object (${this.#describe(applied)}) to object: ${(error as Error).message}`,
      );
    }
  }

  #identifier(manager: string, operation: "Apply" | "Update"): string {
    const { subresource } = this.#options;
    return managerIdentifier({
      manager: manager === "" ? "unknown" : manager,
      operation,
      apiVersion: this.#apiVersion,
      subresource,
    });
  }

  /** managedFields are left out: comparing them costs, and nobody owns them. */
  #typed(object: KubeObject): TypedValue {
    return { type: this.#options.type, value: withManagedFields(object, undefined), apiVersion: this.#apiVersion };
  }

  /** What was applied may have anything in the place of its names. */
  #describe({ metadata: { namespace, name } }: KubeObject): string {
    const { group, version, kind } = this.#options.gvk;
    return `${textOf(namespace)}/${textOf(name)}; ${group}/${version}, Kind=${kind}`;
  }
}

/** The manager's set without what nobody owns; undefined when nothing is left. */
function strip(managers: Managers, identifier: string): ManagedSet | undefined {
  const managed = managers.get(identifier);
  if (managed === undefined) return undefined;
  const set = difference(managed.set, strippedFields);
  return isEmpty(set) ? undefined : { ...managed, set };
}

/** A copy whose metadata has these entries, or none. */
function withManagedFields(object: KubeObject, managedFields: ManagedFieldsEntry[] | undefined): KubeObject {
  if (object.metadata.managedFields === undefined && managedFields === undefined)
    return { ...object, metadata: { ...object.metadata } };
  const { managedFields: _previous, ...metadata } = object.metadata;
  return { ...object, metadata: managedFields === undefined ? metadata : { ...metadata, managedFields } };
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** 500 without a reason, as upstream answers errors that are no API errors. */
function newUnknownError(message: string): StatusError {
  return new StatusError({ kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", message, code: 500 });
}
