import {
  duplicate,
  forbidden,
  invalid,
  notSupported,
  required,
  tooLong,
  tooMany,
} from "../../apimachinery/field-error.ts";
import type { Quantity } from "../../apimachinery/quantity.ts";
import { isCIdentifier, isLabelValue } from "../../apimachinery/validation-names.ts";
import { checkText, dnsLabel, dnsSubdomain, isSet, labelName, listOf, quantityOf, textOf } from "./checks.ts";
import type { Causes } from "./checks.ts";
import { validateCsiDriverName } from "./disk-sources.ts";

/** What kinds of resource.k8s.io share. Mirrors pkg/apis/resource/validation/validation.go (1.36). */
export const maxRequests = 32;
export const maxConfigs = 32;
export const maxSelectors = 32;
const maxIdLength = 32;
const maxExpressionLength = 10 * 1024;
const maxParametersLength = 10 * 1024;
const maxPoolNameLength = 253;

export type ItemCheck = (item: any, path: string, causes: Causes) => void;

/** Nothing else is said of a list that is too long. A negative maximum is none. */
export function validateSlice(value: unknown, maximum: number, check: ItemCheck, path: string, causes: Causes): void {
  const items = listOf(value);
  if (maximum >= 0 && items.length > maximum) return void causes.push(tooMany(path, items.length, maximum));
  for (const [index, item] of items.entries()) check(item ?? {}, `${path}[${index}]`, causes);
}

/** The same, and no two items with one key. */
export function validateSet(
  value: unknown,
  maximum: number,
  check: ItemCheck,
  keyOf: (item: any) => string,
  path: string,
  causes: Causes,
): void {
  validateSlice(value, maximum, check, path, causes);
  const items = listOf(value);
  if (maximum >= 0 && items.length > maximum) return;
  const seen = new Set<string>();
  for (const [index, item] of items.entries()) {
    const key = keyOf(item ?? {});
    if (seen.has(key)) causes.push(duplicate(`${path}[${index}]`, key));
    seen.add(key);
  }
}

export function validateDeviceClassName(name: unknown, path: string, causes: Causes): void {
  if (!name) causes.push(required(path));
  else dnsSubdomain(name, path, causes);
}

export function validateSelectors(selectors: unknown, path: string, causes: Causes): void {
  validateSlice(selectors, maxSelectors, validateSelector, path, causes);
}

function validateSelector(selector: any, path: string, causes: Causes): void {
  if (!isSet(selector.cel)) return void causes.push(required(`${path}.cel`));
  const expression = textOf(selector.cel.expression);
  const field = `${path}.cel.expression`;
  if (expression.length > maxExpressionLength) causes.push(tooLong(field, maxExpressionLength));
}

export function validateAllocationMode(mode: unknown, count: unknown, path: string, causes: Causes): void {
  const number = typeof count === "number" ? count : 0;
  if (mode === "All") {
    if (number !== 0)
      causes.push(invalid(`${path}.count`, number, "must not be specified when allocationMode is 'All'"));
  } else if (mode === "ExactCount") {
    if (number <= 0) causes.push(invalid(`${path}.count`, number, "must be greater than zero"));
  } else causes.push(notSupported(`${path}.allocationMode`, textOf(mode), ["All", "ExactCount"]));
}

export function validateDeviceTolerations(tolerations: unknown, path: string, causes: Causes): void {
  for (const [index, toleration] of listOf(tolerations).entries()) {
    const field = `${path}[${index}]`;
    const { key, operator, value, effect } = toleration ?? {};
    if (key) labelName(key, `${field}.key`, causes);
    switch (operator) {
      case "Exists":
        if (value) causes.push(invalid(`${field}.value`, value, "must be empty for operator `Exists`"));
        break;
      case "Equal":
        checkText(isLabelValue, value, `${field}.value`, causes);
        break;
      case undefined:
      case null:
      case "":
        causes.push(required(`${field}.operator`));
        break;
      default:
        causes.push(notSupported(`${field}.operator`, operator, ["Equal", "Exists"]));
    }
    if (effect && !taintEffects.includes(effect)) causes.push(notSupported(`${field}.effect`, effect, taintEffects));
  }
}

export const taintEffects = ["NoExecute", "NoSchedule", "None"];

export function validateDeviceTaint(taint: any, path: string, causes: Causes): void {
  labelName(taint.key, `${path}.key`, causes);
  checkText(isLabelValue, taint.value, `${path}.value`, causes);
  if (!taint.effect) causes.push(required(`${path}.effect`));
  else if (!taintEffects.includes(taint.effect))
    causes.push(notSupported(`${path}.effect`, taint.effect, taintEffects));
}

export function validateConfiguration(config: any, path: string, causes: Causes): void {
  const { opaque } = config;
  if (!isSet(opaque)) return void causes.push(required(`${path}.opaque`));
  validateCsiDriverName(textOf(opaque.driver), `${path}.opaque.driver`, causes);
  const field = `${path}.opaque.parameters`;
  if (!isSet(opaque.parameters)) return void causes.push(required(field));
  if (typeof opaque.parameters !== "object" || Array.isArray(opaque.parameters)) {
    return void causes.push(invalid(field, "<value omitted>", "parameters must be a valid JSON object"));
  }
  if (JSON.stringify(opaque.parameters).length > maxParametersLength) causes.push(tooLong(field, maxParametersLength));
}

