import { duplicate, forbidden, invalid, required } from "../../apimachinery/field-error.ts";
import type { KubeObject } from "../../apimachinery/meta.ts";
import { newQuantity } from "../../apimachinery/quantity.ts";
import type { Quantity } from "../../apimachinery/quantity.ts";
import { entriesOf, listOf, qualifiedName, quantityOf, textOf } from "./checks.ts";
import type { Causes } from "./checks.ts";
import { isOvercommitAllowed, validateContainerResourceName, validateResourceName } from "./resource-names.ts";

const types = new Set(["Pod", "Container", "PersistentVolumeClaim"]);
/** Largest value that can be counted in thousandths. */
const maxMilliValue = 2n ** 63n / 1000n;
const one = newQuantity(1);

/** Mirrors ValidateLimitRange of pkg/apis/core/validation (1.36). */
export function validateLimitRange(range: KubeObject, causes: Causes): void {
  const seen = new Set<string>();
  for (const [index, limit] of listOf(range.spec?.limits).entries()) {
    const path = `spec.limits[${index}]`;
    const type = textOf(limit.type);
    const before = causes.length;
    qualifiedName(type, `${path}.type`, causes);
    if (causes.length === before && !type.includes("/") && !types.has(type)) {
      causes.push(invalid(`${path}.type`, type, "must be a standard limit type or fully qualified"));
    }
    if (seen.has(type)) causes.push(duplicate(`${path}.type`, type));
    seen.add(type);
    validateLimit(limit, type, path, causes);
  }
}

function validateLimit(limit: any, type: string, path: string, causes: Causes): void {
  const names = new Set<string>();
  const read = (list: string): Map<string, Quantity> => {
    const amounts = new Map<string, Quantity>();
    for (const [name, amount] of entriesOf(limit[list])) {
      const field = `${path}.${list}[${name}]`;
      if (type === "Pod" || type === "Container") validateContainerResourceName(name, field, causes);
      else validateResourceName(name, field, causes);
      names.add(name);
      amounts.set(name, quantityOf(amount));
    }
    return amounts;
  };
  const max = read("max");
  const min = read("min");
  let defaults = new Map<string, Quantity>();
  let defaultRequests = new Map<string, Quantity>();
  if (type === "Pod") {
    for (const list of ["default", "defaultRequest"]) {
      if (Object.keys(limit[list] ?? {}).length > 0) {
        causes.push(forbidden(`${path}.${list}`, "may not be specified when `type` is 'Pod'"));
      }
    }
  } else {
    defaults = read("default");
    defaultRequests = read("defaultRequest");
  }
  if (type === "PersistentVolumeClaim" && !min.has("storage") && !max.has("storage")) {
    causes.push(
      required(`${path}.limits`, "either minimum or maximum storage value is required, but neither was provided"),
    );
  }
  const ratios = read("maxLimitRequestRatio");
  for (const name of names) {
    compare(
      {
        name,
        path,
        min: min.get(name),
        max: max.get(name),
        value: defaults.get(name),
        request: defaultRequests.get(name),
        ratio: ratios.get(name),
      },
      causes,
    );
  }
}

interface Limit {
  name: string;
  path: string;
  min: Quantity | undefined;
  max: Quantity | undefined;
  /** The default limit. */
  value: Quantity | undefined;
  request: Quantity | undefined;
  ratio: Quantity | undefined;
}

function compare({ name, path, min, max, value, request, ratio }: Limit, causes: Causes): void {
  const above = (
    low: [string, Quantity | undefined],
    high: [string, Quantity | undefined],
    list: string,
    shown: Quantity | undefined,
  ) => {
    if (low[1] === undefined || high[1] === undefined || low[1].cmp(high[1]) <= 0) return;
    const detail = `${low[0]} value ${low[1].toString()} is greater than ${high[0]} value ${high[1].toString()}`;
    causes.push(invalid(`${path}.${list}[${name}]`, shown?.toString(), detail));
  };
  above(["min", min], ["max", max], "min", min);
  above(["min", min], ["default request", request], "defaultRequest", request);
  above(["default request", request], ["max", max], "defaultRequest", request);
  above(["default request", request], ["default limit", value], "defaultRequest", request);
  above(["min", min], ["default", value], "default", min);
  above(["default", value], ["max", max], "default", max);
  if (ratio !== undefined) validateRatio(ratio, min, max, `${path}.maxLimitRequestRatio[${name}]`, causes);
  if (!isOvercommitAllowed(name) && value !== undefined && request !== undefined && value.cmp(request) !== 0) {
    causes.push(
      invalid(
        `${path}.defaultRequest[${name}]`,
        request.toString(),
        `default value ${value.toString()} must equal to defaultRequest value ${request.toString()} in ${name}`,
      ),
    );
  }
}

function validateRatio(
  ratio: Quantity,
  min: Quantity | undefined,
  max: Quantity | undefined,
  path: string,
  causes: Causes,
): void {
  if (ratio.cmp(one) < 0) causes.push(invalid(path, ratio.toString(), `ratio ${ratio.toString()} is less than 1`));
  if (min === undefined || max === undefined) return;
  const fine = [ratio, min, max].every((amount) => amount.value() < maxMilliValue);
  const most = fine ? Number(max.milliValue()) / Number(min.milliValue()) : Number(max.value()) / Number(min.value());
  const asked = fine ? Number(ratio.milliValue()) / 1000 : Number(ratio.value());
  if (asked > most) {
    causes.push(
      invalid(path, ratio.toString(), `ratio ${ratio.toString()} is greater than max/min = ${most.toFixed(6)}`),
    );
  }
}
