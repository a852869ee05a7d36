import type { KubeObject } from "../../apimachinery/meta.ts";

/** client-go's tools/record: events about an object, deduplicated and aggregated before they are sent. */
export interface EventRecorder {
  event(about: KubeObject, type: "Normal" | "Warning", reason: string, message: string): void;
}
