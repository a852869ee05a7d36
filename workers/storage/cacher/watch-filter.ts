import { parseFieldSelector } from "../../apimachinery/fields.ts";
import type { FieldSelector } from "../../apimachinery/fields.ts";
import { parseLabelSelector } from "../../apimachinery/labels.ts";
import type { LabelSelector } from "../../apimachinery/labels.ts";
import type { KubeObject } from "../../apimachinery/meta.ts";
import type { StorageEvent } from "../interfaces.ts";
import type { EncodedEvent } from "./event-encoder.ts";
import { withResourceVersion } from "./object-scanner.ts";

/** How to read the fields that a type's field selectors may name. */
export type FieldReaders = ReadonlyMap<string, (object: KubeObject) => string>;

/** One state of an object as selectors see it; parsed when a selector first asks, and then once. */
export class SelectableObject {
  readonly value: string;
  readonly #key: string | undefined;
  #object: KubeObject | undefined;
  #fields: Map<string, string> | undefined;

  constructor(key: string | undefined, value: string) {
    this.#key = key;
    this.value = value;
  }

  get object(): KubeObject {
    return (this.#object ??= JSON.parse(this.value) as KubeObject);
  }

  field(name: string, readers: FieldReaders): string {
    const known = this.#fields?.get(name);
    if (known !== undefined) return known;
    const value = this.#read(name, readers);
    (this.#fields ??= new Map()).set(name, value);
    return value;
  }

  #read(name: string, readers: FieldReaders): string {
    if (name === "metadata.name") {
      return this.#key === undefined
        ? (this.object.metadata.name ?? "")
        : this.#key.slice(this.#key.lastIndexOf("/") + 1);
    }
    if (name === "metadata.namespace") return this.object.metadata.namespace ?? "";
    const reader = readers.get(name);
    return reader === undefined ? fieldAt(this.object, name) : reader(this.object);
  }
}

/** A selectable field of a custom resource is named by its path. */
function fieldAt(object: KubeObject, path: string): string {
  let value: unknown = object;
  for (const name of path.split(".")) value = (value as Record<string, unknown> | null | undefined)?.[name];
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? String(value) : "";
}

/** An event on its way to watchers: its states are parsed at most once, and each shown form is encoded at most once. */
export class CachedEvent {
  readonly event: StorageEvent;
  readonly current: SelectableObject;
  readonly previous: SelectableObject | undefined;
  readonly #encoded = new Map<string, EncodedEvent>();
  #left: ShownEvent | undefined;

  constructor(event: StorageEvent) {
    this.event = event;
    this.current = new SelectableObject(event.key, event.value);
    this.previous =
      event.previous !== undefined
        ? new SelectableObject(event.key, event.previous)
        : event.type === "DELETED"
          ? this.current
          : undefined;
  }

  /** The previous state, shown as deleted to watchers whose selectors it has stopped to match. */
  get left(): ShownEvent {
    return (this.#left ??= {
      type: "DELETED",
      value: withResourceVersion(this.previous!.value, this.event.revision),
    });
  }

  encoded(form: string, encode: () => EncodedEvent): EncodedEvent {
    let text = this.#encoded.get(form);
    if (text === undefined) this.#encoded.set(form, (text = encode()));
    return text;
  }
}

/** An event as one watcher sees it. */
export interface ShownEvent {
  type: StorageEvent["type"];
  value: string;
}

/**
 * What a watcher wants to see. An object that comes to match is ADDED, one that stops to match is DELETED: its previous
 * state with the event's revision. Mirrors convertToWatchEvent in k8s.io/apiserver pkg/storage/cacher/cache_watcher.go (1.36).
 */
export class WatchFilter {
  readonly #prefix: string;
  readonly #labels: LabelSelector | undefined;
  readonly #fields: FieldSelector | undefined;
  readonly #readers: FieldReaders;

  /** Throws an Error with upstream's message when a selector cannot be parsed. */
  constructor(request: { prefix: string; labelSelector?: string; fieldSelector?: string }, readers: FieldReaders) {
    this.#prefix = request.prefix;
    this.#readers = readers;
    const labels = request.labelSelector ? parseLabelSelector(request.labelSelector) : undefined;
    const fields = request.fieldSelector ? parseFieldSelector(request.fieldSelector) : undefined;
    this.#labels = labels?.empty ? undefined : labels;
    this.#fields = fields?.empty ? undefined : fields;
  }

  /** A field's value without which nothing matches, if there is one; the name before others, since it costs no parsing. */
  get exact(): { field: string; value: string } | undefined {
    const exact = this.#fields?.requirements.filter(({ operator }) => operator === "=") ?? [];
    return exact.find(({ field }) => field === "metadata.name") ?? exact[0];
  }

  /** Undefined when the watcher is not to see the event. */
  shown(cached: CachedEvent): ShownEvent | undefined {
    const { event, current, previous } = cached;
    if (!event.key.startsWith(this.#prefix)) return undefined;
    if (this.#labels === undefined && this.#fields === undefined) return event;
    const now = event.type !== "DELETED" && this.matches(current);
    const before = previous !== undefined && this.matches(previous);
    if (now) return { type: before ? "MODIFIED" : "ADDED", value: event.value };
    if (!before) return undefined;
    return event.type === "DELETED" ? event : cached.left;
  }

  matches(state: SelectableObject): boolean {
    if (this.#fields !== undefined && !this.#fields.matches((name) => state.field(name, this.#readers))) return false;
    return this.#labels === undefined || this.#labels.matches(state.object.metadata.labels);
  }
}
