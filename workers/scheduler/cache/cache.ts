import type { Clock } from "../../apimachinery/clock.ts";
import type { ImageState } from "../framework/node-info.ts";
import { NodeInfo } from "../framework/node-info.ts";
import type { Node, PodInfo } from "../framework/pod-info.ts";
import { NodeTree } from "./node-tree.ts";
import type { Snapshot } from "./snapshot.ts";

export interface CacheOptions {
  /** How long an assumed pod is kept after its binding finished without being seen bound; 0, the default, means forever. */
  assumedPodTtlMilliseconds?: number;
}

interface PodState {
  info: PodInfo;
  nodeName: string;
  assumed: boolean;
  bindingFinished: boolean;
  /** Milliseconds; undefined: never. */
  deadline: number | undefined;
}

interface ListItem {
  info: NodeInfo;
  next: ListItem | undefined;
  previous: ListItem | undefined;
}

/**
 * Nodes with the pods assigned to them, including pods that are assumed: chosen here but not yet seen bound. An assumed
 * pod is confirmed by {@link addPod}, given up by {@link forgetPod}, or expires. Mirrors scheduler/backend/cache/cache.go (1.36).
 */
export class Cache {
  readonly #clock: Clock;
  readonly #ttl: number;
  readonly #pods = new Map<string, PodState>();
  readonly #assumed = new Set<string>();
  readonly #nodes = new Map<string, ListItem>();
  readonly #tree = new NodeTree();
  readonly #images = new Map<string, ImageState>();
  /** Most recently changed first, so that a refresh stops at the first node it has seen. */
  #head: ListItem | undefined;
  #generation = 0;
  #structure = 0;

  constructor(clock: Clock, options: CacheOptions = {}) {
    this.#clock = clock;
    this.#ttl = options.assumedPodTtlMilliseconds ?? 0;
  }

  get nodeCount(): number {
    return this.#tree.size;
  }

  get podCount(): number {
    return this.#pods.size;
  }

  get assumedCount(): number {
    return this.#assumed.size;
  }

