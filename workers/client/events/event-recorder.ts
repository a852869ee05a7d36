import type { KubeObject } from "../../apimachinery/meta.ts";

export interface EventOptions {
  /** The part of the object that is meant, e.g. `spec.containers{web}`. */
  fieldPath?: string;
  annotations?: Record<string, string>;
  /** The node that speaks, where one recorder serves several (source.host, reportingInstance). */
  host?: string;
}

/** client-go's tools/record: events about an object, deduplicated and aggregated before they are sent. */
export interface EventRecorder {
  /** Never throws and never waits. `about` must carry its kind and apiVersion. */
  event(about: KubeObject, type: "Normal" | "Warning", reason: string, message: string, options?: EventOptions): void;
}
