import type { Clock } from "../../apimachinery/clock.ts";
import type { GroupResource } from "../../apimachinery/gvk.ts";
import type { KubeObject } from "../../apimachinery/meta.ts";
import type { StorageFactory } from "../../registry/storage-factory.ts";
import { listPrefix } from "../../storage/keys.ts";

/** A snapshot younger than this is used without asking. */
const freshMilliseconds = 1_000;

const maxClusters = 64;

/** What a request needs to look at a snapshot. */
export interface SnapshotContext {
  storage: StorageFactory;
  clock: Clock;
}

/** The objects of a cluster-scoped type as of one revision, in the form that its reader keeps. Another object after any change. */
export interface TypeSnapshot<T> {
  readonly revision: number;
  readonly byName: ReadonlyMap<string, T>;
}

interface Held<T> extends TypeSnapshot<T> {
  checkedAt: number;
}

/**
 * Configuration that requests read: the objects of one type, held per isolate for the clusters used last, revalidated by
 * revision with at most one call a second, and brought up to date from history. Plain data: any request of the isolate
 * may use it. `read` makes what is kept of an object from its stored text.
 */
export class TypeSnapshots<T> {
  readonly #type: GroupResource;
  readonly #read: (object: KubeObject, revision: number) => T;
  readonly #pageSize: number;
  readonly #held = new Map<string, Held<T>>();

  constructor(type: GroupResource, read: (object: KubeObject, revision: number) => T, pageSize = 500) {
    this.#type = type;
    this.#read = read;
    this.#pageSize = pageSize;
  }

  /** The snapshot as of the last look, without asking. */
  known(cluster: string): TypeSnapshot<T> | undefined {
    return this.#held.get(cluster);
  }

  /** At most a second old. */
  async fresh(context: SnapshotContext): Promise<TypeSnapshot<T>> {
    const held = this.#held.get(context.storage.cluster);
    if (held !== undefined && context.clock.now() - held.checkedAt < freshMilliseconds) return held;
    return this.refresh(context);
  }

  /** At the newest revision: one call when nothing has changed, only what changed otherwise. */
  async refresh({ storage, clock }: SnapshotContext): Promise<TypeSnapshot<T>> {
    const { cluster } = storage;
    const now = clock.now();
    const before = this.#held.get(cluster);
    const revision = await storage.for(this.#type).currentRevision();
    if (before !== undefined && before.revision >= revision) {
      before.checkedAt = now;
      this.#remember(cluster, before);
      return before;
    }
    const next =
      (before === undefined ? undefined : await this.#changesSince(storage, before)) ?? (await this.#all(storage));
    const held = { ...next, checkedAt: now };
    // Another request may have come further in the meantime.
    const current = this.#held.get(cluster);
    if (current !== undefined && current.revision > held.revision) return current;
    this.#remember(cluster, held);
    return held;
  }

  /** Somebody in this isolate has written an object: the snapshot is not to be used without asking. */
  changed(cluster: string): void {
    const held = this.#held.get(cluster);
    if (held !== undefined) held.checkedAt = Number.NEGATIVE_INFINITY;
  }

  #remember(cluster: string, held: Held<T>): void {
    this.#held.delete(cluster);
    this.#held.set(cluster, held);
    for (const oldest of this.#held.keys()) {
      if (this.#held.size <= maxClusters) break;
      this.#held.delete(oldest);
    }
  }

  async #changesSince(storage: StorageFactory, before: TypeSnapshot<T>): Promise<TypeSnapshot<T> | undefined> {
    const byName = new Map(before.byName);
    let { revision } = before;
    for (;;) {
      const result = await storage.events(this.#type, revision, this.#pageSize);
      // History does not reach back that far.
      if (!result.ok) return undefined;
      for (const event of result.events) {
        const object = JSON.parse(event.value) as KubeObject;
        const name = object.metadata.name!;
        if (event.type === "DELETED") byName.delete(name);
        else byName.set(name, this.#read(object, event.revision));
        revision = event.revision;
      }
      if (result.events.length === 0 || revision >= result.revision) return { revision, byName };
    }
  }

  async #all(storage: StorageFactory): Promise<TypeSnapshot<T>> {
    const byName = new Map<string, T>();
    const prefix = listPrefix(this.#type);
    const client = storage.for(this.#type);
    let page = await client.list({ prefix, limit: this.#pageSize });
    const { revision } = page;
    for (;;) {
      for (const object of JSON.parse(`[${await page.text()}]`) as KubeObject[]) {
        byName.set(object.metadata.name!, this.#read(object, Number(object.metadata.resourceVersion)));
      }
      if (page.lastKey === undefined) return { revision, byName };
      page = await client.list({
        prefix,
        limit: this.#pageSize,
        after: page.lastKey,
        match: { kind: "exact", revision },
      });
    }
  }
}
