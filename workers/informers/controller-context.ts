import type { GroupVersionResource } from "../apimachinery/gvk.ts";
import type { KubeObject } from "../apimachinery/meta.ts";
import type { Clock } from "../apimachinery/clock.ts";
import type { Client } from "../client/interfaces.ts";
import type { SharedInformer } from "./interfaces.ts";
import type { EventRecorder } from "../client/events/event-recorder.ts";

/** Hands out one shared informer per resource. */
export interface SharedInformerFactory {
  forResource<T extends KubeObject>(gvr: GroupVersionResource): SharedInformer<T>;
}

/** What every controller is constructed with; a host (Durable Object or Node process) makes it. */
export interface ControllerContext {
  client: Client;
  informers: SharedInformerFactory;
  clock: Clock;
  /** In [0, 1). */
  random: () => number;
  /** A recorder whose source component is the controller's name, e.g. "deployment-controller". */
  recorder(component: string): EventRecorder;
}

/** A running loop. `pending` counts work that is queued, delayed or in progress: a host sleeps only at 0. */
export interface Controller {
  readonly name: string;
  /** Starts workers; informers are started and synced by the host before. Resolves when stopped. */
  run(signal: AbortSignal): Promise<void>;
  readonly pending: number;
}
