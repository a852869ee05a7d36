import type { ClusterEvent, ClusterEventWithHint, QueueingHint } from "../framework/events.ts";

export interface HintRegistration {
  plugin: string;
  hint: QueueingHint | undefined;
}

/** Plugin name of pods that failed because the cluster has no node. */
export const noNodesPlugin = "NoNodes";

/** Finds the plugins that an event may satisfy. Mirrors the queueingHintMap of scheduler/backend/queue (1.36). */
export class QueueingHints {
  readonly #registrations: ReadonlyMap<string, ClusterEventWithHint[] | undefined>;
  readonly #memo = new Map<string, readonly HintRegistration[]>();

  constructor(registrations: ReadonlyMap<string, ClusterEventWithHint[] | undefined>) {
    this.#registrations = registrations;
  }

  forEvent(event: ClusterEvent): readonly HintRegistration[] {
    const key = `${event.resource}/${event.action}`;
    const known = this.#memo.get(key);
    if (known !== undefined) return known;
    const found: HintRegistration[] = [];
    for (const [plugin, registrations] of this.#registrations) {
      if (registrations === undefined) {
        found.push({ plugin, hint: undefined });
        continue;
      }
      for (const { event: registered, hint } of registrations) {
        if (registered.resource === event.resource && (registered.action & event.action) !== 0) {
          found.push({ plugin, hint });
        }
      }
    }
    this.#memo.set(key, found);
    return found;
  }
}
