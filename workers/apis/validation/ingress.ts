import { forbidden, invalid, notSupported, required, tooLong } from "../../apimachinery/field-error.ts";
import type { KubeObject } from "../../apimachinery/meta.ts";
import {
  isDns1035Label,
  isDns1123Label,
  isDns1123Subdomain,
  isValidPortName,
  isValidPortNum,
  isWildcardDns1123Subdomain,
} from "../../apimachinery/validation-names.ts";
import { checkText, immutable, isSet, listOf, textOf } from "./checks.ts";
import type { Causes } from "./checks.ts";
import { parseIp, validateIp } from "./ip.ts";
import { validateDomainPrefixedPath, validateTypedReference } from "./references.ts";

/** Mirrors pkg/apis/networking/validation/validation.go (1.36), Ingress and IngressClass. */
const invalidSequences = ["//", "/./", "/../", "%2f", "%2F"];
const invalidSuffixes = ["/..", "/."];
const classAnnotation = "kubernetes.io/ingress.class";

export function validateIngress(ingress: KubeObject, causes: Causes): void {
  const spec = ingress.spec ?? {};
  const rules = listOf(spec.rules);
  if (rules.length === 0 && !spec.defaultBackend) {
    causes.push(invalid("spec", [], "either `defaultBackend` or `rules` must be specified"));
  }
  if (spec.defaultBackend) validateBackend(spec.defaultBackend, "spec.defaultBackend", causes);
  for (const [index, rule] of rules.entries()) validateRule(rule, `spec.rules[${index}]`, causes);
  for (const [index, entry] of listOf(spec.tls).entries()) validateTls(entry, `spec.tls[${index}]`, causes);
  if (isSet(spec.ingressClassName))
    checkText(isDns1123Subdomain, spec.ingressClassName, "spec.ingressClassName", causes);
}

/** The annotation is looked at only when an ingress is created. */
export function validateIngressCreate(ingress: KubeObject, causes: Causes): void {
  validateIngress(ingress, causes);
  const annotation = ingress.metadata.annotations?.[classAnnotation];
  const name = ingress.spec?.ingressClassName;
  if (annotation !== undefined && isSet(name) && annotation !== name) {
    causes.push(
      invalid(`annotations.${classAnnotation}`, annotation, "must match `ingressClassName` when both are specified"),
    );
  }
}

function validateHost(host: unknown, path: string, causes: Causes): void {
  checkText(textOf(host).includes("*") ? isWildcardDns1123Subdomain : isDns1123Subdomain, host, path, causes);
}

function validateTls(entry: any, path: string, causes: Causes): void {
  for (const [index, host] of listOf(entry?.hosts).entries()) validateHost(host, `${path}.hosts[${index}]`, causes);
  if (entry?.secretName) checkText(isDns1123Subdomain, entry.secretName, `${path}.secretName`, causes);
}

function validateRule(rule: any, path: string, causes: Causes): void {
  const host = textOf(rule?.host);
  if (host !== "") {
    if (parseIp(host) !== undefined)
      causes.push(invalid(`${path}.host`, host, "must be a DNS name, not an IP address"));
    validateHost(host, `${path}.host`, causes);
  }
  if (!rule?.http) return;
  const paths = listOf(rule.http.paths);
  if (paths.length === 0) causes.push(required(`${path}.http.paths`));
  for (const [index, entry] of paths.entries()) validatePath(entry, `${path}.http.paths[${index}]`, causes);
}

function validatePath(entry: any, path: string, causes: Causes): void {
  if (!isSet(entry?.pathType)) return void causes.push(required(`${path}.pathType`, "pathType must be specified"));
  const text = textOf(entry.path);
  const refuse = (detail: string) => causes.push(invalid(`${path}.path`, text, detail));
  switch (entry.pathType) {
    case "Exact":
    case "Prefix":
      if (!text.startsWith("/")) refuse("must be an absolute path");
      for (const sequence of invalidSequences) if (text.includes(sequence)) refuse(`must not contain '${sequence}'`);
      for (const suffix of invalidSuffixes) if (text.endsWith(suffix)) refuse(`cannot end with '${suffix}'`);
      break;
    case "ImplementationSpecific":
      if (text !== "" && !text.startsWith("/")) refuse("must be an absolute path");
      break;
    default:
      causes.push(notSupported(`${path}.pathType`, entry.pathType, ["Exact", "ImplementationSpecific", "Prefix"]));
  }
  validateBackend(entry.backend ?? {}, `${path}.backend`, causes);
}

function validateBackend(backend: any, path: string, causes: Causes): void {
  const { resource, service } = backend;
  if (resource && service) causes.push(invalid(path, "", "cannot set both resource and service backends"));
  else if (resource) validateTypedReference(resource, `${path}.resource`, causes);
  else if (service) validateServiceBackend(service, path, causes);
  else causes.push(invalid(path, "", "resource or service backend is required"));
}

function validateServiceBackend(service: any, path: string, causes: Causes): void {
  if (!service.name) causes.push(required(`${path}.service.name`));
  else checkText(isDns1035Label, service.name, `${path}.service.name`, causes);
  const { name, number } = service.port ?? {};
  if (name && number) causes.push(invalid(path, "", "cannot set both port name & port number"));
  else if (name) checkText(isValidPortName, name, `${path}.service.port.name`, causes);
  else if (number)
    for (const text of isValidPortNum(number)) causes.push(invalid(`${path}.service.port.number`, number, text));
  else causes.push(required(path, "port name or number is required"));
}

export function validateIngressClass(ingressClass: KubeObject, causes: Causes): void {
  const { controller, parameters } = ingressClass.spec ?? {};
  if (!controller) causes.push(required("spec.controller"));
  else {
    if (controller.length > 250) causes.push(tooLong("spec.controller", 250));
    validateDomainPrefixedPath(controller, "spec.controller", causes);
  }
  if (parameters) validateClassParameters(parameters, "spec.parameters", causes);
}

export function validateIngressClassUpdate(ingressClass: KubeObject, previous: KubeObject, causes: Causes): void {
  immutable(ingressClass.spec?.controller, previous.spec?.controller, "spec.controller", causes);
}

function validateClassParameters(parameters: any, path: string, causes: Causes): void {
  validateTypedReference(parameters, path, causes);
  const { scope, namespace } = parameters;
  if (!isSet(scope)) return void causes.push(required(`${path}.scope`));
  if (scope === "Namespace") {
    if (!isSet(namespace)) causes.push(required(`${path}.namespace`, "`parameters.scope` is set to 'Namespace'"));
    else checkText(isDns1123Label, namespace, `${path}.namespace`, causes);
  } else if (scope === "Cluster") {
    if (isSet(namespace)) causes.push(forbidden(`${path}.namespace`, "`parameters.scope` is set to 'Cluster'"));
  } else causes.push(notSupported(`${path}.scope`, scope, ["Cluster", "Namespace"]));
}

/** Mirrors ValidateIngressStatusUpdate. */
export function validateIngressStatus(ingress: KubeObject, _previous: KubeObject, causes: Causes): void {
  for (const [index, entry] of listOf(ingress.status?.loadBalancer?.ingress).entries()) {
    const path = `status.loadBalancer.ingress[${index}]`;
    if (entry?.ip) validateIp(entry.ip, `${path}.ip`, causes);
    const hostname = textOf(entry?.hostname);
    if (hostname === "") continue;
    checkText(isDns1123Subdomain, hostname, `${path}.hostname`, causes);
    if (parseIp(hostname) !== undefined)
      causes.push(invalid(`${path}.hostname`, hostname, "must be a DNS name, not an IP address"));
  }
}
