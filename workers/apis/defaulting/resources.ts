import { newMilliQuantity, parseQuantity } from "../../apimachinery/quantity.ts";
import { hasOwn, setOwn } from "../../apimachinery/patch/own-property.ts";
import type { Json } from "./set-default.ts";

/** SetDefaults_ResourceList: amounts finer than a thousandth are rounded up to it. */
export function defaultResourceList(list: Json | undefined): void {
  for (const name in list) {
    const value: unknown = list[name];
    if (typeof value !== "string" || !/[nu]$|[eE]-/.test(value)) continue;
    const quantity = parseQuantity(value);
    setOwn(list, name, newMilliQuantity(quantity.milliValue()).toString());
  }
}

/** Both lists of a ResourceRequirements. */
export function defaultResourceRequirements(resources: Json | undefined): void {
  defaultResourceList(resources?.["limits"]);
  defaultResourceList(resources?.["requests"]);
}

/** Copies the amounts that `target` does not have. */
export function fillResources(target: Json, source: Json | undefined): void {
  for (const name in source) if (!hasOwn(target, name) || target[name] === null) setOwn(target, name, source[name]);
}
