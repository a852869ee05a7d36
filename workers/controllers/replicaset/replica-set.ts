import { labelSelectorAsSelector } from "../../apimachinery/labels.ts";
import type { GroupVersionResource } from "../../apimachinery/gvk.ts";
import type { Controller, ControllerContext } from "../../informers/controller-context.ts";
import { podsResource, replicaSetsResource } from "../gvrs.ts";
import { ReplicaSetController } from "./replica-set-controller.ts";

/** Informers that the host starts for this controller. */
export const replicaSetControllerResources: readonly GroupVersionResource[] = [replicaSetsResource, podsResource];

export function newReplicaSetController(context: ControllerContext): ReplicaSetController & Controller {
  return new ReplicaSetController(context, {
    name: "replicaset-controller",
    gvr: replicaSetsResource,
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    selectorOf: (replicaSet) => labelSelectorAsSelector(replicaSet.spec?.selector),
    reportsTerminating: true,
  });
}
