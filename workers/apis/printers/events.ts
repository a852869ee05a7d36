import type { KubeObject } from "../../apimachinery/meta.ts";
import { count, millisecondsOf, since, text } from "./cells.ts";
import { column, name, tablePrinter, wide } from "./columns.ts";

/**
 * Events, in the form of the core group and in that of events.k8s.io (regarding, note, deprecated…).
 * Mirrors printEvent of pkg/printers/internalversion/printers.go (1.36).
 */

function firstSeen(event: KubeObject, now: number): string {
  const first = event.firstTimestamp ?? event.deprecatedFirstTimestamp;
  return since(millisecondsOf(first) === undefined ? event.eventTime : first, now);
}

function lastSeen(event: KubeObject, now: number): string {
  if (event.series) return since(event.series.lastObservedTime, now);
  const last = event.lastTimestamp ?? event.deprecatedLastTimestamp;
  return millisecondsOf(last) === undefined ? firstSeen(event, now) : since(last, now);
}

/** Events of the new API are single or a series: without a count there is one. */
function occurrences(event: KubeObject): number {
  return event.series ? count(event.series.count) : count(event.count ?? event.deprecatedCount) || 1;
}

const involved = (event: KubeObject): any => event.involvedObject ?? event.regarding ?? {};

function target(event: KubeObject): string {
  const { kind, name } = involved(event);
  return text(name) === "" ? text(kind).toLowerCase() : `${text(kind).toLowerCase()}/${name}`;
}

function source(event: KubeObject): string {
  const { component, host } = event.source ?? event.deprecatedSource ?? {};
  const controller = text(component) || text(event.reportingComponent) || text(event.reportingController);
  const instance = text(host) || text(event.reportingInstance);
  return instance === "" ? controller : `${controller}, ${instance}`;
}

const events = tablePrinter(
  column("Last Seen", "Time since the last occurrence.", lastSeen),
  column("Type", "Normal or Warning.", (event) => text(event.type)),
  column("Reason", "Why it happened, in one word.", (event) => text(event.reason)),
  column("Object", "The object that the event is about.", target),
  wide(column("Subobject", "Part of the object.", (event) => text(involved(event).fieldPath))),
  wide(column("Source", "Component that reported it.", source)),
  column("Message", "What happened.", (event) => text(event.message ?? event.note).trim()),
  wide(column("First Seen", "Time since the first occurrence.", firstSeen)),
  wide(column("Count", "Number of occurrences.", occurrences)),
  wide(name),
);

export const eventPrinters = { events };
