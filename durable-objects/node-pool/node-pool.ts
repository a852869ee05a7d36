import { nodeUser } from "../../workers/apiserver/authentication/user-info.ts";
import type { LoopbackFactory } from "../../workers/apiserver/loopback.ts";
import type { Controller, ControllerContext } from "../../workers/informers/controller-context.ts";
import { newNodePool } from "../../workers/kubelet/node-pool.ts";
import type { NodePool } from "../../workers/kubelet/node-pool.ts";
import { nodesPerPool } from "../../workers/kubelet/pool-names.ts";
import { LoopHost } from "../loop-host/loop-host.ts";

/** Hosts up to {@link nodesPerPool} simulated kubelets; named `<cluster>/<index>`. */
export abstract class NodePoolHost extends LoopHost {
  protected readonly binding = "NODE_POOL";
  protected readonly user = nodeUser("node-pool");
  protected abstract override readonly loopback: LoopbackFactory;

  protected createControllers(context: ControllerContext) {
    const index = Number(this.name.split("/")[1]);
    const firstIndex = index * nodesPerPool;
    const count = Math.min(nodesPerPool, Number(this.env.EDGEPLANE_NODES) - firstIndex);
    return [newNodePool(context, { nodes: { count }, firstIndex })];
  }

  /** Heartbeats stop with the host; what pods have coming (a container's end, a back-off) does not. */
  protected override nextDue(controllers: readonly Controller[]): number | undefined {
    const due = (controllers as readonly NodePool[]).flatMap((pool) => {
      pool.pauseHeartbeats();
      return pool.nextDue() ?? [];
    });
    return due.length === 0 ? undefined : Math.min(...due);
  }
}
