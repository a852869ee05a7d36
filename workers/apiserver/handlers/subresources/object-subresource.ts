import type { KubeObject } from "../../../apimachinery/meta.ts";
import { newInvalid, newMethodNotAllowed } from "../../../apimachinery/status-errors.ts";
import type { InvalidCause } from "../../../apimachinery/status-errors.ts";
import { decodePatched } from "../../../apis/codec/decode-patched.ts";
import type { ResourceInfo } from "../../../apis/resource-info.ts";
import { admit } from "../../../admission/chain.ts";
import { toServedVersion } from "../../../registry/conversion.ts";
import { deepEqual } from "../../../registry/deep-equal.ts";
import type { RequestScope } from "../../../registry/strategy.ts";
import { negotiate } from "../../negotiation/negotiate.ts";
import type { AppContext } from "../../request/context.ts";
import { parseWriteOptions } from "../../request/options.ts";
import { decodeBody, kindOf, toStored } from "../decode-body.ts";
import { getHandler, writeEntry } from "../get.ts";
import { readPatch } from "../patch.ts";
import { checkName } from "../update.ts";
import { queryOf, requestScope, storeFor } from "../scope.ts";

/** A subresource whose body is the whole object, but of which only a part may change. */
export interface ObjectSubresource {
  /** The object as it shall be: `current` with what the subresource may change taken from `given`. */
  merge(given: KubeObject, current: KubeObject, scope: RequestScope): KubeObject;
  validate(object: KubeObject, previous: KubeObject, scope: RequestScope): InvalidCause[];
}

/** GET, PUT and PATCH of such a subresource. */
export function objectSubresource(rules: ObjectSubresource): (c: AppContext, resource: ResourceInfo) => Promise<Response> {
  return async (c, resource) => {
    const { name, subresource, verb } = c.var.info;
    if (verb === "get") return getHandler(c, resource);
    const form = negotiate(c.req.header("Accept"), "object");
    const options = parseWriteOptions(queryOf(c), verb === "update" ? "UpdateOptions" : "PatchOptions");
    const scope = requestScope(c, resource, options.dryRun);
    let change: (current: KubeObject) => KubeObject;
    let uid: string | undefined;
    if (verb === "update") {
      const decoded = await decodeBody(c, kindOf(resource), options.fieldValidation);
      checkName(decoded, name, scope.namespace);
      uid = decoded.metadata.uid;
      const given = toStored(resource, decoded);
      change = () => structuredClone(given);
    } else if (verb === "patch") {
      const patch = await readPatch(c, kindOf(resource));
      change = (current) => {
        const served = toServedVersion(resource, current);
        const decoded = decodePatched(patch.apply(served), kindOf(resource), patch.patch, options.fieldValidation, patch);
        for (const warning of decoded.warnings) if (!c.var.warnings.includes(warning)) c.var.warnings.push(warning);
        decoded.object.metadata ??= {};
        checkName(decoded.object, name, undefined);
        return toStored(resource, decoded.object);
      };
    } else throw newMethodNotAllowed();
    const entry = await storeFor(scope).update({
      name,
      subresource,
      ...(uid ? { preconditions: { uid } } : {}),
      update: (current) => {
        const previous = structuredClone(current);
        const given = change(current);
        const object = rules.merge(given, structuredClone(previous), scope);
        object.metadata = { ...previous.metadata };
        // What is checked for staleness is the version that the client saw.
        if (given.metadata.resourceVersion === undefined) delete object.metadata.resourceVersion;
        else object.metadata.resourceVersion = given.metadata.resourceVersion;
        if (deepEqual(object.spec, previous.spec) && deepEqual(object.status, previous.status)) return object;
        const causes = rules.validate(object, previous, scope);
        if (causes.length > 0) throw newInvalid(resource, name, causes);
        return object;
      },
      admit: (object, previous) => admit({ operation: "UPDATE", object, previous, subresource, scope }),
    });
    return writeEntry(c, resource, entry, form);
  };
}
