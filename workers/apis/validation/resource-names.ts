import { invalid, notSupported } from "../../apimachinery/field-error.ts";
import type { Quantity } from "../../apimachinery/quantity.ts";
import { isLabelKey } from "../../apimachinery/validation-names.ts";
import { checkText, isNegativeMessage, isNotPositiveMessage, quantityOf } from "./checks.ts";
import type { Causes } from "./checks.ts";

/** Names and amounts of resources. Mirrors pkg/apis/core/helper and ValidateResourceQuantityValue (1.36). */
const containerResources = new Set(["cpu", "memory", "ephemeral-storage"]);
const integerResources = new Set([
  "pods",
  "resourcequotas",
  "services",
  "replicationcontrollers",
  "secrets",
  "configmaps",
  "persistentvolumeclaims",
  "services.nodeports",
  "services.loadbalancers",
]);
const quotaResources = new Set([
  ...containerResources,
  ...integerResources,
  "requests.cpu",
  "requests.memory",
  "requests.storage",
  "requests.ephemeral-storage",
  "limits.cpu",
  "limits.memory",
  "limits.ephemeral-storage",
]);
const standardResources = new Set([...quotaResources, "storage"]);

export function isHugePageResource(name: string): boolean {
  return name.startsWith("hugepages-");
}

function isQuotaHugePageResource(name: string): boolean {
  return isHugePageResource(name) || name.startsWith("requests.hugepages-");
}

export function isNativeResource(name: string): boolean {
  return !name.includes("/") || name.includes("kubernetes.io/");
}

export function isExtendedResource(name: string): boolean {
  if (isNativeResource(name) || name.startsWith("requests.")) return false;
  return isLabelKey(`requests.${name}`).length === 0;
}

/** Whether a request may be lower than the limit. */
export function isOvercommitAllowed(name: string): boolean {
  return isNativeResource(name) && !isHugePageResource(name);
}

function isIntegerResource(name: string): boolean {
  return integerResources.has(name) || isExtendedResource(name);
}

export function isStandardQuotaResource(name: string): boolean {
  return quotaResources.has(name) || isQuotaHugePageResource(name);
}

/** False when a cause was found. */
export function validateResourceName(name: string, path: string, causes: Causes): boolean {
  const before = causes.length;
  checkText(isLabelKey, name, path, causes);
  if (causes.length > before) return false;
  if (!name.includes("/") && !standardResources.has(name) && !isQuotaHugePageResource(name)) {
    causes.push(invalid(path, name, "must be a standard resource type or fully qualified"));
    return false;
  }
  return true;
}

export function validateContainerResourceName(name: string, path: string, causes: Causes): void {
  if (containerResources.has(name)) return;
  validateResourceName(name, path, causes);
  if (!name.includes("/")) {
    if (!isHugePageResource(name)) causes.push(invalid(path, name, "must be a standard resource for containers"));
  } else if (!isNativeResource(name) && !isExtendedResource(name)) {
    causes.push(invalid(path, name, "doesn't follow extended resource name standard"));
  }
}

export function validatePodResourceName(name: string, path: string, causes: Causes): void {
  if (!validateResourceName(name, path, causes)) return;
  if (name !== "cpu" && name !== "memory" && !isHugePageResource(name)) {
    causes.push(notSupported(path, name, ["cpu", "hugepages-", "memory"]));
  }
}

export function validateQuotaResourceName(name: string, path: string, causes: Causes): void {
  validateResourceName(name, path, causes);
  if (!name.includes("/") && !isStandardQuotaResource(name)) {
    causes.push(invalid(path, name, "must be a standard resource for quota"));
  }
}

export function validateResourceQuantity(name: string, quantity: Quantity, path: string, causes: Causes): void {
  if (quantity.sign() < 0) causes.push(invalid(path, quantity.toString(), isNegativeMessage));
  if (isIntegerResource(name) && quantity.milliValue() % 1000n !== 0n) {
    causes.push(invalid(path, quantity.toString(), "must be an integer"));
  }
}

export function validateNonnegativeQuantity(value: unknown, path: string, causes: Causes): void {
  const quantity = quantityOf(value);
  if (quantity.sign() < 0) causes.push(invalid(path, quantity.toString(), isNegativeMessage));
}

export function validatePositiveQuantity(value: unknown, path: string, causes: Causes): boolean {
  const quantity = quantityOf(value);
  if (quantity.sign() > 0) return true;
  causes.push(invalid(path, quantity.toString(), isNotPositiveMessage));
  return false;
}

/** Mirrors validateBasicResource. */
export function validateBasicQuantity(value: unknown, path: string, causes: Causes): boolean {
  const whole = quantityOf(value).value();
  if (whole >= 0n) return true;
  causes.push(invalid(path, whole, "must be a valid resource quantity"));
  return false;
}
