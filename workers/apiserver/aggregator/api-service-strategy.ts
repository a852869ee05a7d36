import { formatTime } from "../../apimachinery/clock.ts";
import { deepEqual } from "../../apimachinery/deep-equal.ts";
import { strategyFor } from "../../registry/strategies/strategies.ts";
import type { RequestScope, Strategy } from "../../registry/strategy.ts";
import { setCondition } from "../extensions/definition.ts";
import type { ApiService } from "./api-service.ts";
import { apiServices, isRemote, localCondition } from "./api-service.ts";

/**
 * APIServices. One without a service is available in the write itself; the server behind another is looked at afterwards.
 * Counterpart of kube-aggregator pkg/registry/apiservice/strategy.go and pkg/controllers/status/local (1.36).
 */
export const apiServiceStrategy: Strategy = {
  ...strategyFor(apiServices.group, apiServices.resource),

  prepareForCreate(object, scope) {
    object.status = {};
    settle(object as ApiService, scope);
  },

  prepareForUpdate(object, previous, scope) {
    if (!deepEqual(object.spec, previous.spec)) settle(object as ApiService, scope);
  },
};

function settle(apiService: ApiService, scope: RequestScope): void {
  if (isRemote(apiService)) return;
  apiService.status = structuredClone(apiService.status ?? {});
  setCondition(apiService, localCondition, formatTime(scope.clock.now()));
}
