import { duplicate, forbidden, invalid, notSupported, required, tooMany } from "../../apimachinery/field-error.ts";
import type { KubeObject } from "../../apimachinery/meta.ts";
import { isDns1123Label, isDns1123Subdomain, isLabelKey } from "../../apimachinery/validation-names.ts";
import { checkText, immutable, isSet, listOf, textOf } from "./checks.ts";
import type { Causes } from "./checks.ts";
import { parseIp, validateNonSpecialIp } from "./ip.ts";
import { validateLabels } from "./label-selector.ts";
import { checks } from "./registry.ts";
import type { Validators } from "./registry.ts";

/** Mirrors pkg/apis/discovery/validation/validation.go (1.36). */
const addressTypes = ["FQDN", "IPv4", "IPv6"];
const maxEndpoints = 1_000;
const maxAddresses = 100;
const maxPorts = 20_000;
const maxTopologyLabels = 16;
const maxZoneHints = 8;

function validateEndpointSlice(slice: KubeObject, causes: Causes): void {
  const type = textOf(slice["addressType"]);
  if (type === "") causes.push(required("addressType"));
  else if (!addressTypes.includes(type)) causes.push(notSupported("addressType", type, addressTypes));
  const endpoints = listOf(slice["endpoints"]);
  if (endpoints.length > maxEndpoints) causes.push(tooMany("endpoints", endpoints.length, maxEndpoints));
  else
    for (const [index, endpoint] of endpoints.entries())
      validateEndpoint(endpoint ?? {}, type, `endpoints[${index}]`, causes);
  validatePorts(listOf(slice["ports"]), "ports", causes);
}

function validateEndpoint(endpoint: any, type: string, path: string, causes: Causes): void {
  const addresses = listOf(endpoint.addresses);
  if (addresses.length === 0) causes.push(required(`${path}.addresses`, "must contain at least 1 address"));
  else if (addresses.length > maxAddresses) causes.push(tooMany(`${path}.addresses`, addresses.length, maxAddresses));
  for (const [index, address] of addresses.entries())
    validateAddress(address, type, `${path}.addresses[${index}]`, causes);
  if (isSet(endpoint.nodeName)) checkText(isDns1123Subdomain, endpoint.nodeName, `${path}.nodeName`, causes);
  const topology = endpoint.deprecatedTopology;
  if (topology) {
    const field = `${path}.deprecatedTopology`;
    const count = Object.keys(topology).length;
    if (count > maxTopologyLabels) causes.push(tooMany(field, count, maxTopologyLabels));
    validateLabels(topology, field, causes);
    if (topology["topology.kubernetes.io/zone"] !== undefined) {
      causes.push(forbidden(`${field}[topology.kubernetes.io/zone]`, "use zone field instead"));
    }
  }
  if (isSet(endpoint.hostname)) checkText(isDns1123Label, endpoint.hostname, `${path}.hostname`, causes);
  if (endpoint.hints) validateHints(endpoint.hints, `${path}.hints`, causes);
}

function validateAddress(value: unknown, type: string, path: string, causes: Causes): void {
  const address = textOf(value);
  if (type === "IPv4" || type === "IPv6") {
    if (parseIp(address)?.family !== (type === "IPv4" ? 4 : 6))
      causes.push(invalid(path, address, `must be an ${type} address`));
    validateNonSpecialIp(address, path, causes);
  } else if (type === "FQDN") validateDomainName(address, path, causes);
}

/** Mirrors IsFullyQualifiedDomainName: a trailing dot is allowed, two labels are needed. */
function validateDomainName(value: string, path: string, causes: Causes): void {
  if (value === "") return void causes.push(required(path));
  const name = value.endsWith(".") ? value.slice(0, -1) : value;
  const problems = isDns1123Subdomain(name);
  if (problems.length > 0) return void causes.push(invalid(path, name, problems.join(",")));
  if (name.split(".").length < 2) {
    return void causes.push(invalid(path, name, "should be a domain with at least two segments separated by dots"));
  }
  for (const label of name.split(".")) {
    const wrong = isDns1123Label(label);
    if (wrong.length > 0) return void causes.push(invalid(path, label, wrong.join(",")));
  }
}

function validateHints(hints: any, path: string, causes: Causes): void {
  for (const field of ["forZones", "forNodes"]) {
    const entries = listOf(hints[field]);
    if (entries.length > maxZoneHints) {
      causes.push(tooMany(`${path}.${field}`, entries.length, maxZoneHints));
      continue;
    }
    const seen = new Set<string>();
    for (const [index, entry] of entries.entries()) {
      const at = `${path}.${field}[${index}].name`;
      const name = textOf(entry?.name);
      if (seen.has(name)) causes.push(duplicate(at, name));
      seen.add(name);
      checkText(isDns1123Subdomain, name, at, causes);
    }
  }
}

/** Also of Endpoints' ports there may be many. */
function validatePorts(ports: any[], path: string, causes: Causes): void {
  if (ports.length > maxPorts) return void causes.push(tooMany(path, ports.length, maxPorts));
  const names = new Set<string>();
  for (const [index, port] of ports.entries()) {
    const field = `${path}[${index}]`;
    const name = textOf(port?.name);
    if (name !== "") checkText(isDns1123Label, name, `${field}.name`, causes);
    if (names.has(name)) causes.push(duplicate(`${field}.name`, name));
    names.add(name);
    if (!isSet(port?.protocol)) causes.push(required(`${field}.protocol`));
    else if (!["SCTP", "TCP", "UDP"].includes(port.protocol)) {
      causes.push(notSupported(`${field}.protocol`, port.protocol, ["SCTP", "TCP", "UDP"]));
    }
    if (isSet(port?.appProtocol)) checkText(isLabelKey, port.appProtocol, `${field}.appProtocol`, causes);
  }
}

export const discoveryValidators: Validators = {
  "endpointslices.discovery.k8s.io": checks(validateEndpointSlice, (slice, previous, causes) =>
    immutable(slice["addressType"], previous["addressType"], "addressType", causes),
  ),
};