export function validatePoolName(value: unknown, path: string, causes: Causes): void {
  const name = textOf(value);
  if (name === "") return void causes.push(required(path));
  if (name.length > maxPoolNameLength) causes.push(tooLong(path, maxPoolNameLength));
  for (const part of name.split("/")) dnsSubdomain(part, path, causes);
}

function validateIdentifier(id: string, path: string, causes: Causes): void {
  if (id.length > maxIdLength) causes.push(tooLong(path, maxIdLength));
  checkText(isCIdentifier, id, path, causes);
}

/** `identifier` or `domain/identifier`. */
export function validateQualifiedDeviceName(value: unknown, path: string, causes: Causes): void {
  const name = textOf(value);
  const parts = name.split("/");
  if (parts.length > 2) return void causes.push(invalid(path, name, "must not contain more than one slash"));
  const [domain, id] = parts.length === 1 ? [undefined, name] : (parts as [string, string]);
  if (domain === undefined) return validateIdentifier(id, path, causes);
  if (domain === "") causes.push(invalid(path, "", "the domain must not be empty"));
  else validateCsiDriverName(domain, path, causes);
  if (id === "") causes.push(invalid(path, "", "the name must not be empty"));
  else validateIdentifier(id, path, causes);
}

export function validateFullyQualifiedDeviceName(value: unknown, path: string, causes: Causes): void {
  validateQualifiedDeviceName(value, path, causes);
  if (!textOf(value).includes("/")) {
    causes.push(
      invalid(path, textOf(value), "a fully qualified name must be a domain and a name separated by a slash"),
    );
  }
}

const maxPolicyValues = 10;

/** A capacity that several claims share. Only integers are steps, as without DRAFractionalCapacityRange. */
export function validateCapacity(capacity: any, mayShare: boolean, path: string, causes: Causes): void {
  const policy = capacity?.requestPolicy;
  if (!isSet(policy)) return;
  const field = `${path}.requestPolicy`;
  if (!mayShare) return void causes.push(forbidden(field, "allowMultipleAllocations must be true"));
  const values = listOf(policy.validValues);
  if (values.length > 0 && policy.validRange) {
    causes.push(
      forbidden(
        field,
        'exactly one policy can be specified, cannot specify "validValues" and "validRange" at the same time',
      ),
    );
  } else if (values.length > 0) {
    if (!isSet(policy.default)) causes.push(required(`${field}.default`, "required when validValues is defined"));
    else validateValues(policy.default, capacity.value, values, `${field}.validValues`, causes);
  } else if (policy.validRange) {
    if (!isSet(policy.default)) causes.push(required(`${field}.default`, "required when validRange is defined"));
    else validateRange(policy.default, capacity.value, policy.validRange, `${field}.validRange`, causes);
  }
}

function validateValues(standard: unknown, capacity: unknown, values: any[], path: string, causes: Causes): void {
  const [whole, preset] = [quantityOf(capacity), quantityOf(standard)];
  const options = values.map(quantityOf);
  for (const [index, option] of options.slice(1).entries()) {
    if (options[index]!.cmp(option) > 0) {
      causes.push(invalid(`${path}[${index + 1}]`, option.toString(), "values must be sorted in ascending order"));
    }
  }
  const check: ItemCheck = (value, field, found) => {
    const option = quantityOf(value);
    if (option.cmp(whole) > 0)
      found.push(invalid(field, option.toString(), `option is larger than capacity value: ${whole.toString()}`));
  };
  validateSet(values, maxPolicyValues, check, (value) => quantityOf(value).value().toString(), path, causes);
  if (!options.some((option) => option.cmp(preset) === 0)) {
    causes.push(invalid(path, preset.toString(), "default value is not valid according to the requestPolicy"));
  }
}

function validateRange(standard: unknown, capacity: unknown, range: any, path: string, causes: Causes): void {
  if (!isSet(range.min)) return void causes.push(required(`${path}.min`, "required when validRange is defined"));
  const [whole, preset, min] = [quantityOf(capacity), quantityOf(standard), quantityOf(range.min)];
  const max = isSet(range.max) ? quantityOf(range.max) : undefined;
  const refuse = (field: string, value: Quantity, detail: string) =>
    causes.push(invalid(`${path}.${field}`, value.toString(), detail));
  if (min.cmp(whole) > 0) refuse("min", min, `min is larger than capacity value: ${whole.toString()}`);
  if (preset.cmp(min) < 0) refuse("default", preset, `default is less than min: ${min.toString()}`);
  if (max !== undefined) {
    if (min.cmp(max) > 0) refuse("max", min, `min is larger than max: ${max.toString()}`);
    if (max.cmp(whole) > 0) refuse("max", max, `max is larger than capacity value: ${whole.toString()}`);
    if (preset.cmp(max) > 0) refuse("default", preset, `default is more than max: ${max.toString()}`);
  }
  if (!isSet(range.step)) return;
  const step = quantityOf(range.step);
  if (step.sign() <= 0) return void refuse("step", step, "must be greater than zero");
  const next = min.add(step);
  if (next.cmp(whole) > 0)
    refuse("step", step, `one step ${next.toString()} is larger than capacity value: ${whole.toString()}`);
  for (const value of [preset, max]) {
    if (value !== undefined && (value.value() - min.value()) % step.value() !== 0n) {
      refuse("step", value, `value is not a multiple of a given step (${step.toString()}) from (${min.toString()})`);
    }
  }
}

export function validateDeviceName(value: unknown, path: string, causes: Causes): void {
  dnsLabel(value, path, causes);
}
