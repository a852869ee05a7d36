import type { ResourceInfo } from "../../apis/resource-info.ts";
import type { RequestScope } from "../../registry/strategy.ts";
import { Store } from "../../registry/store.ts";
import { strategyOf } from "../extensions/strategy-of.ts";
import type { AppContext } from "../request/context.ts";

export function requestScope(c: AppContext, resource: ResourceInfo, dryRun = false): RequestScope {
  return {
    resource,
    namespace: resource.namespaced ? c.get("info").namespace || undefined : undefined,
    user: c.get("user"),
    clock: c.env.clock,
    random: c.env.random,
    storage: c.get("storage"),
    warnings: c.get("warnings"),
    dryRun,
  };
}

export function storeFor(scope: RequestScope): Store {
  return new Store(scope, strategyOf(scope.resource));
}

export function queryOf(c: AppContext): URLSearchParams {
  return new URL(c.req.url).searchParams;
}
