import type { KubeObject } from "../../apimachinery/meta.ts";
import type { Converter } from "../conversion.ts";

/*
 * resource.k8s.io/v1beta1 puts what a request wants into the request itself, and a device's properties below `basic`.
 * Mirrors pkg/apis/resource/v1beta1/conversion.go (1.36).
 */

const exactFields = [
  "deviceClassName",
  "selectors",
  "allocationMode",
  "count",
  "adminAccess",
  "tolerations",
  "capacity",
];

function toExact(request: Record<string, unknown>): Record<string, unknown> {
  const exactly: Record<string, unknown> = {};
  const rest: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(request)) (exactFields.includes(name) ? exactly : rest)[name] = value;
  const wanted = Object.values(exactly).some((value) => value !== "" && value !== undefined);
  return wanted ? { ...rest, exactly } : rest;
}

function fromExact({ exactly, ...rest }: Record<string, unknown>): Record<string, unknown> {
  return { ...rest, ...(exactly as object | undefined) };
}

function mapRequests(spec: any, convert: (request: Record<string, unknown>) => Record<string, unknown>): any {
  if (!Array.isArray(spec?.devices?.requests)) return spec;
  return { ...spec, devices: { ...spec.devices, requests: spec.devices.requests.map(convert) } };
}

function withSpec(object: KubeObject, change: (spec: any) => any): KubeObject {
  return object.spec === undefined ? object : { ...object, spec: change(object.spec) };
}

export const resourceClaimV1beta1: Converter = {
  toStorage: (object) => withSpec(object, (spec) => mapRequests(spec, toExact)),
  fromStorage: (object) => withSpec(object, (spec) => mapRequests(spec, fromExact)),
};

export const resourceClaimTemplateV1beta1: Converter = {
  toStorage: (object) => withSpec(object, (spec) => ({ ...spec, spec: mapRequests(spec.spec, toExact) })),
  fromStorage: (object) => withSpec(object, (spec) => ({ ...spec, spec: mapRequests(spec.spec, fromExact) })),
};

function mapDevices(spec: any, convert: (device: any) => any): any {
  return Array.isArray(spec.devices) ? { ...spec, devices: spec.devices.map(convert) } : spec;
}

export const resourceSliceV1beta1: Converter = {
  toStorage: (object) =>
    withSpec(object, (spec) => mapDevices(spec, ({ name, basic, ...rest }) => ({ name, ...rest, ...basic }))),
  fromStorage: (object) => withSpec(object, (spec) => mapDevices(spec, ({ name, ...basic }) => ({ name, basic }))),
};
