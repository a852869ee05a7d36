import { catalog } from "../../apis/catalog.ts";
import type { AppContext } from "../request/context.ts";
import { aggregatorContext } from "./aggregator-context.ts";
import type { AggregatorContext } from "./aggregator-context.ts";
import type { RemoteApiService } from "./api-service.ts";
import { availability } from "./api-service.ts";
import { reasonOf } from "./check-availability.ts";
import { proxyError, proxyRequest } from "./proxy-request.ts";
import { checkNow, checkUntilAvailable, isDue, stateOf } from "./remote-state.ts";
import { findRemoteApiService, knownRemoteApiServices, remoteApiServices } from "./snapshot.ts";

/**
 * The first in the order of delegation: answers what an aggregated server is registered for; undefined leaves the request to
 * the built-in groups, then to the extensions. Versions that are built in cannot be taken over, and cost nothing here.
 * Mirrors kube-aggregator pkg/apiserver/apiserver.go and handler_proxy.go (1.36).
 */
export async function aggregatedResponse(c: AppContext): Promise<Response | undefined> {
  const [root, first, group, version] = c.get("info").path.split("/");
  if (root !== "" || first !== "apis" || !group || !version) return undefined;
  if (catalog.resources(group, version).length > 0) return undefined;
  const context = aggregatorContext(c);
  const apiService = await findRemoteApiService(context, group, version);
  return apiService === undefined ? undefined : remoteResponse(c, context, apiService);
}

/** The answer of the server behind an APIService to the request at hand. */
export async function remoteResponse(
  c: AppContext,
  context: AggregatorContext,
  apiService: RemoteApiService,
): Promise<Response> {
  const base = await availableBase(context, apiService);
  if (base === undefined) return proxyError("service unavailable", 503);
  try {
    return await proxyRequest(c, base);
  } catch (error) {
    if (c.req.raw.signal?.aborted) throw error;
    context.background(async () => {
      await checkNow(context, apiService);
    });
    return proxyError(`error trying to reach service: ${reasonOf(error)}`, 503);
  }
}

/**
 * Where an available server is reached. One that is available is looked at again in the background, one that is not before
 * the answer, and each only when it is due.
 */
async function availableBase(context: AggregatorContext, apiService: RemoteApiService): Promise<string | undefined> {
  let state = stateOf(context.storage.cluster, apiService);
  const available = availability(apiService)?.status === "True";
  if (isDue(state, context.clock.now())) {
    if (available && state.base !== undefined) {
      context.background(async () => {
        await checkNow(context, apiService);
      });
    } else {
      state = await checkNow(context, apiService);
    }
  }
  // The check of this isolate is newer than what the snapshot says.
  return (state.condition?.status ?? availability(apiService)?.status) === "True" ? state.base : undefined;
}

/** After a write of an APIService: servers that nobody has looked at yet are looked at until they answer. */
export function checkUnchecked(context: AggregatorContext): void {
  context.background(async () => {
    const remotes = await remoteApiServices(context);
    const unchecked = remotes.filter((apiService) => stateOf(context.storage.cluster, apiService).checkedAt < 0);
    await Promise.all(unchecked.map((apiService) => checkUntilAvailable(context, apiService)));
  });
}

/**
 * After a write of a service, or of any in the namespace when `name` is empty: the APIServices that it answers for may have
 * become available, or not be so any more.
 */
export function checkServedBy(context: AggregatorContext, namespace: string, name: string): void {
  for (const apiService of knownRemoteApiServices(context.storage.cluster)) {
    const { service } = apiService.spec;
    if (service.namespace !== namespace || (name !== "" && service.name !== name)) continue;
    context.background(() => checkUntilAvailable(context, apiService));
  }
}

/** The safety net: all that are due. One call when the cluster has no aggregated server. */
export async function checkAll(context: AggregatorContext): Promise<void> {
  const remotes = await remoteApiServices(context);
  await Promise.all(
    remotes
      .filter((apiService) => isDue(stateOf(context.storage.cluster, apiService), context.clock.now()))
      .map((apiService) => checkNow(context, apiService)),
  );
}
