import type { Clock } from "../../apimachinery/clock.ts";
import { FakeClock, formatTime } from "../../apimachinery/clock.ts";
import { parseFieldSelector } from "../../apimachinery/fields.ts";
import type { GroupVersionResource } from "../../apimachinery/gvk.ts";
import { apiVersionOf, parseApiVersion } from "../../apimachinery/gvk.ts";
import { parseLabelSelector } from "../../apimachinery/labels.ts";
import type { KubeList, KubeObject } from "../../apimachinery/meta.ts";
import * as errors from "../../apimachinery/status-errors.ts";
import type {
  BatchOperation,
  BatchResult,
  Client,
  DeleteOptions,
  ListOptions,
  PatchType,
  Watch,
  WatchOptions,
} from "../interfaces.ts";
import { parseResourcePath } from "../resource-path.ts";
import { FakeStorage } from "./fake-storage.ts";
import { defaultKinds, isNamespaced, resourceOfKind, withoutStatus } from "./fake-kinds.ts";
import { simplePatch } from "./simple-patch.ts";

/** One call as it reached the fake; batches appear as their operations. */
export interface FakeAction {
  verb: "get" | "list" | "watch" | "create" | "update" | "patch" | "delete" | "deletecollection";
  gvr: GroupVersionResource;
  namespace?: string;
  name?: string;
  subresource?: string;
  object?: KubeObject;
  patchType?: PatchType;
  patch?: unknown;
  options?: object;
}

export interface FakeClient extends Client {
  /** Puts objects in as they are, status included; what is missing of name-independent metadata is filled in. */
  seed(objects: KubeObject[]): void;
  /** Every call in order, reads included; clear with `actions.length = 0`. */
  readonly actions: FakeAction[];
  /** create, update, patch and delete only. */
  readonly writes: FakeAction[];
  /** Called before each action; what it throws is the answer. */
  readonly reactors: ((action: FakeAction) => void)[];
  /** All objects of a resource, in key order. */
  all(gvr: GroupVersionResource): KubeObject[];
  /** Revisions, watchers, compaction of one resource. */
  storage(gvr: GroupVersionResource): FakeStorage;
}

/**
 * An in-memory API for unit tests of controllers, scheduler and kubelet: resource versions, watches with selectors,
 * generateName, conflicts, status separation, finalizers and graceful deletion. No defaults, no validation, no
 * admission. Objects that come from list and watch are frozen, so that a change of a shared object fails the test.
 */
export function newFakeClient(clock: Clock = new FakeClock()): FakeClient {
  return new InMemoryClient(clock);
}

