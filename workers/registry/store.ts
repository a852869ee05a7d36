import { formatTime } from "../apimachinery/clock.ts";
import type { GroupResource } from "../apimachinery/gvk.ts";
import type { KubeObject } from "../apimachinery/meta.ts";
import {
  newAlreadyExists,
  newBadRequest,
  newConflict,
  newGenerateNameConflict,
  newInvalid,
  newNotFound,
} from "../apimachinery/status-errors.ts";
import type { InvalidCause } from "../apimachinery/status-errors.ts";
import { invalid } from "../apimachinery/field-error.ts";
import { quote } from "../apimachinery/quote.ts";
import { normalizeObject } from "../apis/codec/normalize.ts";
import type { ResourceInfo } from "../apis/resource-info.ts";
import { schemaTable } from "../apis/schema-table.ts";
import { validate, validateSubresourceUpdate, validateUpdate } from "../apis/validation/validation.ts";
import { warningsForNewFinalizers } from "../apis/warnings/finalizers.ts";
import { warningsOnCreate, warningsOnUpdate } from "../apis/warnings/warnings.ts";
import { completeObject } from "../storage/encode-object.ts";
import { isStorageError, StorageError } from "../storage/errors.ts";
import type { Storage, StoredObject } from "../storage/interfaces.ts";
import { objectKey } from "../storage/keys.ts";
import { storedAs } from "./conversion.ts";
import { deepEqual } from "../apimachinery/deep-equal.ts";
import { beforeDelete, collectionFinalizers, markAsDeleting, shouldDeleteDuringUpdate } from "./deletion.ts";
import { ignoreManagedFieldsTimestamps } from "./field-manager/ignore-timestamps.ts";
import { generateName } from "./names.ts";
import { validateObjectMeta, validateObjectMetaUpdate } from "./object-meta.ts";
import type { DeleteOptions } from "./options.ts";
import { modifiedMessage, toStatusError } from "./storage-errors.ts";
import { decodeStored, encodeStored } from "./stored-form.ts";
import type { RequestScope, Strategy } from "./strategy.ts";

/** Subresources whose changes bypass the strategy upstream, or never touch what counts. */
const withoutGeneration = new Set(["status", "binding", "finalize", "approval"]);

/** Attempts at a unique generated name, as upstream's RetryGenerateName. */
const generateNameAttempts = 8;

export interface Preconditions {
  uid?: string;
  resourceVersion?: string;
}

/** An object with the text it is stored as. */
export interface Entry {
  object: KubeObject;
  value: string;
}

export interface UpdateRequest {
  name: string;
  /** Makes the new object from the current one; runs again after a conflict. */
  update(current: KubeObject): KubeObject | Promise<KubeObject>;
  /** Makes the object when there is none; for kinds that allow it. */
  create?: () => KubeObject | Promise<KubeObject>;
  /** The same whatever the kind: apply creates what is not there. */
  forceAllowCreate?: boolean;
  preconditions?: Preconditions;
  /** "status" changes only the status, "" everything else; other subresources return the whole object from `update`. */
  subresource: string;
  /** Admission, on the merged object. */
  admit?(object: KubeObject, previous: KubeObject | undefined): Promise<void>;
}

/**
 * The generic registry: every kind is served by this class and differs only in its strategy. Objects are in the storage
 * version. Mirrors k8s.io/apiserver pkg/registry/generic/registry/store.go (1.36).
 */
export class Store {
  readonly #scope: RequestScope;
  readonly #strategy: Strategy;
  readonly #storage: Storage;
  readonly #gr: GroupResource;
  readonly #stored: GroupResource;
  readonly #hasStatus: boolean;

  constructor(scope: RequestScope, strategy: Strategy) {
    this.#scope = scope;
    this.#strategy = strategy;
    this.#gr = { group: scope.resource.group, resource: scope.resource.resource };
    this.#stored = storedAs(scope.resource);
    this.#storage = scope.storage.for(this.#stored);
    this.#hasStatus = scope.resource.subresources.some((subresource) => subresource.name === "status");
  }

