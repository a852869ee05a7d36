import { duplicate, forbidden, invalid, notFound, required } from "../../apimachinery/field-error.ts";
import type { Quantity } from "../../apimachinery/quantity.ts";
import { dnsLabel, entriesOf, listOf, quantityOf } from "./checks.ts";
import type { Causes } from "./checks.ts";
import {
  isHugePageResource,
  isOvercommitAllowed,
  validateContainerResourceName,
  validatePodResourceName,
  validateResourceQuantity,
} from "./resource-names.ts";

type NameCheck = (name: string, path: string, causes: Causes) => void;

const noNames: ReadonlySet<string> = new Set();

/** Requests and limits of a container, or an overhead. Mirrors validateResourceRequirements of core validation (1.36). */
export function validateContainerResources(
  resources: any,
  podClaimNames: ReadonlySet<string>,
  path: string,
  causes: Causes,
): void {
  if (resources) validateRequirements(resources, validateContainerResourceName, podClaimNames, path, causes);
}

export function validateOverhead(overhead: any, path: string, causes: Causes): void {
  validateRequirements({ limits: overhead }, validateContainerResourceName, noNames, path, causes);
}

function validateRequirements(
  resources: any,
  checkName: NameCheck,
  podClaimNames: ReadonlySet<string>,
  path: string,
  causes: Causes,
): void {
  const { limits, requests } = resources;
  if (limits || requests) {
    let compute = false;
    let hugePages = false;
    const limitOf = new Map<string, Quantity>();
    const one = (name: string, text: unknown, list: string): Quantity => {
      const field = `${path}.${list}[${name}]`;
      const quantity = quantityOf(text);
      checkName(name, field, causes);
      validateResourceQuantity(name, quantity, field, causes);
      if (name === "cpu" || name === "memory") compute = true;
      return quantity;
    };
    for (const [name, text] of entriesOf(limits)) {
      limitOf.set(name, one(name, text, "limits"));
      if (isHugePageResource(name)) {
        hugePages = true;
        validateHugePages(name, limitOf.get(name)!, `${path}.limits[${name}]`, causes);
      }
    }
    for (const [name, text] of entriesOf(requests)) {
      const request = one(name, text, "requests");
      validateAgainstLimit(name, request, limitOf.get(name), path, causes);
      if (isHugePageResource(name)) {
        hugePages = true;
        validateHugePages(name, request, `${path}.requests[${name}]`, causes);
      }
    }
    if (hugePages && !compute) causes.push(forbidden(path, "HugePages require cpu or memory"));
  }
  if (resources.claims) validateClaimNames(listOf(resources.claims), podClaimNames, `${path}.claims`, causes);
}

function validateAgainstLimit(
  name: string,
  request: Quantity,
  limit: Quantity | undefined,
  path: string,
  causes: Causes,
): void {
  if (limit === undefined) {
    if (!isOvercommitAllowed(name)) {
      causes.push(required(`${path}.limits`, "Limit must be set for non overcommitable resources"));
    }
    return;
  }
  const order = request.cmp(limit);
  if (order !== 0 && !isOvercommitAllowed(name)) {
    causes.push(
      invalid(`${path}.requests`, request.toString(), `must be equal to ${name} limit of ${limit.toString()}`),
    );
  } else if (order > 0) {
    causes.push(
      invalid(
        `${path}.requests`,
        request.toString(),
        `must be less than or equal to ${name} limit of ${limit.toString()}`,
      ),
    );
  }
}

function validateHugePages(name: string, quantity: Quantity, path: string, causes: Causes): void {
  const size = quantityOf(name.slice("hugepages-".length));
  const whole = size.sign() > 0 && size.milliValue() % 1000n === 0n;
  if (!whole || quantity.value() % size.value() !== 0n) {
    causes.push(
      invalid(path, quantity.toString(), `${quantity.toString()} is not positive integer multiple of ${name}`),
    );
  }
}

