import type { KubeObject } from "../../../apimachinery/meta.ts";
import { quote } from "../../../apimachinery/quote.ts";
import { isConflict, newBadRequest, newTimeout, StatusError } from "../../../apimachinery/status-errors.ts";
import { catalog } from "../../../apis/catalog.ts";
import type { ResourceInfo } from "../../../apis/resource-info.ts";
import { admit } from "../../../admission/chain.ts";
import type { DeleteOptions } from "../../../registry/options.ts";
import type { RequestScope } from "../../../registry/strategy.ts";
import { listPrefix } from "../../../storage/keys.ts";
import { negotiate } from "../../negotiation/negotiate.ts";
import { writeObject } from "../../negotiation/write-object.ts";
import type { AppContext } from "../../request/context.ts";
import { parseWriteOptions, validateDeleteOptions } from "../../request/options.ts";
import { successStatus } from "../../responses.ts";
import { decodeBody } from "../decode-body.ts";
import { queryOf, requestScope, storeFor } from "../scope.ts";
import {
  budgetsOf,
  canEvictUnhealthy,
  canIgnoreBudgets,
  decrement,
  isTerminal,
  newStillProcessing,
} from "./disruption-budget.ts";

const budgets = { group: "policy", resource: "poddisruptionbudgets" };
/** As upstream's EvictionsRetry. */
const attempts = 20;

/**
 * POST of policy/v1 Eviction: the pod's deletion if its disruption budget has room. The budget is decremented by
 * compare-and-swap before the pod is deleted, so that concurrent evictions never take more than it allows.
 * Mirrors pkg/registry/core/pod/storage/eviction.go (1.36).
 */
export async function evictionHandler(c: AppContext, podResource: ResourceInfo): Promise<Response> {
  const form = negotiate(c.req.header("Accept"), "plain");
  const write = parseWriteOptions(queryOf(c), "CreateOptions");
  const eviction = await decodeBody(c, { group: "policy", version: "v1", kind: "Eviction" }, write.fieldValidation);
  const { name } = c.get("info");
  eviction.metadata.name ??= name;
  if (eviction.metadata.name !== name) {
    throw newBadRequest(
      `name in URL does not match name in Eviction object: ${quote(name)} != ${quote(eviction.metadata.name)}`,
    );
  }
  const options = (eviction.deleteOptions ?? {}) as DeleteOptions;
  validateDeleteOptions(options);
  const scope = requestScope(c, podResource, write.dryRun || (options.dryRun ?? []).length > 0);
  await admit({ operation: "CREATE", object: eviction, previous: undefined, subresource: "eviction", scope });
  await evict(c, scope, name, options);
  return writeObject(successStatus(201), form, 201);
}

async function evict(c: AppContext, scope: RequestScope, name: string, options: DeleteOptions): Promise<void> {
  const store = storeFor(scope);
  const pod = await deleteIgnoringBudgets(scope, name, options);
  if (pod === undefined) return;
  const matching = budgetsOf(pod, await budgetsIn(scope));
  if (matching.length > 1) throw newSeveralBudgets();
  const [budget] = matching;
  const isUnhealthy = budget !== undefined && canEvictUnhealthy(pod, budget);
  if (budget !== undefined && !isUnhealthy) await checkAndDecrement(c, scope, budget, name);
  try {
    await store.delete(name, isUnhealthy ? atVersionOf(pod, options) : options);
  } catch (error) {
    // It may have become healthy meanwhile: the client shall ask again.
    if (isUnhealthy && isConflict(error) && !hasVersion(options)) throw newStillProcessing(budget.metadata.name ?? "");
    throw error;
  }
}

/** Deletes a pod that no budget counts; the pod when budgets have to be asked. */
async function deleteIgnoringBudgets(
  scope: RequestScope,
  name: string,
  options: DeleteOptions,
): Promise<KubeObject | undefined> {
  const store = storeFor(scope);
  for (let attempt = 1; ; attempt++) {
    const pod = (await store.get(name)).object;
    if (!canIgnoreBudgets(pod)) return pod;
    try {
      await store.delete(name, isTerminal(pod) || hasVersion(options) ? options : atVersionOf(pod, options));
      return undefined;
    } catch (error) {
      if (!isConflict(error) || hasVersion(options) || attempt === attempts) throw error;
    }
  }
}

async function checkAndDecrement(
  c: AppContext,
  scope: RequestScope,
  budget: KubeObject,
  podName: string,
): Promise<void> {
  const resource = catalog.find("policy", "v1", "poddisruptionbudgets")!;
  const budgetName = budget.metadata.name ?? "";
  const store = storeFor(requestScope(c, resource, scope.dryRun));
  try {
    await store.update({
      name: budgetName,
      subresource: "status",
      update: (current) => decrement(current, podName, scope.clock.now()),
    });
  } catch (error) {
    if (isConflict(error))
      throw newTimeout(`couldn't update PodDisruptionBudget ${quote(budgetName)} due to conflicts`, 10);
    throw error;
  }
}

async function budgetsIn(scope: RequestScope): Promise<KubeObject[]> {
  const list = await scope.storage.for(budgets).list({ prefix: listPrefix(budgets, scope.namespace) });
  return JSON.parse(`[${await list.text()}]`) as KubeObject[];
}

function hasVersion(options: DeleteOptions): boolean {
  return options.preconditions?.resourceVersion !== undefined;
}

function atVersionOf(pod: KubeObject, options: DeleteOptions): DeleteOptions {
  return { ...options, preconditions: { ...options.preconditions, resourceVersion: pod.metadata.resourceVersion! } };
}

function newSeveralBudgets(): StatusError {
  return new StatusError({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.",
    code: 500,
  });
}
