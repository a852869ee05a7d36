import { controllerManagerUser } from "../../workers/apiserver/authentication/user-info.ts";
import type { LoopbackFactory } from "../../workers/apiserver/loopback.ts";
import { GarbageCollector } from "../../workers/controllers/garbagecollector/garbage-collector.ts";
import { newControllers } from "../../workers/controllers/controllers.ts";
import type { ControllerContext } from "../../workers/informers/controller-context.ts";
import { poolNames } from "../../workers/kubelet/pool-names.ts";
import type { ControllerManagerProtocol } from "../../workers/env.ts";
import { LoopHost } from "../loop-host/loop-host.ts";

/** Node pools stay awake this long after the last word of the controller manager; it speaks every few seconds. */
const keepPoolsMilliseconds = 30_000;

/**
 * Hosts the controllers of one cluster; named after it. While it is awake it watches nodes, so it keeps the node pools awake
 * and heartbeating: no node is judged stale because its kubelet was allowed to sleep.
 */
export abstract class ControllerManagerHost extends LoopHost implements ControllerManagerProtocol {
  protected readonly binding = "CONTROLLER_MANAGER";
  protected readonly user = controllerManagerUser;
  protected abstract override readonly loopback: LoopbackFactory;

  protected createControllers(context: ControllerContext) {
    return newControllers(context, {
      resources: () => this.#directory(this.cluster).resources(),
      rootCA: this.env.EDGEPLANE_ROOT_CA ?? "",
    });
  }

  protected override async onStart(): Promise<void> {
    await Promise.all([
      this.#directory("clusters").setActive(this.cluster, true),
      this.env.SCHEDULER.get(this.env.SCHEDULER.idFromName(this.cluster)).wake(),
      this.whileAwake(),
    ]);
  }

  protected override async onSleep(): Promise<void> {
    await this.#directory("clusters").setActive(this.cluster, false);
  }

  /** A type has its first object: the garbage collector watches it from now on. */
  async resourcesChanged(): Promise<void> {
    for (const controller of this.controllers) if (controller instanceof GarbageCollector) await controller.refresh();
  }

  #directory(name: string) {
    return this.env.CLUSTER_DIRECTORY.get(this.env.CLUSTER_DIRECTORY.idFromName(name));
  }

  protected override async whileAwake(): Promise<void> {
    await Promise.all(
      poolNames(this.cluster, this.env).map((name) =>
        this.env.NODE_POOL.get(this.env.NODE_POOL.idFromName(name)).wake(keepPoolsMilliseconds),
      ),
    );
  }
}