  async get(name: string): Promise<Entry> {
    const stored = await this.#storage.get(this.#key(name));
    if (stored === undefined) throw newNotFound(this.#gr, name);
    return {
      value: stored.value,
      get object() {
        return JSON.parse(stored.value) as KubeObject;
      },
    };
  }

  async create(object: KubeObject, admit?: (object: KubeObject) => Promise<void>): Promise<Entry> {
    const scope = this.#scope;
    this.#beforeCreate(object);
    await admit?.(object);
    const generated = object.metadata.name === undefined || object.metadata.name === "";
    const causes: InvalidCause[] = [];
    for (let attempt = 1; ; attempt++) {
      if (generated && object.metadata.generateName) {
        object.metadata.name = generateName(object.metadata.generateName, scope.random);
      }
      const name = object.metadata.name ?? "";
      if (attempt === 1) {
        causes.push(
          ...validateObjectMeta(object, scope.resource),
          ...(this.#strategy.validate?.(object, scope) ?? []),
          ...(scope.resource.custom === undefined ? validate(this.#gr, object) : []),
        );
        if (causes.length > 0) throw newInvalid(scope.resource, name, causes);
        this.#warn(object, undefined);
      }
      try {
        return await this.#commitNew(object, name);
      } catch (error) {
        if (!isStorageError(error, "KeyExists")) throw this.#translate(error, name);
        if (!generated) throw newAlreadyExists(this.#gr, name);
        if (attempt === generateNameAttempts) throw newGenerateNameConflict(this.#gr, name, 1);
      }
    }
  }

  #beforeCreate(object: KubeObject): void {
    const scope = this.#scope;
    const metadata = object.metadata;
    if (scope.resource.namespaced) {
      if (metadata.namespace && metadata.namespace !== scope.namespace) {
        throw newBadRequest("the namespace of the provided object does not match the namespace sent on the request");
      }
      metadata.namespace = scope.namespace;
    } else {
      delete metadata.namespace;
    }
    if (metadata.resourceVersion && metadata.resourceVersion !== "0") {
      throw newBadRequest("resourceVersion should not be set on objects to be created");
    }
    delete metadata.resourceVersion;
    delete metadata.deletionTimestamp;
    delete metadata.deletionGracePeriodSeconds;
    delete metadata.selfLink;
    delete metadata.generation;
    if (this.#countsGeneration(object)) metadata.generation = 1;
    if (this.#hasStatus && !this.#strategy.keepsStatusOnCreate) resetStatus(object, scope.resource);
    this.#strategy.prepareForCreate?.(object, scope);
    metadata.uid = crypto.randomUUID();
    metadata.creationTimestamp = formatTime(scope.clock.now());
  }

  async #commitNew(object: KubeObject, name: string): Promise<Entry> {
    const release = await this.#strategy.beginCreate?.(object, this.#scope);
    try {
      const encoded = encodeStored(this.#scope.resource, object);
      if (this.#scope.dryRun) {
        if ((await this.#storage.get(this.#key(name))) !== undefined) {
          throw new StorageError({ code: "KeyExists", key: this.#key(name) });
        }
        await release?.();
        // A dry run has no revision; upstream answers without one.
        return { object, value: completeObject(encoded, 0).replace(`,"resourceVersion":"0"`, "") };
      }
      return this.#entry(object, await this.#storage.create(this.#key(name), encoded));
    } catch (error) {
      if (!mayBeWritten(error)) await release?.();
      throw error;
    }
  }

  async update(request: UpdateRequest): Promise<Entry & { created: boolean }> {
    const { name } = request;
    const key = this.#key(name);
    let stored = await this.#storage.get(key);
    for (;;) {
      if (stored === undefined) {
        if (request.create === undefined || !(this.#strategy.allowCreateOnUpdate || request.forceAllowCreate))
          throw newNotFound(this.#gr, name);
        this.#checkPreconditions(name, undefined, request.preconditions);
        const object = await request.create();
        delete object.metadata.resourceVersion;
        return {
          ...(await this.create(object, (created) => request.admit?.(created, undefined) ?? Promise.resolve())),
          created: true,
        };
      }
      const previous = await decodeStored(this.#scope.resource, stored.value);
      this.#checkPreconditions(name, previous, request.preconditions);
      const updated = await request.update(structuredClone(previous));
      const requestedVersion = updated.metadata.resourceVersion;
      const unconditional = requestedVersion === undefined || requestedVersion === "" || requestedVersion === "0";
      if (unconditional && this.#strategy.requireResourceVersion) {
        throw newInvalid({ group: this.#gr.group, kind: this.#gr.resource }, name, [
          invalid("metadata.resourceVersion", 0, "must be specified for an update"),
        ]);
      }
      if (!unconditional && requestedVersion !== String(stored.revision)) {
        if (!/^[0-9]+$/.test(requestedVersion)) {
          throw newInvalid({ group: this.#gr.group, kind: this.#gr.resource }, name, [
            invalid(
              "metadata.resourceVersion",
              requestedVersion,
              `strconv.ParseUint: parsing ${quote(requestedVersion)}: invalid syntax`,
            ),
          ]);
        }
        throw newConflict(this.#gr, name, modifiedMessage);
      }
      const object = ignoreManagedFieldsTimestamps(
        this.#beforeUpdate(updated, previous, request.subresource),
        previous,
      );
      await request.admit?.(object, previous);
      const causes = [
        ...validateObjectMetaUpdate(object, previous),
        ...this.#validateUpdate(object, previous, request.subresource),
      ];
      if (causes.length > 0) throw newInvalid(this.#scope.resource, name, causes);
      if (request.subresource === "") this.#warn(object, previous);
      const transaction =
        request.subresource === "" ? await this.#strategy.beginUpdate?.(object, previous, this.#scope) : undefined;
      let result: Entry;
      try {
        const encoded = encodeStored(this.#scope.resource, object);
        // No change, no write: resourceVersion stays and watchers hear nothing.
        if (isSameText(completeObject(encoded, stored.revision), stored.value, object, previous)) {
          result = this.#entry(object, stored);
        } else if (this.#scope.dryRun) {
          result = { object, value: completeObject(encoded, stored.revision) };
        } else if (shouldDeleteDuringUpdate(object, previous, this.#strategy, this.#scope.clock.now())) {
          result = this.#entry(object, await this.#storage.delete(key, encoded, stored.revision));
          await this.#strategy.afterDelete?.(object, this.#scope);
        } else {
          result = this.#entry(object, await this.#storage.update(key, encoded, stored.revision));
        }
      } catch (error) {
        if (!mayBeWritten(error)) await transaction?.revert();
        if (isStorageError(error, "KeyNotFound")) stored = undefined;
        else if (isStorageError(error, "RevisionConflict")) {
          // A given resourceVersion will be found stale on the next round.
          stored = error.shape.current ?? (await this.#storage.get(key));
        } else throw this.#translate(error, name);
        continue;
      }
      await transaction?.commit();
      return { ...result, created: false };
    }
  }

  /** What is valid, but hardly meant so. A repeated attempt repeats the texts; each is answered once. */
  #warn(object: KubeObject, previous: KubeObject | undefined): void {
    const { resource, warnings } = this.#scope;
    if (resource.custom !== undefined) warnings.push(...warningsForNewFinalizers(object, previous));
    else if (previous === undefined) warnings.push(...warningsOnCreate(this.#gr, object));
    else warnings.push(...warningsOnUpdate(this.#gr, object, previous));
  }

  /** A subresource changes its own part only, so nothing else is checked again. */
  #validateUpdate(object: KubeObject, previous: KubeObject, subresource: string): InvalidCause[] {
    const builtIn = this.#scope.resource.custom === undefined;
    if (subresource === "") {
      const own = this.#strategy.validateUpdate?.(object, previous, this.#scope) ?? [];
      return builtIn ? [...own, ...validateUpdate(this.#gr, object, previous)] : own;
    }
    const own =
      subresource === "status"
        ? (this.#strategy.validateStatusUpdate?.(object, previous, this.#scope) ?? [])
        : (this.#strategy.subresources?.[subresource]?.validate?.(object, previous, this.#scope) ?? []);
    return builtIn ? [...own, ...validateSubresourceUpdate(this.#gr, subresource, object, previous)] : own;
  }

  #beforeUpdate(updated: KubeObject, previous: KubeObject, subresource: string): KubeObject {
    const scope = this.#scope;
    let object = updated;
    if (subresource === "status") {
      object = { ...previous, status: updated.status, metadata: { ...updated.metadata } };
      if (updated.status === undefined) delete object.status;
      for (const field of this.#strategy.statusKeeps ?? []) {
        if (previous.metadata[field] === undefined) delete object.metadata[field];
        else object.metadata[field] = previous.metadata[field] as never;
      }
    } else if (subresource !== "") {
      object = this.#strategy.subresources?.[subresource]?.merge(updated, previous, scope) ?? updated;
    } else if (this.#hasStatus) {
      object = { ...updated, status: previous.status };
      if (previous.status === undefined) delete object.status;
    }
    const metadata = object.metadata;
    const kept = previous.metadata;
    if (metadata.namespace && scope.namespace !== undefined && metadata.namespace !== scope.namespace) {
      throw newBadRequest("the namespace of the provided object does not match the namespace sent on the request");
    }
    metadata.namespace = kept.namespace;
    metadata.name = kept.name;
    metadata.generation = kept.generation;
    // What is left out stays; what differs is found by validation.
    metadata.uid ||= kept.uid;
    metadata.creationTimestamp ??= kept.creationTimestamp;
    metadata.deletionTimestamp ??= kept.deletionTimestamp;
    metadata.deletionGracePeriodSeconds ??= kept.deletionGracePeriodSeconds;
    delete metadata.selfLink;
    if (subresource === "status") this.#strategy.prepareForStatusUpdate?.(object, previous, scope);
    else if (subresource === "") this.#strategy.prepareForUpdate?.(object, previous, scope);
    if (
      !withoutGeneration.has(subresource) &&
      this.#countsGeneration(object) &&
      this.#changedGeneration(object, previous)
    ) {
      metadata.generation = (kept.generation ?? 0) + 1;
    }
    // Members in the order of creation, so that an update without a change is the same text.
    return reorder(object, previous);
  }

  #countsGeneration(object: KubeObject): boolean {
    const rule = this.#strategy.generation;
    return rule === undefined ? object.spec !== undefined && this.#hasStatus : rule !== false;
  }

  #changedGeneration(object: KubeObject, previous: KubeObject): boolean {
    if (this.#strategy.generation !== "all") return !deepEqual(object.spec, previous.spec);
    const strip = ({ apiVersion: _apiVersion, kind: _kind, metadata: _metadata, status, ...rest }: KubeObject) =>
      this.#scope.resource.custom === undefined || status === undefined ? rest : { ...rest, status };
    return !deepEqual(strip(object), strip(previous));
  }

  /** The answer is the object when it stays (or the kind wants it), undefined for "gone". */
  async delete(
    name: string,
    options: DeleteOptions,
    admit?: (object: KubeObject) => Promise<void>,
  ): Promise<{ entry: Entry; deleted: boolean }> {
    const key = this.#key(name);
    let stored = await this.#storage.get(key);
    for (;;) {
      if (stored === undefined) throw newNotFound(this.#gr, name);
      const previous = await decodeStored(this.#scope.resource, stored.value);
      this.#checkDeletionPreconditions(name, previous, options.preconditions);
      await admit?.(previous);
      const object = structuredClone(previous);
      const given = { ...options };
      const step = beforeDelete(object, given, this.#strategy, this.#scope.clock.now());
      if (step === "pending") return { entry: this.#entry(previous, stored), deleted: false };
      const finalizers = collectionFinalizers(object, options, this.#strategy.orphansDependents === true);
      if (finalizers.length > 0) object.metadata.finalizers = finalizers;
      else delete object.metadata.finalizers;
      const graceful = step === "graceful";
      if (!graceful && finalizers.length > 0) markAsDeleting(object, this.#scope.clock.now());
      const terminating = this.#strategy.terminate?.(object, this.#scope.clock.now()) ?? false;
      const stays = terminating || finalizers.length > 0 || (graceful && (given.gracePeriodSeconds ?? 0) > 0);
      const encoded = encodeStored(this.#scope.resource, reorder(object, previous));
      if (this.#scope.dryRun) {
        return { entry: { object, value: completeObject(encoded, stored.revision) }, deleted: !stays };
      }
      try {
        if (stays) {
          if (completeObject(encoded, stored.revision) === stored.value) {
            return { entry: this.#entry(previous, stored), deleted: false };
          }
          return {
            entry: this.#entry(object, await this.#storage.update(key, encoded, stored.revision)),
            deleted: false,
          };
        }
        // Where deletion is graceful but has nothing to wait for, upstream marks the object and then removes it: watchers
        // see the mark on the last state.
        const last = graceful ? object : previous;
        const gone = await this.#storage.delete(
          key,
          graceful ? encoded : encodeStored(this.#scope.resource, previous),
          stored.revision,
        );
        await this.#strategy.afterDelete?.(last, this.#scope);
        return { entry: this.#entry(last, gone), deleted: true };
      } catch (error) {
        if (isStorageError(error, "KeyNotFound")) stored = undefined;
        else if (isStorageError(error, "RevisionConflict"))
          stored = error.shape.current ?? (await this.#storage.get(key));
        else throw this.#translate(error, name);
      }
    }
  }

  /** As storage.Preconditions does at every attempt of an update. */
  #checkPreconditions(name: string, object: KubeObject | undefined, preconditions: Preconditions | undefined): void {
    const { uid = "", resourceVersion = "" } = object?.metadata ?? {};
    let failed: string | undefined;
    if (preconditions?.uid && preconditions.uid !== uid) {
      failed = `UID in precondition: ${preconditions.uid}, UID in object meta: ${uid}`;
    } else if (preconditions?.resourceVersion && preconditions.resourceVersion !== resourceVersion) {
      failed = `ResourceVersion in precondition: ${preconditions.resourceVersion}, ResourceVersion in object meta: ${resourceVersion}`;
    }
    if (failed === undefined) return;
    throw newConflict(
      this.#gr,
      name,
      `StorageError: invalid object, Code: 4, Key: ${this.#key(name)}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: ${failed}`,
    );
  }

  /** As rest.BeforeDelete does; it names the kind. */
  #checkDeletionPreconditions(name: string, object: KubeObject, preconditions: Preconditions | undefined): void {
    const { uid, resourceVersion } = object.metadata;
    const gk = { group: this.#gr.group, resource: this.#scope.resource.kind };
    if (preconditions?.uid !== undefined && preconditions.uid !== uid) {
      throw newConflict(
        gk,
        name,
        `the UID in the precondition (${preconditions.uid}) does not match the UID in record (${uid}). The object might have been deleted and then recreated`,
      );
    }
    if (preconditions?.resourceVersion !== undefined && preconditions.resourceVersion !== resourceVersion) {
      throw newConflict(
        gk,
        name,
        `the ResourceVersion in the precondition (${preconditions.resourceVersion}) does not match the ResourceVersion in record (${resourceVersion}). The object might have been modified`,
      );
    }
  }

  #key(name: string): string {
    return objectKey(this.#stored, this.#scope.resource.namespaced ? this.#scope.namespace : undefined, name);
  }

  #entry(object: KubeObject, stored: StoredObject): Entry {
    object.metadata.resourceVersion = String(stored.revision);
    return { object, value: stored.value };
  }

  #translate(error: unknown, name: string): unknown {
    return error instanceof StorageError ? toStatusError(error, this.#gr, name) : error;
  }
}

/** The answer to a write got lost: what was reserved for it has to stay, since the object may hold it. */
function mayBeWritten(error: unknown): boolean {
  return !(error instanceof StorageError) || error.shape.code === "Unavailable";
}

/** The same object, whatever the order of its members: only then can the texts be of one length. */
function isSameText(text: string, stored: string, object: KubeObject, previous: KubeObject): boolean {
  if (text === stored) return true;
  return text.length === stored.length && deepEqual(withoutVersion(object), withoutVersion(previous));
}

function withoutVersion(object: KubeObject): KubeObject {
  const { apiVersion: _apiVersion, kind: _kind, metadata, ...rest } = object;
  const { resourceVersion: _resourceVersion, ...meta } = metadata;
  return { ...rest, metadata: meta };
}

const emptyStatuses = new Map<string, unknown>();

/** The status as Go writes it for a new object: nothing but what has no omitempty. */
function resetStatus(object: KubeObject, resource: ResourceInfo): void {
  const key = `${resource.group}/${resource.storageVersion}/${resource.kind}`;
  if (!emptyStatuses.has(key)) {
    const group = resource.storageGroup ?? resource.group;
    const struct = schemaTable.structOfKind(group, resource.storageVersion, resource.kind);
    const empty = struct === undefined ? {} : normalizeObject({}, struct).object;
    emptyStatuses.set(key, empty["status"]);
  }
  const status = emptyStatuses.get(key);
  if (status === undefined) delete object.status;
  else object.status = structuredClone(status);
}

/** `object` with its members, and those of its metadata, in the order in which `previous` has them; new ones last. */
function reorder(object: KubeObject, previous: KubeObject): KubeObject {
  const ordered = inOrderOf(object, previous) as KubeObject;
  ordered.metadata = inOrderOf(
    object.metadata as Record<string, unknown>,
    previous.metadata as Record<string, unknown>,
  );
  return ordered;
}

function inOrderOf(object: Record<string, unknown>, model: Record<string, unknown>): Record<string, unknown> {
  const ordered: Record<string, unknown> = {};
  for (const key in model) if (object[key] !== undefined) ordered[key] = object[key];
  for (const key in object) if (object[key] !== undefined && !(key in ordered)) ordered[key] = object[key];
  return ordered;
}
