import type { ResourceInfo } from "../../../apis/resource-info.ts";
import { negotiate } from "../../negotiation/negotiate.ts";
import type { AppContext } from "../../request/context.ts";
import { parseWriteOptions } from "../../request/options.ts";
import { decodeBody, kindOf } from "../decode-body.ts";
import { writeEntry } from "../get.ts";
import { checkName } from "../update.ts";
import { queryOf, requestScope, storeFor } from "../scope.ts";

/** PUT of `namespaces/<name>/finalize`: only spec.finalizers change. Mirrors pkg/registry/core/namespace FinalizeREST (1.36). */
export async function finalizeHandler(c: AppContext, resource: ResourceInfo): Promise<Response> {
  const form = negotiate(c.req.header("Accept"), "object");
  const options = parseWriteOptions(queryOf(c), "UpdateOptions");
  const scope = requestScope(c, resource, options.dryRun);
  const given = await decodeBody(c, kindOf(resource), options.fieldValidation);
  checkName(given, c.get("info").name, undefined);
  const finalizers: string[] = given.spec?.finalizers ?? [];
  const { name } = c.get("info");
  const entry = await storeFor(scope).update({
    name,
    subresource: "finalize",
    update: (current) => {
      const { finalizers: _finalizers, ...spec } = current.spec ?? {};
      return {
        ...current,
        metadata: {
          ...current.metadata,
          ...(given.metadata.resourceVersion ? { resourceVersion: given.metadata.resourceVersion } : {}),
        },
        spec: finalizers.length > 0 ? { ...spec, finalizers } : spec,
      };
    },
  });
  return writeEntry(c, resource, entry, form);
}
