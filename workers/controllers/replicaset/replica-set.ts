import { labelSelectorAsSelector } from "../../apimachinery/labels.ts";
import type { Controller, ControllerContext } from "../../informers/controller-context.ts";
import { replicaSetsResource } from "../gvrs.ts";
import { ReplicaSetController } from "./replica-set-controller.ts";

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
