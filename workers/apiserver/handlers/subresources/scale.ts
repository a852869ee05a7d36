import type { KubeObject } from "../../../apimachinery/meta.ts";
import { labelSelectorAsSelector } from "../../../apimachinery/labels.ts";
import { newConflict, newInternalError, newInvalid, newMethodNotAllowed } from "../../../apimachinery/status-errors.ts";
import { invalid } from "../../../apimachinery/field-error.ts";
import type { ScalePaths } from "../../../apis/custom-kind.ts";
import { decodePatched } from "../../../apis/codec/decode-patched.ts";
import type { ResourceInfo } from "../../../apis/resource-info.ts";
import { admit } from "../../../admission/chain.ts";
import { modifiedMessage } from "../../../registry/storage-errors.ts";
import { applyPatchType, readApplyBody, validateApplyOptions } from "../../../registry/field-manager/apply-body.ts";
import { scaleFieldManager } from "../../../registry/field-manager/resource-field-manager.ts";
import { negotiate } from "../../negotiation/negotiate.ts";
import { writeObject } from "../../negotiation/write-object.ts";
import type { AppContext } from "../../request/context.ts";
import { bareMediaType } from "../../../apis/codec/media-types.ts";
import { readBody } from "../../request/body.ts";
import { parseWriteOptions } from "../../request/options.ts";
import { decodeBody } from "../decode-body.ts";
import { readPatch } from "../patch.ts";
import { managerOf } from "../field-tracking.ts";
import { checkName } from "../update.ts";
import { queryOf, requestScope, storeFor } from "../scope.ts";
import { withParentFields, withScaleFields } from "./scale-fields.ts";

const scaleKind = { group: "autoscaling", version: "v1", kind: "Scale" };

/** GET, PUT and PATCH of `scale`: the replica count as autoscaling/v1 Scale. Mirrors pkg/registry/apps/deployment/storage ScaleREST (1.36). */
export async function scaleHandler(c: AppContext, resource: ResourceInfo): Promise<Response> {
  const form = negotiate(c.req.header("Accept"), "plain");
  const { name, verb } = c.get("info");
  if (verb === "get") {
    const { object } = await storeFor(requestScope(c, resource)).get(name);
    return writeObject(scaleOf(object, resource), form);
  }
  const options = parseWriteOptions(queryOf(c), verb === "update" ? "UpdateOptions" : "PatchOptions");
  const scope = requestScope(c, resource, options.dryRun);
  const fieldManager = scaleFieldManager(c.env.clock);
  const tracked = (make: (scale: KubeObject) => KubeObject) => (scale: KubeObject) =>
    fieldManager.update(scale, make(scale), managerOf(c, options));
  let change: (scale: KubeObject) => KubeObject;
  if (verb === "update") {
    const given = await decodeBody(c, scaleKind, options.fieldValidation);
    checkName(given, name, scope.namespace);
    change = tracked(() => structuredClone(given));
  } else if (verb === "patch") {
    const isApply = bareMediaType(c.req.header("Content-Type") ?? "") === applyPatchType;
    validateApplyOptions(isApply, options.fieldManager, queryOf(c).get("force"));
    if (isApply) {
      const { applied, warnings } = readApplyBody(
        new TextDecoder().decode(await readBody(c.req.raw)),
        options.fieldValidation,
      );
      c.get("warnings").push(...warnings);
      change = (scale) => fieldManager.apply(scale, applied, options.fieldManager, options.force);
    } else {
      const patch = await readPatch(c, scaleKind);
      change = tracked(
        (scale) => decodePatched(patch.apply(scale), scaleKind, patch.patch, options.fieldValidation, patch).object,
      );
    }
  } else throw newMethodNotAllowed();
  const entry = await storeFor(scope).update({
    name,
    subresource: "",
    update: (current) => {
      const scale = change(withScaleFields(scaleOf(current, resource), current, resource));
      const replicas = scale.spec?.replicas ?? 0;
      if (replicas < 0) {
        throw newInvalid(scaleKind, name, [invalid("spec.replicas", replicas, "must be greater than or equal to 0")]);
      }
      const version = scale.metadata?.resourceVersion;
      if (version && version !== current.metadata.resourceVersion) {
        throw newConflict({ group: resource.group, resource: resource.resource }, name, modifiedMessage);
      }
      const scaled =
        resource.custom?.scale === undefined
          ? { ...current, spec: { ...current.spec, replicas } }
          : withValue(current, resource.custom.scale.specReplicas, replicas);
      return withParentFields(scaled, scale, resource);
    },
    admit: (updated, previous) =>
      admit({ operation: "UPDATE", object: updated, previous, subresource: "scale", scope }),
  });
  return writeObject(scaleOf(entry.object, resource), form);
}

function scaleOf(object: KubeObject, resource: ResourceInfo): KubeObject {
  if (resource.custom?.scale !== undefined) return customScaleOf(object, resource.custom.scale);
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const selector = object.spec?.selector;
  const text = selector === undefined ? "" : selectorText(selector);
  return {
    kind: "Scale",
    apiVersion: "autoscaling/v1",
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    spec: { ...(object.spec?.replicas ? { replicas: object.spec.replicas } : {}) },
    status: { replicas: object.status?.replicas ?? 0, ...(text === "" ? {} : { selector: text }) },
  };
}

/** Mirrors pkg/registry/customresource/etcd.go ScaleREST of k8s.io/apiextensions-apiserver (1.36): paths instead of fields, the selector as text. */
function customScaleOf(object: KubeObject, paths: ScalePaths): KubeObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const specReplicas = valueAt(object, paths.specReplicas);
  if (specReplicas === undefined) {
    throw newInternalError(`the spec replicas field ".${paths.specReplicas.join(".")}" does not exist`);
  }
  const selector = paths.labelSelector === undefined ? undefined : valueAt(object, paths.labelSelector);
  return {
    kind: "Scale",
    apiVersion: "autoscaling/v1",
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    spec: specReplicas === 0 ? {} : { replicas: specReplicas },
    status: {
      replicas: valueAt(object, paths.statusReplicas) ?? 0,
      ...(typeof selector === "string" && selector !== "" ? { selector } : {}),
    },
  };
}

function valueAt(object: unknown, path: readonly string[]): any {
  let value = object as Record<string, unknown> | undefined;
  for (const name of path)
    value = typeof value === "object" && value !== null ? (value[name] as Record<string, unknown>) : undefined;
  return value;
}

/** A copy with another value at a path; objects on the way are made. */
function withValue(object: KubeObject, path: readonly string[], value: unknown): KubeObject {
  const copy = structuredClone(object);
  let target: Record<string, unknown> = copy;
  for (const name of path.slice(0, -1)) target = (target[name] ??= {}) as Record<string, unknown>;
  target[path.at(-1)!] = value;
  return copy;
}

/** A ReplicationController selects by plain labels, the others by a LabelSelector. */
function selectorText(selector: Record<string, unknown>): string {
  const plain = Object.values(selector).every((value) => typeof value === "string");
  return labelSelectorAsSelector(plain ? { matchLabels: selector as Record<string, string> } : selector).toString();
}
