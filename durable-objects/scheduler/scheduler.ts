import { schedulerUser } from "../../workers/apiserver/authentication/user-info.ts";
import type { LoopbackFactory } from "../../workers/apiserver/loopback.ts";
import type { ControllerContext } from "../../workers/informers/controller-context.ts";
import { newScheduler } from "../../workers/scheduler/scheduler.ts";
import { LoopHost } from "../loop-host/loop-host.ts";

/** Hosts the scheduling loop of one cluster; named after it. */
export abstract class SchedulerHost extends LoopHost {
  protected readonly binding = "SCHEDULER";
  protected readonly user = schedulerUser;
  protected abstract override readonly loopback: LoopbackFactory;

  protected createControllers(context: ControllerContext) {
    return [newScheduler(context)];
  }
}
