import { invalid, required } from "../../apimachinery/field-error.ts";
import type { KubeObject } from "../../apimachinery/meta.ts";
import { isDns1123Subdomain, isValidPathSegmentName } from "../../apimachinery/validation-names.ts";
import { checkText, fieldImmutableMessage, immutable, listOf } from "./checks.ts";
import type { Causes } from "./checks.ts";
import { validateStrictCidr } from "./cidr.ts";
import {
  validateIngress,
  validateIngressClass,
  validateIngressClassUpdate,
  validateIngressCreate,
  validateIngressStatus,
} from "./ingress.ts";
import { familyOfCidr, validateIp } from "./ip.ts";
import { validateNetworkPolicy } from "./network-policy.ts";
import { requiredPathSegment } from "./references.ts";
import { checks, withStatus } from "./registry.ts";
import type { Validators } from "./registry.ts";

/** Mirrors pkg/apis/networking/validation/validation.go (1.36), IPAddress and ServiceCIDR. */
function validateIpAddress(address: KubeObject, causes: Causes): void {
  validateIp(address.metadata.name, "metadata.name", causes);
  const parent = address.spec?.parentRef;
  const path = "spec.parentRef";
  if (!parent) return void causes.push(required(path));
  if (parent.group) checkText(isDns1123Subdomain, parent.group, `${path}.group`, causes);
  requiredPathSegment(parent.resource, `${path}.resource`, causes);
  requiredPathSegment(parent.name, `${path}.name`, causes);
  if (parent.namespace) checkText(isValidPathSegmentName, parent.namespace, `${path}.namespace`, causes);
}

function validateServiceCidr(object: KubeObject, causes: Causes): void {
  const cidrs = listOf(object.spec?.cidrs);
  const path = "spec.cidrs";
  if (cidrs.length === 0) return void causes.push(required(path, "at least one CIDR required"));
  if (cidrs.length > 2) return void causes.push(invalid(path, object.spec, "may only hold up to 2 values"));
  for (const [index, cidr] of cidrs.entries()) validateStrictCidr(cidr, `${path}[${index}]`, causes);
  if (cidrs.length < 2) return;
  const [first, second] = cidrs.map((cidr) => familyOfCidr(String(cidr)));
  if (first === second && first !== undefined) {
    causes.push(
      invalid(path, cidrs, "may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64"),
    );
  }
}

function validateServiceCidrUpdate(object: KubeObject, previous: KubeObject, causes: Causes): void {
  const after = listOf(object.spec?.cidrs);
  const before = listOf(previous.spec?.cidrs);
  const grows = before.length === 1 && after.length === 2;
  if (before.length !== after.length && !grows)
    return void causes.push(invalid("spec.cidrs", after, fieldImmutableMessage));
  for (const [index, cidr] of before.entries()) {
    if (cidr !== after[index]) causes.push(invalid(`spec.cidrs[${index}]`, after[index], fieldImmutableMessage));
  }
  if (grows) validateServiceCidr(object, causes);
}

const group = "networking.k8s.io";

export const networkingValidators: Validators = {
  [`ingresses.${group}`]: withStatus(
    { create: validateIngressCreate, update: (ingress, _previous, causes) => validateIngress(ingress, causes) },
    validateIngressStatus,
  ),
  [`ingressclasses.${group}`]: checks(validateIngressClass, validateIngressClassUpdate),
  [`networkpolicies.${group}`]: checks(validateNetworkPolicy),
  [`ipaddresses.${group}`]: {
    create: validateIpAddress,
    update: (object, previous, causes) =>
      immutable(object.spec?.parentRef, previous.spec?.parentRef, "spec.parentRef", causes),
  },
  [`servicecidrs.${group}`]: { create: validateServiceCidr, update: validateServiceCidrUpdate },
};
