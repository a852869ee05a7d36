import type { KubeObject } from "../apimachinery/meta.ts";
import type { RequestScope } from "../registry/strategy.ts";
import { defaultTolerationSeconds } from "./plugins/default-toleration-seconds.ts";
import { namespaceLifecycle } from "./plugins/namespace-lifecycle.ts";
import { priority } from "./plugins/priority.ts";
import { serviceAccount } from "./plugins/service-account.ts";
import { taintNodesByCondition } from "./plugins/taint-nodes-by-condition.ts";

/** What admission sees of a write. Mutating plugins change `object`; refusing ones throw. */
export interface Attributes {
  operation: "CREATE" | "UPDATE" | "DELETE" | "CONNECT";
  /** After the change; for DELETE the object that goes. */
  object: KubeObject;
  previous: KubeObject | undefined;
  subresource: string;
  scope: RequestScope;
}

export interface AdmissionPlugin {
  name: string;
  /** `group/resource` keys it cares about; undefined is everything. */
  resources?: ReadonlySet<string>;
  admit(attributes: Attributes): Promise<void> | void;
}

/** In upstream's order (pkg/kubeapiserver/options/plugins.go, 1.36). */
const plugins: readonly AdmissionPlugin[] = [
  namespaceLifecycle,
  taintNodesByCondition,
  serviceAccount,
  priority,
  defaultTolerationSeconds,
];

export async function admit(attributes: Attributes): Promise<void> {
  const { group, resource } = attributes.scope.resource;
  const key = group === "" ? resource : `${group}/${resource}`;
  for (const plugin of plugins) {
    if (plugin.resources !== undefined && !plugin.resources.has(key)) continue;
    const pending = plugin.admit(attributes);
    if (pending !== undefined) await pending;
  }
}
