import type { KubeObject } from "../../apimachinery/meta.ts";
import type { Converter } from "../conversion.ts";

/** [events.k8s.io/v1, core/v1], in both directions. Mirrors pkg/apis/events/v1/conversion.go (1.36). */
const renamed: readonly [string, string][] = [
  ["regarding", "involvedObject"],
  ["note", "message"],
  ["reportingController", "reportingComponent"],
  ["deprecatedSource", "source"],
  ["deprecatedFirstTimestamp", "firstTimestamp"],
  ["deprecatedLastTimestamp", "lastTimestamp"],
  ["deprecatedCount", "count"],
];

function rename(object: KubeObject, pairs: readonly (readonly [string, string])[]): KubeObject {
  const names = new Map(pairs);
  return Object.fromEntries(
    Object.entries(object).map(([name, value]) => [names.get(name) ?? name, value]),
  ) as KubeObject;
}

export const eventsV1: Converter = {
  toStorage: (object) => rename(object, renamed),
  toStorageField(field) {
    const [first = "", ...rest] = field.split(".");
    return [new Map(renamed).get(first) ?? first, ...rest].join(".");
  },
  fromStorage: (object) =>
    rename(
      object,
      renamed.map(([served, stored]) => [stored, served] as const),
    ),
};
