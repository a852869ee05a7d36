import { formatTime } from "../../apimachinery/clock.ts";
import type { KubeObject } from "../../apimachinery/meta.ts";
import { isDns1123Subdomain } from "../../apimachinery/validation-names.ts";
import type { EventOptions } from "./event-recorder.ts";

/** core/v1 Event as client-go's recorder writes it. Treated as immutable. */
export interface CoreEvent extends KubeObject {
  metadata: { name: string; namespace: string; annotations?: Record<string, string> };
  involvedObject: {
    kind: string;
    apiVersion: string;
    name: string;
    namespace?: string;
    uid?: string;
    resourceVersion?: string;
    fieldPath?: string;
  };
  reason: string;
  message: string;
  source: { component: string; host?: string };
  firstTimestamp: string;
  lastTimestamp: string;
  count: number;
  type: string;
  eventTime: null;
  reportingComponent: string;
  reportingInstance: string;
}

export interface CoreEventArguments {
  component: string;
  about: KubeObject;
  type: string;
  reason: string;
  message: string;
  options: EventOptions;
  /** Epoch milliseconds. */
  now: number;
  /** Nanoseconds since the epoch, unique to this event. */
  nanoseconds: bigint;
}

/** Mirrors makeEvent of client-go tools/record/event.go (1.36). */
export function newCoreEvent(given: CoreEventArguments): CoreEvent {
  const { component, about, options } = given;
  const { name = "", namespace, uid, resourceVersion } = about.metadata;
  const time = formatTime(given.now);
  const { host, fieldPath, annotations } = options;
  return {
    kind: "Event",
    apiVersion: "v1",
    metadata: {
      name: eventName(name, given.nanoseconds),
      namespace: namespace || "default",
      ...(annotations === undefined ? {} : { annotations }),
    },
    involvedObject: {
      kind: about.kind ?? "",
      ...(namespace ? { namespace } : {}),
      name,
      ...(uid ? { uid } : {}),
      apiVersion: about.apiVersion ?? "",
      ...(resourceVersion ? { resourceVersion } : {}),
      ...(fieldPath ? { fieldPath } : {}),
    },
    reason: given.reason,
    message: given.message,
    source: { component, ...(host ? { host } : {}) },
    firstTimestamp: time,
    lastTimestamp: time,
    count: 1,
    type: given.type,
    eventTime: null,
    reportingComponent: component,
    reportingInstance: host ?? "",
  };
}

/** `<object>.<hex of the time>`; without the object's name where that would not be a name (RBAC roles, long names). */
export function eventName(objectName: string, nanoseconds: bigint): string {
  const suffix = nanoseconds.toString(16);
  const name = `${objectName}.${suffix}`;
  return isDns1123Subdomain(name).length === 0 ? name : `event.${suffix}`;
}
