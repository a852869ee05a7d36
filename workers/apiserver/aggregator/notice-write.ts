import type { ResourceInfo } from "../../apis/resource-info.ts";
import { definitions } from "../extensions/definition.ts";
import type { AppContext } from "../request/context.ts";
import { checkServedBy, checkUnchecked } from "./aggregator.ts";
import { aggregatorContext } from "./aggregator-context.ts";
import { apiServices } from "./api-service.ts";
import { syncCustomApiServices } from "./local-api-services.ts";
import { apiServicesChanged } from "./snapshot.ts";

const writes = new Set(["create", "update", "patch", "delete", "deletecollection"]);

/**
 * What a write means for the aggregator; to be called after it, cheap for all types but three. Custom versions have their
 * APIService when the definition's writer gets its answer; what asks other servers happens in the background.
 */
export async function noticeWrite(c: AppContext, { group, resource }: ResourceInfo): Promise<void> {
  const { verb, cluster, namespace, name, subresource } = c.get("info");
  if (!writes.has(verb)) return;
  if (group === "" && resource === "services" && subresource === "") {
    checkServedBy(aggregatorContext(c), namespace, name);
  } else if (group === apiServices.group && resource === apiServices.resource) {
    apiServicesChanged(cluster);
    const context = aggregatorContext(c);
    if (verb === "delete" || verb === "deletecollection") context.background(() => syncCustomApiServices(context));
    else checkUnchecked(context);
  } else if (group === definitions.group && resource === definitions.resource) {
    try {
      await syncCustomApiServices(aggregatorContext(c));
    } catch (error) {
      // The definition is written; the next write of one makes up for it.
      console.error(`aggregator: ${String((error as Error).stack ?? error)}`);
    }
  }
}