  updateSnapshot(snapshot: Snapshot): void {
    if (snapshot.structure !== this.#structure) {
      const nodes = this.#tree.list().map((name) => this.#nodes.get(name)!.info);
      snapshot.rebuild(nodes, this.#structure);
    } else {
      for (let item = this.#head; item !== undefined && item.info.generation > snapshot.generation; item = item.next) {
        snapshot.refresh(item.info);
      }
    }
    snapshot.generation = this.#generation;
  }

  getPod(uid: string): PodInfo | undefined {
    return this.#pods.get(uid)?.info;
  }

  isAssumedPod(uid: string): boolean {
    return this.#assumed.has(uid);
  }

  /** Counts the pod, which names its node, against that node from now on. */
  assumePod(info: PodInfo): void {
    if (this.#pods.has(info.uid)) {
      throw new Error(`pod ${info.uid}(${info.key}) is in the cache, so can't be assumed`);
    }
    this.#place(info, true);
    this.#assumed.add(info.uid);
  }

  finishBinding(uid: string): void {
    const state = this.#pods.get(uid);
    if (state === undefined || !state.assumed) return;
    state.bindingFinished = true;
    state.deadline = this.#ttl === 0 ? undefined : this.#clock.now() + this.#ttl;
  }

  /** Takes an assumed pod back; false if it has been confirmed or was never assumed. */
  forgetPod(uid: string): boolean {
    const state = this.#pods.get(uid);
    if (state === undefined || !state.assumed) return false;
    this.#displace(uid, state);
    return true;
  }

  /** A pod was seen assigned; confirms it if it was assumed, wherever it was assumed to be. */
  addPod(info: PodInfo): void {
    const state = this.#pods.get(info.uid);
    if (state !== undefined) this.#displace(info.uid, state);
    this.#place(info, false);
  }

  removePod(uid: string): void {
    const state = this.#pods.get(uid);
    if (state !== undefined) this.#displace(uid, state);
  }

  /** Drops assumed pods whose binding finished too long ago; returns them. */
  cleanupAssumedPods(): PodInfo[] {
    const expired: PodInfo[] = [];
    if (this.#ttl === 0) return expired;
    const now = this.#clock.now();
    for (const uid of this.#assumed) {
      const state = this.#pods.get(uid)!;
      if (!state.bindingFinished || state.deadline === undefined || state.deadline > now) continue;
      expired.push(state.info);
      this.#displace(uid, state);
    }
    return expired;
  }

  addOrUpdateNode(node: Node): NodeInfo {
    const name = node.metadata.name ?? "";
    const item = this.#item(name);
    this.#removeImages(item.info);
    item.info.setNode(node);
    item.info.imageStates = this.#addImages(name, node.status?.images ?? []);
    if (this.#tree.addOrUpdate(node)) this.#structure++;
    this.#touch(item);
    return item.info;
  }

  /** The entry stays while pods are still known on it, since their deletion is seen later. */
  removeNode(name: string): void {
    const item = this.#nodes.get(name);
    if (item === undefined) return;
    this.#removeImages(item.info);
    item.info.removeNode();
    item.info.imageStates = new Map();
    if (this.#tree.remove(name)) this.#structure++;
    if (item.info.pods.size === 0) this.#drop(item);
    else this.#touch(item);
  }

  getNode(name: string): NodeInfo | undefined {
    return this.#nodes.get(name)?.info;
  }

  #place(info: PodInfo, assumed: boolean): void {
    const nodeName = info.nodeName;
    const item = this.#item(nodeName);
    item.info.addPod(info);
    this.#touch(item);
    this.#pods.set(info.uid, { info, nodeName, assumed, bindingFinished: false, deadline: undefined });
  }

  #displace(uid: string, state: PodState): void {
    this.#pods.delete(uid);
    this.#assumed.delete(uid);
    const item = this.#nodes.get(state.nodeName);
    if (item === undefined) return;
    item.info.removePod(uid);
    if (item.info.pods.size === 0 && item.info.node === undefined) this.#drop(item);
    else this.#touch(item);
  }

  #item(name: string): ListItem {
    const known = this.#nodes.get(name);
    if (known !== undefined) return known;
    const item: ListItem = { info: new NodeInfo(name), next: undefined, previous: undefined };
    this.#nodes.set(name, item);
    this.#toHead(item);
    return item;
  }

  #touch(item: ListItem): void {
    item.info.generation = ++this.#generation;
    if (this.#head === item) return;
    this.#unlink(item);
    this.#toHead(item);
  }

  #drop(item: ListItem): void {
    this.#unlink(item);
    this.#nodes.delete(item.info.name);
  }

  #toHead(item: ListItem): void {
    item.previous = undefined;
    item.next = this.#head;
    if (this.#head !== undefined) this.#head.previous = item;
    this.#head = item;
  }

  #unlink(item: ListItem): void {
    if (item.previous !== undefined) item.previous.next = item.next;
    else if (this.#head === item) this.#head = item.next;
    if (item.next !== undefined) item.next.previous = item.previous;
    item.next = undefined;
    item.previous = undefined;
  }

  #addImages(nodeName: string, images: readonly any[]): Map<string, ImageState> {
    const states = new Map<string, ImageState>();
    for (const image of images) {
      for (const name of image.names ?? []) {
        const state = this.#images.get(name) ?? { size: image.sizeBytes ?? 0, nodes: new Set<string>() };
        state.nodes.add(nodeName);
        this.#images.set(name, state);
        states.set(name, state);
      }
    }
    return states;
  }

  #removeImages(info: NodeInfo): void {
    for (const [name, state] of info.imageStates) {
      state.nodes.delete(info.name);
      if (state.nodes.size === 0) this.#images.delete(name);
    }
  }
}
