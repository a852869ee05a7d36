import { forbidden, invalid, notSupported, required } from "../../apimachinery/field-error.ts";
import type { KubeObject } from "../../apimachinery/meta.ts";
import { isValidPortName, isValidPortNum } from "../../apimachinery/validation-names.ts";
import { checkText, isSet, listOf, textOf } from "./checks.ts";
import type { Causes } from "./checks.ts";
import { cidrContains } from "./cidr.ts";
import { familyOfCidr, validateCidr } from "./ip.ts";
import { validateLabelSelector } from "./label-selector.ts";

/** Mirrors ValidateNetworkPolicy of pkg/apis/networking/validation (1.36). */
export function validateNetworkPolicy(policy: KubeObject, causes: Causes): void {
  const spec = policy.spec ?? {};
  validateLabelSelector(spec.podSelector, "spec.podSelector", causes);
  for (const [direction, peers] of [
    ["ingress", "from"],
    ["egress", "to"],
  ] as const) {
    for (const [index, rule] of listOf(spec[direction]).entries()) {
      const path = `spec.${direction}[${index}]`;
      for (const [at, port] of listOf(rule?.ports).entries()) validatePort(port ?? {}, `${path}.ports[${at}]`, causes);
      for (const [at, peer] of listOf(rule?.[peers]).entries())
        validatePeer(peer ?? {}, `${path}.${peers}[${at}]`, causes);
    }
  }
  const types = listOf(spec.policyTypes);
  if (types.length > 2)
    return void causes.push(invalid("spec.policyTypes", types, "may not specify more than two policyTypes"));
  for (const [index, type] of types.entries()) {
    if (type !== "Ingress" && type !== "Egress") {
      causes.push(notSupported(`spec.policyTypes[${index}]`, type, ["Ingress", "Egress"]));
    }
  }
}

function validatePort(entry: any, path: string, causes: Causes): void {
  const { protocol, port, endPort } = entry;
  if (isSet(protocol) && !["TCP", "UDP", "SCTP"].includes(protocol)) {
    causes.push(notSupported(`${path}.protocol`, protocol, ["TCP", "UDP", "SCTP"]));
  }
  const refuseEnd = (detail: string) => causes.push(invalid(`${path}.endPort`, endPort, detail));
  if (typeof port === "number") {
    for (const text of isValidPortNum(port)) causes.push(invalid(`${path}.port`, port, text));
    if (!isSet(endPort)) return;
    if (endPort < port) refuseEnd("must be greater than or equal to `port`");
    for (const text of isValidPortNum(endPort)) refuseEnd(text);
  } else if (isSet(port)) {
    if (isSet(endPort)) refuseEnd("may not be specified when `port` is non-numeric");
    checkText(isValidPortName, port, `${path}.port`, causes);
  } else if (isSet(endPort)) refuseEnd("may not be specified when `port` is not specified");
}

function validatePeer(peer: any, path: string, causes: Causes): void {
  const { podSelector, namespaceSelector, ipBlock } = peer;
  if (podSelector) validateLabelSelector(podSelector, `${path}.podSelector`, causes);
  if (namespaceSelector) validateLabelSelector(namespaceSelector, `${path}.namespaceSelector`, causes);
  if (ipBlock) validateIpBlock(ipBlock, `${path}.ipBlock`, causes);
  const count = [podSelector, namespaceSelector, ipBlock].filter(isSet).length;
  if (count === 0) causes.push(required(path, "must specify a peer"));
  else if (count > 1 && ipBlock) causes.push(forbidden(path, "may not specify both ipBlock and another peer"));
}

function validateIpBlock(block: any, path: string, causes: Causes): void {
  const cidr = textOf(block.cidr);
  if (cidr === "") return void causes.push(required(`${path}.cidr`));
  validateCidr(cidr, `${path}.cidr`, causes);
  if (familyOfCidr(cidr) === undefined) return;
  for (const [index, except] of listOf(block.except).entries()) {
    const field = `${path}.except[${index}]`;
    validateCidr(except, field, causes);
    if (familyOfCidr(textOf(except)) === undefined) continue;
    if (!cidrContains(cidr, except)) causes.push(invalid(field, except, "must be a strict subset of `cidr`"));
  }
}
