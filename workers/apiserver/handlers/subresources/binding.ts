import { formatTime } from "../../../apimachinery/clock.ts";
import { notSupported, required } from "../../../apimachinery/field-error.ts";
import type { KubeObject } from "../../../apimachinery/meta.ts";
import { newConflict, newInvalid } from "../../../apimachinery/status-errors.ts";
import type { ResourceInfo } from "../../../apis/resource-info.ts";
import { admit } from "../../../admission/chain.ts";
import { negotiate } from "../../negotiation/negotiate.ts";
import { writeObject } from "../../negotiation/write-object.ts";
import type { AppContext } from "../../request/context.ts";
import { parseWriteOptions } from "../../request/options.ts";
import { successStatus } from "../../responses.ts";
import { decodeBody } from "../decode-body.ts";
import { checkName } from "../update.ts";
import { queryOf, requestScope, storeFor } from "../scope.ts";

/**
 * POST of a Binding, as `pods/<name>/binding` or as `bindings`: assigns the pod to a node, once.
 * Mirrors pkg/registry/core/pod/storage BindingREST (1.36).
 */
export async function bindingHandler(c: AppContext, podResource: ResourceInfo): Promise<Response> {
  const form = negotiate(c.req.header("Accept"), "plain");
  const options = parseWriteOptions(queryOf(c), "CreateOptions");
  const scope = requestScope(c, podResource, options.dryRun);
  const binding = await decodeBody(c, { group: "", version: "v1", kind: "Binding" }, options.fieldValidation);
  const name = c.get("info").subresource === "binding" ? c.get("info").name : (binding.metadata.name ?? "");
  binding.metadata.name ??= name;
  if (name === "")
    throw newInvalid({ group: "", kind: "Binding" }, "", [
      required("metadata.name", "name or generateName is required"),
    ]);
  checkName(binding, name, scope.namespace);
  const target = binding.target ?? {};
  if (target.kind && target.kind !== "Node") {
    throw newInvalid({ group: "", kind: "Binding" }, name, [
      notSupported("target.kind", target.kind, ["Node", "<empty>"]),
    ]);
  }
  if (!target.name) throw newInvalid({ group: "", kind: "Binding" }, name, [required("target.name")]);
  await storeFor(scope).update({
    name,
    subresource: "binding",
    preconditions: {
      ...(binding.metadata.uid ? { uid: binding.metadata.uid } : {}),
      ...(binding.metadata.resourceVersion ? { resourceVersion: binding.metadata.resourceVersion } : {}),
    },
    update: (pod) => bind(pod, binding, target.name, c.env.clock.now()),
    admit: (object, previous) => admit({ operation: "UPDATE", object, previous, subresource: "binding", scope }),
  });
  const { code, ...status } = successStatus(201);
  return writeObject({ ...status, code }, form, 201);
}

function bind(pod: KubeObject, binding: KubeObject, node: string, now: number): KubeObject {
  const name = pod.metadata.name ?? "";
  if (pod.metadata.deletionTimestamp !== undefined) {
    throw newConflict(
      { group: "", resource: "pods/binding" },
      name,
      `pod ${name} is being deleted, cannot be assigned to a host`,
    );
  }
  if (pod.spec.nodeName) {
    throw newConflict(
      { group: "", resource: "pods/binding" },
      name,
      `pod ${name} is already assigned to node "${pod.spec.nodeName}"`,
    );
  }
  if ((pod.spec.schedulingGates ?? []).length > 0) {
    throw newConflict({ group: "", resource: "pods/binding" }, name, `pod ${name} has non-empty .spec.schedulingGates`);
  }
  const conditions = ((pod.status?.conditions ?? []) as { type: string; status: string }[]).filter(
    ({ type }) => type !== "PodScheduled",
  );
  return {
    ...pod,
    metadata: {
      ...pod.metadata,
      ...(binding.metadata.annotations === undefined
        ? {}
        : { annotations: { ...pod.metadata.annotations, ...binding.metadata.annotations } }),
    },
    spec: { ...pod.spec, nodeName: node },
    status: {
      ...pod.status,
      conditions: [
        ...conditions,
        {
          type: "PodScheduled",
          ...(pod.metadata.generation === undefined ? {} : { observedGeneration: pod.metadata.generation }),
          status: "True",
          lastProbeTime: null,
          lastTransitionTime: formatTime(now),
        },
      ],
    },
  };
}
