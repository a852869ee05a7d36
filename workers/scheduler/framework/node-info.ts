import { HostPortInfo } from "./host-ports.ts";
import type { Node, PodInfo } from "./pod-info.ts";
import { Resource } from "./resource.ts";

/** v1.Taint */
export interface Taint {
  key: string;
  value?: string;
  effect: string;
}

export interface ImageState {
  size: number;
  /** Nodes that have the image; shared between them, so it is always current. */
  nodes: Set<string>;
}

/** A node and the sums over its pods, kept up to date incrementally. Mirrors pkg/scheduler/framework/types.go NodeInfo (1.36). */
export class NodeInfo {
  readonly name: string;
  /** Undefined when pods of a node are known before, or after, the node itself. */
  node: Node | undefined;
  readonly pods = new Map<string, PodInfo>();
  readonly podsWithAffinity = new Map<string, PodInfo>();
  readonly podsWithRequiredAntiAffinity = new Map<string, PodInfo>();
  usedPorts = new HostPortInfo();
  requested = new Resource();
  nonZeroMilliCPU = 0;
  nonZeroMemory = 0;
  allocatable = new Resource();
  taints: readonly Taint[] = noTaints;
  labels: Record<string, string> = noLabels;
  imageStates: ReadonlyMap<string, ImageState> = noImages;
  /** Grows with every change; set by the cache. */
  generation = 0;

  constructor(name: string) {
    this.name = name;
  }

  setNode(node: Node): void {
    this.node = node;
    this.labels = node.metadata.labels ?? noLabels;
    this.taints = node.spec?.taints ?? noTaints;
    this.allocatable = Resource.from(node.status?.allocatable);
  }

  removeNode(): void {
    this.node = undefined;
    this.labels = noLabels;
    this.taints = noTaints;
    this.allocatable = new Resource();
  }

  addPod(info: PodInfo): void {
    const known = this.pods.get(info.uid);
    if (known !== undefined) this.removePod(known.uid);
    this.pods.set(info.uid, info);
    if (info.hasAffinity) this.podsWithAffinity.set(info.uid, info);
    if (info.requiredAntiAffinityTerms.length > 0) this.podsWithRequiredAntiAffinity.set(info.uid, info);
    this.#account(info, 1);
    for (const port of info.hostPorts) this.usedPorts.add(port);
  }

  removePod(uid: string): boolean {
    const info = this.pods.get(uid);
    if (info === undefined) return false;
    this.pods.delete(uid);
    this.podsWithAffinity.delete(uid);
    this.podsWithRequiredAntiAffinity.delete(uid);
    this.#account(info, -1);
    for (const port of info.hostPorts) this.usedPorts.remove(port);
    return true;
  }

  /** For dry runs: shares the pods, not the sums. */
  clone(): NodeInfo {
    const copy = new NodeInfo(this.name);
    if (this.node !== undefined) copy.setNode(this.node);
    copy.imageStates = this.imageStates;
    copy.generation = this.generation;
    for (const info of this.pods.values()) copy.addPod(info);
    return copy;
  }

  #account(info: PodInfo, sign: 1 | -1): void {
    this.requested.accumulate(info.requests, sign);
    this.nonZeroMilliCPU += sign * info.nonZeroMilliCPU;
    this.nonZeroMemory += sign * info.nonZeroMemory;
  }
}

const noTaints: readonly Taint[] = [];
const noLabels: Record<string, string> = {};
const noImages: ReadonlyMap<string, ImageState> = new Map();
