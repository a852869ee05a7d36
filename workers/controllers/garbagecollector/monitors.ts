import type { GroupVersionResource } from "../../apimachinery/gvk.ts";
import { apiVersionOf, formatGroupResource } from "../../apimachinery/gvk.ts";
import type { KubeObject } from "../../apimachinery/meta.ts";
import type { ControllerContext } from "../../informers/controller-context.ts";
import { handleError } from "../handle-error.ts";
import type { DependencyGraph } from "./graph.ts";
import type { ObjectReference } from "./object-reference.ts";
import type { RESTMapper } from "./rest-mapper.ts";

/** A type that does not sync in this time does not hold up the others. */
const syncTimeoutMilliseconds = 30_000;

export interface MonitorOptions {
  resources: () => Promise<GroupVersionResource[]>;
  startInformers?: () => void;
}

/** Events own nothing and are many. */
function isIgnored({ group, resource }: GroupVersionResource): boolean {
  return resource === "events" && (group === "" || group === "events.k8s.io");
}

/** Feeds the graph from one shared informer a type; only types that are in use are watched. */
export class Monitors {
  readonly #context: ControllerContext;
  readonly #mapper: RESTMapper;
  readonly #graph: DependencyGraph;
  readonly #options: MonitorOptions;
  readonly #running = new Map<string, { gvr: GroupVersionResource; remove: () => void }>();

  constructor(context: ControllerContext, mapper: RESTMapper, graph: DependencyGraph, options: MonitorOptions) {
    this.#context = context;
    this.#mapper = mapper;
    this.#graph = graph;
    this.#options = options;
  }

  has(gvr: GroupVersionResource): boolean {
    return isIgnored(gvr) || this.#running.has(formatGroupResource(gvr));
  }

  /** Starts and ends monitors to match what is in use; resolves when the new ones have synced, with whether any changed. */
  async sync(): Promise<boolean> {
    const wanted = new Map<string, GroupVersionResource>();
    for (const gvr of await this.#options.resources()) {
      if (!isIgnored(gvr)) wanted.set(formatGroupResource(gvr), gvr);
    }
    let changed = false;
    for (const [key, { gvr, remove }] of this.#running) {
      if (wanted.has(key)) continue;
      changed = true;
      remove();
      this.#running.delete(key);
      this.#graph.removeType(gvr);
    }
    const synced: Promise<void>[] = [];
    for (const [key, gvr] of wanted) {
      if (this.#running.has(key)) continue;
      try {
        const kind = await this.#mapper.kindOf(apiVersionOf(gvr), gvr.resource);
        if (kind === undefined) continue;
        synced.push(this.#start(key, gvr, kind));
        changed = true;
      } catch (error) {
        handleError("garbage-collector-controller", `error starting the monitor of ${key}`, error);
      }
    }
    if (synced.length > 0) {
      this.#options.startInformers?.();
      await this.#within(syncTimeoutMilliseconds, Promise.all(synced));
    }
    return changed;
  }

  stop(): void {
    for (const { remove } of this.#running.values()) remove();
    this.#running.clear();
  }

  #start(key: string, gvr: GroupVersionResource, kind: string): Promise<void> {
    const informer = this.#context.informers.forResource(gvr);
    const apiVersion = apiVersionOf(gvr);
    const observe = (object: KubeObject): void => {
      const { namespace = "", name, uid } = object.metadata;
      const identity: ObjectReference = { apiVersion, kind, namespace, name: name!, uid: uid! };
      this.#graph.observe(gvr, identity, object);
    };
    const remove = informer.addEventHandler({
      onAdd: (object) => observe(object),
      onUpdate: (previous, object) => {
        if (previous.metadata.uid !== object.metadata.uid) this.#graph.remove(previous.metadata.uid!);
        observe(object);
      },
      onDelete: (object) => this.#graph.remove(object.metadata.uid!),
    });
    this.#running.set(key, { gvr, remove });
    return informer.waitForSync();
  }

  async #within(milliseconds: number, work: Promise<unknown>): Promise<void> {
    let timer: unknown;
    const timeout = new Promise<void>((resolve) => {
      timer = this.#context.clock.setTimeout(resolve, milliseconds);
    });
    await Promise.race([work, timeout]);
    this.#context.clock.clearTimeout(timer);
  }
}
