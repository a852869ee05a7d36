import type { CycleState } from "../framework/cycle-state.ts";
import type { Plugin, PreFilterOutcome } from "../framework/interface.ts";
import type { PodInfo } from "../framework/pod-info.ts";
import type { MaybeStatus } from "../framework/status.ts";
import { skip, unschedulable } from "../framework/status.ts";
import { names } from "./names.ts";

/**
 * No devices are offered here, so a pod that claims some fits nowhere. For all other pods it only takes part in the
 * failure message, as upstream's does. Mirrors the answers of plugins/dynamicresources/dynamicresources.go (1.36).
 */
export class DynamicResources implements Plugin {
  readonly name = names.dynamicResources;
  readonly #skip: PreFilterOutcome = { status: skip(names.dynamicResources) };
  readonly #cannotAllocate = unschedulable(names.dynamicResources, "cannot allocate all claims");
  readonly #nothingToDeallocate = unschedulable(names.dynamicResources, "no new claims to deallocate");

  eventsToRegister(): [] {
    return [];
  }

  preFilter(_state: CycleState, pod: PodInfo): PreFilterOutcome | undefined {
    return pod.pod.spec?.resourceClaims?.length ? undefined : this.#skip;
  }

  filter(): MaybeStatus {
    return this.#cannotAllocate;
  }

  postFilter(): { status: MaybeStatus } {
    return { status: this.#nothingToDeallocate };
  }
}
