import type { ResourceInfo } from "../../apis/resource-info.ts";
import { customStrategy } from "../../registry/strategies/custom.ts";
import { strategyFor } from "../../registry/strategies/strategies.ts";
import type { Strategy } from "../../registry/strategy.ts";
import { definitions } from "./definition.ts";
import { definitionStrategy } from "./definition-strategy.ts";

/** The strategy of any resource, built in or custom. */
export function strategyOf(resource: ResourceInfo): Strategy {
  if (resource.custom !== undefined) return customStrategy;
  if (resource.resource === definitions.resource && resource.group === definitions.group) return definitionStrategy;
  return strategyFor(resource.group, resource.resource);
}
