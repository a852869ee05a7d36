import { formatTime } from "../../../apimachinery/clock.ts";
import { forbidden, required } from "../../../apimachinery/field-error.ts";
import { quote } from "../../../apimachinery/quote.ts";
import type { InvalidCause } from "../../../apimachinery/status-errors.ts";
import { validateSigningConditions } from "../../../apis/validation/certificates.ts";
import { objectSubresource } from "./object-subresource.ts";

/**
 * `certificatesigningrequests/<name>/approval`: only the conditions change, and none of Approved, Denied and Failed goes away
 * again. Mirrors csrApprovalStrategy of pkg/registry/certificates/certificates/strategy.go and
 * ValidateCertificateSigningRequestApprovalUpdate (1.36).
 */
export const approvalHandler = objectSubresource({
  merge(given, current, scope) {
    const now = formatTime(scope.clock.now());
    const before: any[] = current.status?.conditions ?? [];
    const conditions = ((given.status?.conditions ?? []) as any[]).map((condition) => {
      const same = before.find(({ type, status }) => type === condition.type && status === condition.status);
      return {
        ...condition,
        lastUpdateTime: condition.lastUpdateTime ?? now,
        lastTransitionTime: condition.lastTransitionTime ?? same?.lastTransitionTime ?? now,
      };
    });
    const { conditions: _before, ...status } = current.status ?? {};
    return { ...current, status: conditions.length > 0 ? { ...status, conditions } : status };
  },
  validate(request, previous) {
    const path = "status.conditions";
    const causes: InvalidCause[] = [];
    validateSigningConditions(request, path, causes);
    const count = (object: any, type: string) => ((object.status?.conditions ?? []) as any[]).filter((condition) => condition.type === type).length;
    for (const type of ["Approved", "Denied", "Failed"]) {
      if (count(request, type) < count(previous, type)) {
        causes.push(forbidden(path, `updates may not remove a condition of type ${quote(type)}`));
      }
    }
    if (request.status?.conditions?.some((condition: any) => !condition.type)) causes.push(required(path, "a condition needs a type"));
    return causes;
  },
});