class InMemoryClient implements FakeClient {
  readonly actions: FakeAction[] = [];
  readonly reactors: ((action: FakeAction) => void)[] = [];
  readonly #clock: Clock;
  readonly #storages = new Map<string, FakeStorage>();
  #counter = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get writes(): FakeAction[] {
    return this.actions.filter(({ verb }) => !["get", "list", "watch"].includes(verb));
  }

  seed(objects: KubeObject[]): void {
    for (const object of objects) {
      const copy = structuredClone(object);
      const { group, version } = parseApiVersion(copy.apiVersion ?? "v1");
      const gvr = { group, version, resource: resourceOfKind(copy.kind ?? "") };
      if (isNamespaced(gvr)) copy.metadata.namespace ??= "default";
      this.#stampNew(copy);
      this.storage(gvr).put(copy);
    }
  }

  all(gvr: GroupVersionResource): KubeObject[] {
    return [...this.storage(gvr).objects].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, object]) => object);
  }

  storage({ group, resource }: GroupVersionResource): FakeStorage {
    const key = `${group}/${resource}`;
    let storage = this.#storages.get(key);
    if (storage === undefined) this.#storages.set(key, (storage = new FakeStorage()));
    return storage;
  }

  async get<T extends KubeObject>(gvr: GroupVersionResource, namespace: string | undefined, name: string): Promise<T> {
    this.#act({ verb: "get", gvr, ...where(namespace, name) });
    return structuredClone(this.#existing(gvr, namespace, name)) as T;
  }

  async list<T extends KubeObject>(
    gvr: GroupVersionResource,
    namespace: string | undefined,
    options: ListOptions = {},
  ): Promise<KubeList<T>> {
    this.#act({ verb: "list", gvr, ...where(namespace), options });
    return this.#list(gvr, namespace, options) as KubeList<T>;
  }

  async watch<T extends KubeObject>(
    gvr: GroupVersionResource,
    namespace: string | undefined,
    options: WatchOptions,
  ): Promise<Watch<T>> {
    this.#act({ verb: "watch", gvr, ...where(namespace), options });
    const since = options.resourceVersion ? Number(options.resourceVersion) : 0;
    return this.storage(gvr).watch({
      ...(since > 0 ? { since } : {}),
      initialEvents: options.sendInitialEvents === true,
      selects: selection(namespace, options),
    }) as unknown as Watch<T>;
  }

  async create<T extends KubeObject>(
    gvr: GroupVersionResource,
    namespace: string | undefined,
    object: T,
    subresource?: { name: string; subresource: string },
  ): Promise<T> {
    this.#act({
      verb: "create",
      gvr,
      ...where(namespace, subresource?.name ?? object.metadata?.name),
      ...(subresource ? { subresource: subresource.subresource } : {}),
      object: structuredClone(object),
    });
    if (subresource) return this.#createSubresource(gvr, namespace, object, subresource) as T;
    const copy: KubeObject = structuredClone(object);
    copy.metadata ??= {};
    if (namespace) copy.metadata.namespace = namespace;
    if (!copy.metadata.name) {
      if (!copy.metadata.generateName)
        throw errors.newInvalid({ group: gvr.group, kind: copy.kind ?? "" }, "", [nameRequired]);
      copy.metadata.name = copy.metadata.generateName + this.#suffix();
    }
    if (this.#find(gvr, namespace, copy.metadata.name) !== undefined)
      throw errors.newAlreadyExists(gvr, copy.metadata.name);
    delete copy.metadata.uid;
    delete copy.metadata.creationTimestamp;
    delete copy.metadata.deletionTimestamp;
    this.#stampNew(copy);
    if (!withoutStatus.has(gvr.resource)) delete copy.status;
    if (gvr.group === "" && gvr.resource === "pods") copy.status = { phase: "Pending" };
    if (gvr.group === "" && gvr.resource === "namespaces") {
      copy.spec = { ...copy.spec, finalizers: copy.spec?.finalizers ?? ["kubernetes"] };
      copy.status = { phase: "Active" };
    }
    copy.apiVersion ??= apiVersionOf(gvr);
    copy.kind ??= defaultKinds[gvr.resource]!;
    return structuredClone(this.storage(gvr).put(copy)) as T;
  }

  async update<T extends KubeObject>(gvr: GroupVersionResource, object: T, subresource?: string): Promise<T> {
    const { namespace, name } = object.metadata;
    this.#act({
      verb: "update",
      gvr,
      ...where(namespace, name),
      ...(subresource ? { subresource } : {}),
      object: structuredClone(object),
    });
    return structuredClone(this.#update(gvr, object, subresource)) as T;
  }

  async patch<T extends KubeObject>(
    gvr: GroupVersionResource,
    namespace: string | undefined,
    name: string,
    type: PatchType,
    patch: unknown,
    subresource?: string,
  ): Promise<T> {
    this.#act({
      verb: "patch",
      gvr,
      ...where(namespace, name),
      ...(subresource ? { subresource } : {}),
      patchType: type,
      patch: structuredClone(patch),
    });
    let current = this.#find(gvr, namespace, name);
    if (current === undefined) {
      if (type !== "application/apply-patch+yaml") throw errors.newNotFound(gvr, name);
      const applied = structuredClone(patch) as KubeObject;
      applied.metadata = { ...applied.metadata, name };
      if (namespace) applied.metadata.namespace = namespace;
      this.#stampNew(applied);
      return structuredClone(this.storage(gvr).put(applied)) as T;
    }
    if (subresource === "scale") current = scaleOf(current);
    const patched = simplePatch(current, type, patch);
    return structuredClone(this.#update(gvr, patched, subresource)) as T;
  }

  async delete(
    gvr: GroupVersionResource,
    namespace: string | undefined,
    name: string,
    options: DeleteOptions = {},
  ): Promise<void> {
    this.#act({ verb: "delete", gvr, ...where(namespace, name), options });
    this.#delete(gvr, namespace, name, options);
  }

  async deleteCollection(
    gvr: GroupVersionResource,
    namespace: string | undefined,
    options: DeleteOptions = {},
    list: ListOptions = {},
  ): Promise<void> {
    this.#act({ verb: "deletecollection", gvr, ...where(namespace), options });
    for (const { metadata } of this.#list(gvr, namespace, list).items) {
      this.#delete(gvr, metadata.namespace, metadata.name!, options);
    }
  }

  async batch(operations: BatchOperation[]): Promise<BatchResult[]> {
    const results: BatchResult[] = [];
    for (const operation of operations) {
      try {
        results.push({ code: operation.method === "POST" ? 201 : 200, body: await this.#operate(operation) });
      } catch (error) {
        if (!(error instanceof errors.StatusError)) throw error;
        results.push({ code: error.status.code, body: error.status });
      }
    }
    return results;
  }

  async raw<T>(path: string): Promise<T> {
    return (await this.#operate({ method: "GET", path })) as T;
  }

  async #operate({ method, path, contentType, body }: BatchOperation): Promise<KubeObject> {
    const parsed = parseResourcePath(path);
    if (parsed === undefined) throw errors.newPathNotFound();
    const { gvr, namespace, name, subresource, query } = parsed;
    const object = body as KubeObject;
    switch (method) {
      case "GET": {
        if (name === undefined) {
          return this.list(gvr, namespace, Object.fromEntries(query) as ListOptions);
        }
        const found = await this.get(gvr, namespace, name);
        return subresource === "scale" ? scaleOf(found) : found;
      }
      case "POST":
        return this.create(
          gvr,
          namespace,
          object,
          name === undefined ? undefined : { name, subresource: subresource! },
        );
      case "PUT":
        return this.update(gvr, object, subresource);
      case "PATCH":
        return this.patch(gvr, namespace, name!, contentType as PatchType, body, subresource);
      default:
        if (name === undefined) await this.deleteCollection(gvr, namespace, object as DeleteOptions | undefined);
        else await this.delete(gvr, namespace, name, object as DeleteOptions | undefined);
        return { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success" };
    }
  }

  #act(action: FakeAction): void {
    this.actions.push(action);
    for (const reactor of this.reactors) reactor(action);
  }

  #find(gvr: GroupVersionResource, namespace: string | undefined, name: string): KubeObject | undefined {
    return this.storage(gvr).objects.get(namespace ? `${namespace}/${name}` : name);
  }

  #existing(gvr: GroupVersionResource, namespace: string | undefined, name: string): KubeObject {
    const object = this.#find(gvr, namespace, name);
    if (object === undefined) throw errors.newNotFound(gvr, name);
    return object;
  }

  #list(gvr: GroupVersionResource, namespace: string | undefined, options: ListOptions): KubeList {
    const storage = this.storage(gvr);
    const items = this.all(gvr).filter(selection(namespace, options));
    const kind = `${items[0]?.kind ?? defaultKinds[gvr.resource] ?? ""}List`;
    return { kind, apiVersion: apiVersionOf(gvr), metadata: { resourceVersion: String(storage.revision) }, items };
  }

  #stampNew(object: KubeObject): void {
    const { metadata } = object;
    metadata.uid ??= `00000000-0000-4000-8000-${(++this.#counter).toString(16).padStart(12, "0")}`;
    metadata.creationTimestamp ??= formatTime(this.#clock.now());
    metadata.generation ??= 1;
  }

  /** Like upstream's five characters, but in a fixed sequence. */
  #suffix(): string {
    const alphabet = "bcdfghjklmnpqrstvwxz2456789";
    let value = ++this.#counter;
    let suffix = "";
    for (let index = 0; index < 5; index++) {
      suffix = alphabet[value % alphabet.length]! + suffix;
      value = Math.floor(value / alphabet.length);
    }
    return suffix;
  }

  #update(gvr: GroupVersionResource, object: KubeObject, subresource: string | undefined): KubeObject {
    const { namespace, name } = object.metadata;
    const current = this.#existing(gvr, namespace, name!);
    if (object.metadata.uid && object.metadata.uid !== current.metadata.uid) {
      throw errors.newConflict(
        gvr,
        name!,
        `Precondition failed: UID in precondition: ${object.metadata.uid}, UID in object meta: ${current.metadata.uid}`,
      );
    }
    const { resourceVersion } = object.metadata;
    if (resourceVersion && resourceVersion !== current.metadata.resourceVersion) {
      throw errors.newConflict(
        gvr,
        name!,
        "the object has been modified; please apply your changes to the latest version and try again",
      );
    }
    const next = nextState(gvr, structuredClone(current), structuredClone(object), subresource);
    const { metadata } = next;
    metadata.resourceVersion = current.metadata.resourceVersion!;
    if (JSON.stringify(next) === JSON.stringify(current)) return current;
    if (JSON.stringify(desired(next)) !== JSON.stringify(desired(current))) {
      metadata.generation = (current.metadata.generation ?? 0) + 1;
    }
    const removed =
      metadata.deletionTimestamp !== undefined &&
      (metadata.finalizers ?? []).length === 0 &&
      !(metadata.deletionGracePeriodSeconds! > 0) &&
      !(gvr.resource === "namespaces" && next.spec?.finalizers?.length > 0);
    return removed ? this.storage(gvr).remove(next) : this.storage(gvr).put(next);
  }

  #createSubresource(
    gvr: GroupVersionResource,
    namespace: string | undefined,
    body: KubeObject,
    { name, subresource }: { name: string; subresource: string },
  ): KubeObject {
    const current = structuredClone(this.#existing(gvr, namespace, name));
    switch (subresource) {
      case "binding": {
        if (current.spec?.nodeName)
          throw errors.newConflict(
            { group: "", resource: "pods/binding" },
            name,
            `pod ${name} is already assigned to node "${current.spec.nodeName}"`,
          );
        current.spec = { ...current.spec, nodeName: body.target.name };
        const conditions = (current.status?.conditions ?? []).filter((one: any) => one.type !== "PodScheduled");
        conditions.push({ type: "PodScheduled", status: "True", lastTransitionTime: formatTime(this.#clock.now()) });
        current.status = { ...current.status, conditions };
        this.storage(gvr).put(current);
        return { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 201 };
      }
      case "eviction":
        this.#delete(gvr, namespace, name, body.deleteOptions ?? {});
        return { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 201 };
      case "token":
        return { ...structuredClone(body), status: { token: `token-of-${namespace}-${name}` } };
      default:
        throw errors.newPathNotFound();
    }
  }

  #delete(gvr: GroupVersionResource, namespace: string | undefined, name: string, options: DeleteOptions): void {
    const object = structuredClone(this.#existing(gvr, namespace, name));
    const { metadata } = object;
    const { uid, resourceVersion } = options.preconditions ?? {};
    if (uid !== undefined && uid !== metadata.uid) {
      throw errors.newConflict(
        gvr,
        name,
        `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${metadata.uid}`,
      );
    }
    if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion) {
      throw errors.newConflict(
        gvr,
        name,
        `Precondition failed: ResourceVersion in precondition: ${resourceVersion}, ResourceVersion in object meta: ${metadata.resourceVersion}`,
      );
    }
    const finalizers = new Set(metadata.finalizers ?? []);
    if (options.propagationPolicy === "Foreground") finalizers.add("foregroundDeletion");
    if (options.propagationPolicy === "Orphan") finalizers.add("orphan");
    let grace = 0;
    if (gvr.group === "" && gvr.resource === "pods") {
      grace = options.gracePeriodSeconds ?? object.spec?.terminationGracePeriodSeconds ?? 30;
      if (!object.spec?.nodeName || ["Succeeded", "Failed"].includes(object.status?.phase)) grace = 0;
      if (metadata.deletionTimestamp !== undefined) grace = Math.min(grace, metadata.deletionGracePeriodSeconds ?? 0);
    }
    const heldByNamespace = gvr.group === "" && gvr.resource === "namespaces" && object.spec?.finalizers?.length > 0;
    if (finalizers.size === 0 && grace === 0 && !heldByNamespace) {
      this.storage(gvr).remove(object);
      return;
    }
    const unchanged =
      metadata.deletionTimestamp !== undefined &&
      metadata.deletionGracePeriodSeconds === grace &&
      finalizers.size === (metadata.finalizers ?? []).length;
    if (unchanged) return;
    if (metadata.deletionTimestamp === undefined) metadata.generation = (metadata.generation ?? 0) + 1;
    metadata.deletionTimestamp = formatTime(this.#clock.now() + grace * 1000);
    metadata.deletionGracePeriodSeconds = grace;
    if (finalizers.size > 0) metadata.finalizers = [...finalizers];
    if (heldByNamespace) object.status = { ...object.status, phase: "Terminating" };
    this.storage(gvr).put(object);
  }
}

const nameRequired = {
  reason: "FieldValueRequired",
  message: "Required value: name or generateName is required",
  field: "metadata.name",
};

function where(namespace: string | undefined, name?: string): { namespace?: string; name?: string } {
  return { ...(namespace ? { namespace } : {}), ...(name ? { name } : {}) };
}

/** What an update of the main resource or of a subresource may change. */
function nextState(
  gvr: GroupVersionResource,
  current: KubeObject,
  object: KubeObject,
  subresource: string | undefined,
): KubeObject {
  switch (subresource) {
    case undefined:
    case "":
    case "ephemeralcontainers":
    case "resize": {
      object.apiVersion ??= current.apiVersion!;
      object.kind ??= current.kind!;
      if (!withoutStatus.has(gvr.resource)) {
        if (current.status === undefined) delete object.status;
        else object.status = current.status;
      }
      for (const field of fixedMetadata) {
        if (current.metadata[field] === undefined) delete object.metadata[field];
        else object.metadata[field] = current.metadata[field] as never;
      }
      return object;
    }
    case "status":
      return { ...current, status: object.status };
    case "finalize":
      return { ...current, spec: { ...current.spec, finalizers: object.spec?.finalizers ?? [] } };
    case "scale":
      return { ...current, spec: { ...current.spec, replicas: object.spec?.replicas ?? 0 } };
    default:
      throw errors.newPathNotFound();
  }
}

const fixedMetadata = [
  "uid",
  "creationTimestamp",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
  "generation",
] as const;

/** What counts for the generation. */
function desired({ metadata: _metadata, status: _status, ...rest }: KubeObject): object {
  return rest;
}

/** autoscaling/v1 Scale of a workload. */
function scaleOf(object: KubeObject): KubeObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const labels = Object.entries<string>(object.spec?.selector?.matchLabels ?? {});
  return {
    kind: "Scale",
    apiVersion: "autoscaling/v1",
    metadata: JSON.parse(JSON.stringify({ name, namespace, uid, resourceVersion, creationTimestamp })),
    spec: { replicas: object.spec?.replicas ?? 0 },
    status: {
      replicas: object.status?.replicas ?? 0,
      selector: labels.map(([key, value]) => `${key}=${value}`).join(","),
    },
  };
}

function selection(namespace: string | undefined, options: ListOptions): (object: KubeObject) => boolean {
  const labels = parseLabelSelector(options.labelSelector ?? "");
  const fields = parseFieldSelector(options.fieldSelector ?? "");
  return (object) =>
    (!namespace || object.metadata.namespace === namespace) &&
    labels.matches(object.metadata.labels) &&
    fields.matches((field) => {
      const value = field.split(".").reduce<any>((part, name) => part?.[name], object);
      return value === undefined || value === null ? "" : String(value);
    });
}
