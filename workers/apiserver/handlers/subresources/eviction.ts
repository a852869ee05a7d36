import type { KubeObject } from "../../../apimachinery/meta.ts";
import { quote } from "../../../apimachinery/quote.ts";
import { newBadRequest } from "../../../apimachinery/status-errors.ts";
import type { ResourceInfo } from "../../../apis/resource-info.ts";
import { admit } from "../../../admission/chain.ts";
import type { DeleteOptions } from "../../../registry/options.ts";
import { negotiate } from "../../negotiation/negotiate.ts";
import { writeObject } from "../../negotiation/write-object.ts";
import type { AppContext } from "../../request/context.ts";
import { parseWriteOptions, validateDeleteOptions } from "../../request/options.ts";
import { successStatus } from "../../responses.ts";
import { decodeBody } from "../decode-body.ts";
import { queryOf, requestScope, storeFor } from "../scope.ts";

/** POST of policy/v1 Eviction: the pod's deletion as `kubectl drain` asks for it. Disruption budgets are not consulted yet. */
export async function evictionHandler(c: AppContext, podResource: ResourceInfo): Promise<Response> {
  const form = negotiate(c.req.header("Accept"), "plain");
  const write = parseWriteOptions(queryOf(c), "CreateOptions");
  const eviction = await decodeBody(c, { group: "policy", version: "v1", kind: "Eviction" }, write.fieldValidation);
  const { name } = c.var.info;
  eviction.metadata.name ??= name;
  if (eviction.metadata.name !== name) {
    throw newBadRequest(`name in URL does not match name in Eviction object: ${quote(name)} != ${quote(eviction.metadata.name)}`);
  }
  const options = (eviction.deleteOptions ?? {}) as DeleteOptions;
  validateDeleteOptions(options);
  const scope = requestScope(c, podResource, write.dryRun || (options.dryRun ?? []).length > 0);
  await storeFor(scope).delete(name, options, (object) =>
    admit({ operation: "DELETE", object, previous: object, subresource: "eviction", scope }),
  );
  return writeObject(successStatus(201) as unknown as KubeObject, form, 201);
}
