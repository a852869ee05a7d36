import type { Filter } from "../request/context.ts";
import type { RequestInfo } from "../request/request-info.ts";
import type { UserInfo } from "../authentication/user-info.ts";
import { newForbidden } from "../../apimachinery/status-errors.ts";
import { componentAuthorizer } from "../authorization/authorizer.ts";

/** Asks the authorizer, answers 403 in upstream's words. Mirrors WithAuthorization and responsewriters.Forbidden. */
export const authorization: Filter = async (c, next) => {
  const user = c.get("user");
  const info = c.get("info");
  const decision = componentAuthorizer.authorize(user, info);
  if (!decision.allowed) throw forbidden(user, info, decision.reason);
  return next();
};

function forbidden(user: UserInfo, info: RequestInfo, reason: string) {
  const suffix = reason === "" ? "" : `: ${reason}`;
  if (!info.isResourceRequest) {
    return newForbidden(
      { group: "", resource: "" },
      "",
      `User "${user.username}" cannot ${info.verb} path "${info.path}"${suffix}`,
    );
  }
  const resource = info.subresource === "" ? info.resource : `${info.resource}/${info.subresource}`;
  const scope = info.namespace === "" ? "at the cluster scope" : `in the namespace "${info.namespace}"`;
  return newForbidden(
    { group: info.apiGroup, resource: info.resource },
    info.name,
    `User "${user.username}" cannot ${info.verb} resource "${resource}" in API group "${info.apiGroup}" ${scope}${suffix}`,
  );
}
