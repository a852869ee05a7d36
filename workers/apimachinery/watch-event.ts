import type { KubeObject } from "./meta.ts";

export type WatchEventType = "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK" | "ERROR";

/** metav1.WatchEvent in its decoded form. For ERROR the object is a metav1.Status. */
export interface WatchEvent<T = KubeObject> {
  type: WatchEventType;
  object: T;
}

/** Set to "true" on the bookmark that ends the initial events of a streaming list. */
export const initialEventsAnnotation = "k8s.io/initial-events-end";
