import { formatTime } from "../../apimachinery/clock.ts";
import type { GroupResource } from "../../apimachinery/gvk.ts";
import type { KubeObject } from "../../apimachinery/meta.ts";
import { encodeObject } from "../../storage/encode-object.ts";
import { isStorageError } from "../../storage/errors.ts";
import { listPrefix, objectKey } from "../../storage/keys.ts";
import type { RequestScope } from "../strategy.ts";

/** The service that a reservation is for. */
export interface Owner {
  namespace: string;
  name: string;
}

export interface ReservationKind {
  resource: GroupResource;
  labels?(name: string): Record<string, string>;
  /** Whether a service's spec holds what `name` stands for. */
  isHeldBy(service: KubeObject, name: string): boolean;
}

const services: GroupResource = { group: "", resource: "services" };

/** A reservation whose service never came to be is given to the next who asks, once it is this old (ms). */
const abandonedAfter = 60_000;

/**
 * Names that are given to one service each: an object per name, so that the store's own uniqueness decides under
 * concurrency. A writer that died between reserving and writing its service leaves a reservation that nobody holds; it is
 * found when someone asks for that name.
 */
export class Reservations {
  readonly #scope: RequestScope;
  readonly #kind: ReservationKind;

  constructor(scope: RequestScope, kind: ReservationKind) {
    this.#scope = scope;
    this.#kind = kind;
  }

  /** False when another service has it. */
  async take(name: string, owner: Owner): Promise<boolean> {
    try {
      await this.#storage.create(this.#key(name), encodeObject(this.#object(name, owner)));
      return true;
    } catch (error) {
      if (isStorageError(error, "KeyExists")) return false;
      throw error;
    }
  }

  /** As {@link take}, but looks whether the present owner is real. */
  async takeOver(name: string, owner: Owner): Promise<boolean> {
    if (await this.take(name, owner)) return true;
    const stored = await this.#storage.get(this.#key(name));
    if (stored === undefined) return this.take(name, owner);
    const reservation = JSON.parse(stored.value) as KubeObject;
    const age = this.#scope.clock.now() - Date.parse(reservation.metadata.creationTimestamp ?? "");
    if (age < abandonedAfter || (await this.#isHeld(name, reservation))) return false;
    try {
      await this.#storage.update(this.#key(name), encodeObject(this.#object(name, owner)), stored.revision);
      return true;
    } catch (error) {
      if (isStorageError(error, "RevisionConflict") || isStorageError(error, "KeyNotFound")) return false;
      throw error;
    }
  }

  async has(name: string): Promise<boolean> {
    return (await this.#storage.get(this.#key(name))) !== undefined;
  }

  /** Gives back what `owner` has; what another one has stays. */
  async release(name: string, owner: Owner): Promise<void> {
    const key = this.#key(name);
    const stored = await this.#storage.get(key);
    if (stored === undefined) return;
    const reservation = JSON.parse(stored.value) as KubeObject;
    const parent = parentOf(reservation);
    if (parent === undefined || parent.namespace !== owner.namespace || parent.name !== owner.name) return;
    try {
      await this.#storage.delete(key, encodeObject(reservation), stored.revision);
    } catch (error) {
      if (!isStorageError(error, "KeyNotFound") && !isStorageError(error, "RevisionConflict")) throw error;
    }
  }

  async taken(): Promise<Set<string>> {
    const list = await this.#storage.list({ prefix: listPrefix(this.#kind.resource) });
    const objects = JSON.parse(`[${await list.text()}]`) as KubeObject[];
    return new Set(objects.map((object) => object.metadata.name!));
  }

  async #isHeld(name: string, reservation: KubeObject): Promise<boolean> {
    const parent = parentOf(reservation);
    // Not made by an allocator.
    if (parent === undefined) return true;
    const stored = await this.#scope.storage.for(services).get(objectKey(services, parent.namespace, parent.name));
    return stored !== undefined && this.#kind.isHeldBy(JSON.parse(stored.value) as KubeObject, name);
  }

  get #storage() {
    return this.#scope.storage.for(this.#kind.resource);
  }

  #key(name: string): string {
    return objectKey(this.#kind.resource, undefined, name);
  }

  #object(name: string, owner: Owner): KubeObject {
    const labels = this.#kind.labels?.(name);
    return {
      metadata: {
        name,
        uid: crypto.randomUUID(),
        creationTimestamp: formatTime(this.#scope.clock.now()),
        ...(labels === undefined ? {} : { labels }),
      },
      spec: { parentRef: { resource: "services", ...owner } },
    };
  }
}

function parentOf(reservation: KubeObject): Owner | undefined {
  const parent = reservation.spec?.parentRef;
  return parent?.resource === "services" && !parent.group ? (parent as Owner) : undefined;
}
