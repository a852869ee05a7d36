import { required } from "../../apimachinery/field-error.ts";
import type { KubeObject } from "../../apimachinery/meta.ts";
import { dnsLabel, dnsSubdomain, isSet, listOf, qualifiedName, requiredEnum } from "./checks.ts";
import type { Causes } from "./checks.ts";
import { validateIp, validateNonSpecialIp } from "./ip.ts";
import { protocols, validatePortNum } from "./ports.ts";

/** Mirrors validateEndpointSubsets of pkg/apis/core/validation (1.36). */
export function validateEndpoints(endpoints: KubeObject, causes: Causes): void {
  for (const [index, subset] of listOf(endpoints["subsets"]).entries()) {
    const path = `subsets[${index}]`;
    const ports = listOf(subset.ports);
    if (listOf(subset.addresses).length === 0 && listOf(subset.notReadyAddresses).length === 0) {
      causes.push(required(path, "must specify `addresses` or `notReadyAddresses`"));
    }
    for (const list of ["addresses", "notReadyAddresses"]) {
      for (const [at, address] of listOf(subset[list]).entries()) {
        validateEndpointAddress(address, `${path}.${list}[${at}]`, causes);
      }
    }
    for (const [at, port] of ports.entries()) {
      const field = `${path}.ports[${at}]`;
      if (port.name) dnsLabel(port.name, `${field}.name`, causes);
      else if (ports.length > 1) causes.push(required(`${field}.name`));
      validatePortNum(port.port, `${field}.port`, causes);
      requiredEnum(port.protocol, protocols, `${field}.protocol`, causes);
      if (isSet(port.appProtocol)) qualifiedName(port.appProtocol, `${field}.appProtocol`, causes);
    }
  }
}

function validateEndpointAddress(address: any, path: string, causes: Causes): void {
  validateIp(address.ip, `${path}.ip`, causes);
  if (address.hostname) dnsLabel(address.hostname, `${path}.hostname`, causes);
  if (isSet(address.nodeName)) dnsSubdomain(address.nodeName, `${path}.nodeName`, causes);
  validateNonSpecialIp(address.ip, `${path}.ip`, causes);
}
