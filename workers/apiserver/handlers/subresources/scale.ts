import type { KubeObject } from "../../../apimachinery/meta.ts";
import { labelSelectorAsSelector } from "../../../apimachinery/labels.ts";
import { newConflict, newInvalid, newMethodNotAllowed } from "../../../apimachinery/status-errors.ts";
import { invalid } from "../../../apimachinery/field-error.ts";
import { decodePatched } from "../../../apis/codec/decode-patched.ts";
import type { ResourceInfo } from "../../../apis/resource-info.ts";
import { admit } from "../../../admission/chain.ts";
import { modifiedMessage } from "../../../registry/storage-errors.ts";
import { negotiate } from "../../negotiation/negotiate.ts";
import { writeObject } from "../../negotiation/write-object.ts";
import type { AppContext } from "../../request/context.ts";
import { parseWriteOptions } from "../../request/options.ts";
import { decodeBody } from "../decode-body.ts";
import { readPatch } from "../patch.ts";
import { checkName } from "../update.ts";
import { queryOf, requestScope, storeFor } from "../scope.ts";

const scaleKind = { group: "autoscaling", version: "v1", kind: "Scale" };

/** GET, PUT and PATCH of `scale`: the replica count as autoscaling/v1 Scale. Mirrors pkg/registry/apps/deployment/storage ScaleREST (1.36). */
export async function scaleHandler(c: AppContext, resource: ResourceInfo): Promise<Response> {
  const form = negotiate(c.req.header("Accept"), "plain");
  const { name, verb } = c.var.info;
  if (verb === "get") {
    const { object } = await storeFor(requestScope(c, resource)).get(name);
    return writeObject(scaleOf(object), form);
  }
  const options = parseWriteOptions(queryOf(c), verb === "update" ? "UpdateOptions" : "PatchOptions");
  const scope = requestScope(c, resource, options.dryRun);
  let change: (scale: KubeObject) => KubeObject;
  if (verb === "update") {
    const given = await decodeBody(c, scaleKind, options.fieldValidation);
    checkName(given, name, scope.namespace);
    change = () => structuredClone(given);
  } else if (verb === "patch") {
    const patch = await readPatch(c, scaleKind);
    change = (scale) => decodePatched(patch.apply(scale), scaleKind, patch.patch, options.fieldValidation, patch).object;
  } else throw newMethodNotAllowed();
  const entry = await storeFor(scope).update({
    name,
    subresource: "",
    update: (current) => {
      const scale = change(scaleOf(current));
      const replicas = scale.spec?.replicas ?? 0;
      if (replicas < 0) {
        throw newInvalid(scaleKind, name, [invalid("spec.replicas", replicas, "must be greater than or equal to 0")]);
      }
      const version = scale.metadata?.resourceVersion;
      if (version && version !== current.metadata.resourceVersion) {
        throw newConflict({ group: resource.group, resource: resource.resource }, name, modifiedMessage);
      }
      return { ...current, spec: { ...current.spec, replicas } };
    },
    admit: (updated, previous) => admit({ operation: "UPDATE", object: updated, previous, subresource: "scale", scope }),
  });
  return writeObject(scaleOf(entry.object), form);
}

function scaleOf(object: KubeObject): KubeObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const selector = object.spec?.selector;
  const text = selector === undefined ? "" : selectorText(selector);
  return {
    kind: "Scale",
    apiVersion: "autoscaling/v1",
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp } as KubeObject["metadata"],
    spec: { ...(object.spec?.replicas ? { replicas: object.spec.replicas } : {}) },
    status: { replicas: object.status?.replicas ?? 0, ...(text === "" ? {} : { selector: text }) },
  };
}

/** A ReplicationController selects by plain labels, the others by a LabelSelector. */
function selectorText(selector: Record<string, unknown>): string {
  const plain = Object.values(selector).every((value) => typeof value === "string");
  return labelSelectorAsSelector(plain ? { matchLabels: selector as Record<string, string> } : selector).toString();
}
