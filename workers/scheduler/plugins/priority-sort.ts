import type { Plugin } from "../framework/interface.ts";
import type { QueuedPodInfo } from "../framework/queued-pod-info.ts";
import { names } from "./names.ts";

/** Higher priority first, then longer waiting. Mirrors plugins/queuesort/priority_sort.go (1.36). */
export class PrioritySort implements Plugin {
  readonly name = names.prioritySort;

  eventsToRegister(): [] {
    return [];
  }

  less(a: QueuedPodInfo, b: QueuedPodInfo): boolean {
    const p = a.podInfo.priority;
    const q = b.podInfo.priority;
    return p > q || (p === q && a.timestamp < b.timestamp);
  }
}
