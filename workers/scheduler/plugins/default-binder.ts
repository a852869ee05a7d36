import type { CycleState } from "../framework/cycle-state.ts";
import type { Handle, Plugin } from "../framework/interface.ts";
import type { PodInfo } from "../framework/pod-info.ts";
import type { MaybeStatus } from "../framework/status.ts";
import { asStatus } from "../framework/status.ts";
import { names } from "./names.ts";

/** Creates the Binding, together with those of other pods. Mirrors plugins/defaultbinder/default_binder.go (1.36). */
export class DefaultBinder implements Plugin {
  readonly name = names.defaultBinder;
  readonly #handle: Pick<Handle, "dispatcher">;

  constructor(handle: Pick<Handle, "dispatcher">) {
    this.#handle = handle;
  }

  eventsToRegister(): [] {
    return [];
  }

  async bind(_state: CycleState, pod: PodInfo, nodeName: string): Promise<MaybeStatus> {
    const { code, body } = await this.#handle.dispatcher.bind(pod.namespace, pod.name, pod.pod.metadata.uid, nodeName);
    if (code < 300) return undefined;
    return asStatus(new Error(body.message ?? `the server answered the binding with code ${code}`), this.name);
  }
}
