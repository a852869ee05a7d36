import { duplicate, forbidden, invalid, notSupported, required } from "../../apimachinery/field-error.ts";
import type { KubeObject } from "../../apimachinery/meta.ts";
import { isLabelValue } from "../../apimachinery/validation-names.ts";
import { taintEffects } from "./affinity.ts";
import { entriesOf, labelName, listOf, quantityOf, textOf } from "./checks.ts";
import type { Causes } from "./checks.ts";
import { familyOfCidr, isDualStack, validateCidr } from "./ip.ts";
import { validateResourceQuantity } from "./resource-names.ts";

/** Mirrors ValidateNode of pkg/apis/core/validation (1.36). */
export function validateNode(node: KubeObject, causes: Causes): void {
  const spec = node.spec ?? {};
  if (spec.taints) validateNodeTaints(listOf(spec.taints), "metadata.taints", causes);
  validateNodeResources(node, causes);
  const cidrs = listOf(spec.podCIDRs);
  for (const [index, cidr] of cidrs.entries()) validateCidr(cidr, `spec.podCIDRs[${index}]`, causes);
  if (cidrs.length < 2) return;
  if (!isDualStack(cidrs.map((cidr) => familyOfCidr(textOf(cidr)))) || cidrs.length > 2) {
    causes.push(invalid("spec.podCIDRs", cidrs, "may specify no more than one CIDR for each IP family"));
  }
  for (const [index, cidr] of cidrs.entries()) {
    if (cidrs.indexOf(cidr) < index) causes.push(duplicate(`spec.podCIDRs[${index}]`, cidr));
  }
}

/** `path` is upstream's: under metadata. */
function validateNodeTaints(taints: any[], path: string, causes: Causes): void {
  const seen = new Set<string>();
  for (const [index, taint] of taints.entries()) {
    const field = `${path}[${index}]`;
    labelName(taint.key, `${field}.key`, causes);
    const problems = isLabelValue(textOf(taint.value));
    if (problems.length > 0) causes.push(invalid(`${field}.value`, textOf(taint.value), problems.join(";")));
    if (!taint.effect) causes.push(required(`${field}.effect`));
    else if (!taintEffects.includes(taint.effect))
      causes.push(notSupported(`${field}.effect`, taint.effect, taintEffects));
    const pair = `${taint.effect}/${taint.key}`;
    if (seen.has(pair)) {
      const shown = {
        Key: textOf(taint.key),
        Value: textOf(taint.value),
        Effect: textOf(taint.effect),
        TimeAdded: taint.timeAdded ?? null,
      };
      causes.push(duplicate(field, shown, "taints must be unique by key and effect pair"));
    }
    seen.add(pair);
  }
}

function validateNodeResources(node: KubeObject, causes: Causes): void {
  for (const list of ["capacity", "allocatable"]) {
    for (const [name, amount] of entriesOf(node.status?.[list])) {
      validateResourceQuantity(name, quantityOf(amount), `status.${list}.${name}`, causes);
    }
  }
}

const podCidrDetail = 'node updates may not change podCIDR except from "" to valid';

/** Mirrors ValidateNodeUpdate, which holds for updates of status too. */
export function validateNodeUpdate(node: KubeObject, previous: KubeObject, causes: Causes): void {
  const spec = node.spec ?? {};
  const before = previous.spec ?? {};
  validateNodeResources(node, causes);
  const addresses = new Set<string>();
  for (const [index, { type, address }] of listOf(node.status?.addresses).entries()) {
    if (addresses.has(`${type}/${address}`)) {
      causes.push(duplicate(`status.addresses[${index}]`, { Type: textOf(type), Address: textOf(address) }));
    }
    addresses.add(`${type}/${address}`);
  }
  const cidrs = listOf(spec.podCIDRs);
  const oldCidrs = listOf(before.podCIDRs);
  if (oldCidrs.length > 0) {
    if (oldCidrs.length !== cidrs.length) causes.push(forbidden("spec.podCIDRs", podCidrDetail));
    else {
      for (const [index, cidr] of oldCidrs.entries()) {
        if (cidr !== cidrs[index]) causes.push(forbidden("spec.podCIDRs", podCidrDetail));
      }
    }
  }
  if (before.providerID && before.providerID !== spec.providerID) {
    causes.push(forbidden("spec.providerID", 'node updates may not change providerID except from "" to valid'));
  }
  if (spec.taints) validateNodeTaints(listOf(spec.taints), "metadata.taints", causes);
  if (textOf(spec.externalID) !== textOf(before.externalID)) {
    causes.push(forbidden("spec.externalID", "may not be updated"));
  }
}
