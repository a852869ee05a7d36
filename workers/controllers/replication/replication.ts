import { labelSelectorAsSelector } from "../../apimachinery/labels.ts";
import type { Controller, ControllerContext } from "../../informers/controller-context.ts";
import { replicationControllersResource } from "../gvrs.ts";
import { ReplicaSetController } from "../replicaset/replica-set-controller.ts";

/** ReplicationController: the engine of ReplicaSet with a plain map as selector (pkg/controller/replication, 1.36). */
export function newReplicationController(context: ControllerContext): ReplicaSetController & Controller {
  return new ReplicaSetController(context, {
    name: "replication-controller",
    gvr: replicationControllersResource,
    apiVersion: "v1",
    kind: "ReplicationController",
    selectorOf: ({ spec }) => labelSelectorAsSelector(spec?.selector ? { matchLabels: spec.selector } : undefined),
    reportsTerminating: false,
  });
}
