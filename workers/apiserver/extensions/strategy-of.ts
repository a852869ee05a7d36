import type { ResourceInfo } from "../../apis/resource-info.ts";
import { customStrategy } from "../../registry/strategies/custom.ts";
import { strategyFor } from "../../registry/strategies/strategies.ts";
import type { Strategy } from "../../registry/strategy.ts";
import { apiServices } from "../aggregator/api-service.ts";
import { apiServiceStrategy } from "../aggregator/api-service-strategy.ts";
import { definitions } from "./definition.ts";
import { definitionStrategy } from "./definition-strategy.ts";

/** The strategy of any resource, built in or custom. */
export function strategyOf(resource: ResourceInfo): Strategy {
  if (resource.custom !== undefined) return customStrategy;
  if (resource.resource === definitions.resource && resource.group === definitions.group) return definitionStrategy;
  if (resource.resource === apiServices.resource && resource.group === apiServices.group) return apiServiceStrategy;
  return strategyFor(resource.group, resource.resource);
}