/** Mirrors validateResourceClaimNames: every claim must be one of the pod's, and be named once. */
function validateClaimNames(claims: any[], podClaimNames: ReadonlySet<string>, path: string, causes: Causes): void {
  const names = new Set<string>();
  for (const [index, claim] of claims.entries()) {
    const field = `${path}[${index}]`;
    const { name, request } = claim;
    if (!name) {
      causes.push(required(field));
      continue;
    }
    if (names.has(name)) causes.push(duplicate(field, name));
    else {
      const key = request ? `${name}/${request}` : name;
      if (request) dnsLabel(request, `${field}.request`, causes);
      if (names.has(key)) causes.push(duplicate(field, key));
      else if (!request && [...names].some((seen) => seen.startsWith(`${name}/`))) causes.push(duplicate(field, name));
      names.add(key);
    }
    if (!podClaimNames.has(name)) {
      const known = podClaimNames.size === 0 ? " which is empty" : `: ${[...podClaimNames].sort().join(", ")}`;
      causes.push(notFound(field, name, `must be one of the names in pod.spec.resourceClaims${known}`));
    }
  }
}

/** Mirrors validatePodResources: the pod's own requests and limits against those of its containers. */
export function validatePodResources(
  spec: any,
  podClaimNames: ReadonlySet<string>,
  path: string,
  causes: Causes,
): void {
  const { resources } = spec;
  if (!resources) return;
  if (resources.claims) causes.push(forbidden(`${path}.claims`, "claims cannot be set for Resources at pod-level"));
  validateRequirements(resources, validatePodResourceName, podClaimNames, path, causes);
  for (const [name, sum] of aggregateRequests(spec)) {
    const own = quantityOf(resources.requests?.[name] ?? "0");
    if (sum.cmp(own) > 0) {
      causes.push(
        invalid(
          `${path}.requests[${name}]`,
          own.toString(),
          `must be greater than or equal to aggregate container requests of ${sum.toString()}`,
        ),
      );
    }
  }
  for (const [index, container] of listOf(spec.containers).entries()) {
    for (const [name, text] of entriesOf(container.resources?.limits)) {
      const own = resources.limits?.[name];
      if (own === undefined) continue;
      const limit = quantityOf(text);
      if (limit.cmp(quantityOf(own)) > 0) {
        causes.push(
          invalid(
            `${path}.containers[${index}][${name}].limits`,
            limit.toString(),
            `must be less than or equal to pod limits of ${quantityOf(own).toString()}`,
          ),
        );
      }
    }
  }
}

/** Mirrors AggregateContainerRequests: containers and sidecars together, or the largest init step. */
function aggregateRequests(spec: any): Map<string, Quantity> {
  const total = new Map<string, Quantity>();
  const sidecars = new Map<string, Quantity>();
  const steps = new Map<string, Quantity>();
  const add = (to: Map<string, Quantity>, name: string, amount: Quantity) =>
    to.set(name, to.get(name)?.add(amount) ?? amount);
  const raise = (to: Map<string, Quantity>, name: string, amount: Quantity) => {
    const before = to.get(name);
    if (before === undefined || amount.cmp(before) > 0) to.set(name, amount);
  };
  for (const container of listOf(spec.containers)) {
    for (const [name, text] of entriesOf(container.resources?.requests)) add(total, name, quantityOf(text));
  }
  for (const container of listOf(spec.initContainers)) {
    const requests = entriesOf(container.resources?.requests).map(([name, text]) => [name, quantityOf(text)] as const);
    if (container.restartPolicy === "Always") {
      for (const [name, amount] of requests) {
        add(total, name, amount);
        add(sidecars, name, amount);
        raise(steps, name, sidecars.get(name)!);
      }
    } else {
      for (const [name, amount] of requests) raise(steps, name, sidecars.get(name)?.add(amount) ?? amount);
    }
  }
  for (const [name, amount] of steps) raise(total, name, amount);
  return total;
}
