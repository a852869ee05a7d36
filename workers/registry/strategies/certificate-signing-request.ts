import { formatTime } from "../../apimachinery/clock.ts";
import type { KubeObject } from "../../apimachinery/meta.ts";
import type { RequestScope, Strategy } from "../strategy.ts";

/** Mirrors pkg/registry/certificates/certificates/strategy.go (1.36). */
export const certificateSigningRequestStrategy: Strategy = {
  generation: false,
  /** The requester is who sends it. */
  prepareForCreate(request, scope) {
    const { username, uid, groups, extra } = scope.user;
    request.spec ??= {};
    for (const field of ["username", "uid", "groups", "extra"]) delete request.spec[field];
    request.spec.username = username;
    if (uid) request.spec.uid = uid;
    if (groups.length > 0) request.spec.groups = [...groups];
    if (extra && Object.keys(extra).length > 0) request.spec.extra = extra;
  },
  /** Only metadata changes through the resource itself. */
  prepareForUpdate(request, previous) {
    request.spec = previous.spec;
  },
  prepareForStatusUpdate(request, previous, scope) {
    setTimestamps(request, previous, scope);
  },
  subresources: {
    approval: {
      merge(request, previous, scope) {
        const { conditions: _before, ...status } = previous.status ?? {};
        const conditions = request.status?.conditions;
        const object = {
          ...previous,
          metadata: request.metadata,
          status: conditions ? { ...status, conditions } : status,
        };
        setTimestamps(object, previous, scope);
        return object;
      },
    },
  },
};

/** Mirrors populateConditionTimestamps. */
function setTimestamps(request: KubeObject, previous: KubeObject, scope: RequestScope): void {
  const now = formatTime(scope.clock.now());
  for (const condition of request.status?.conditions ?? []) {
    condition.lastUpdateTime ??= now;
    const same = (previous.status?.conditions ?? []).find(
      (before: any) => before.type === condition.type && before.status === condition.status,
    );
    condition.lastTransitionTime ??= same?.lastTransitionTime ?? now;
  }
}
