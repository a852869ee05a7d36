import type { KubeObject, ObjectMeta } from "../../apimachinery/meta.ts";
import { initialEventsAnnotation } from "../../apimachinery/watch-event.ts";
import { withTypeMeta } from "../encode-object.ts";
import type { StorageWatchMessage } from "../interfaces.ts";
import { metadataText } from "./object-scanner.ts";
import type { EventEncoding, Representation } from "./protocol.ts";

/** An event to be shown. */
export interface EncodableEvent {
  type: "ADDED" | "MODIFIED" | "DELETED";
  key: string;
  revision: number;
  /** Stored text of the object to show. */
  value: string;
  /** Stored text of the object before, for storage events only. */
  previous?: string;
}

/** Text that ends in a newline, or the bytes of an event that delimits itself. */
export type EncodedEvent = string | Uint8Array;

/**
 * Makes the events of a watch stream. `first` is set for a watcher's first one: only that one carries a table's column
 * definitions. Text, unless the representation has an encoding.
 */
export interface EventEncoder {
  encode(event: EncodableEvent, representation: Representation, first: boolean): EncodedEvent;
  encodeBookmark(
    revision: number,
    initialEventsEnd: boolean,
    representation: Representation,
    first: boolean,
  ): EncodedEvent;
}

/** metav1.TableColumnDefinition */
export interface TableColumnDefinition {
  name: string;
  type: string;
  format: string;
  description: string;
  priority: number;
}

/** The column definitions of a printer and one row of cells for each object. */
export type TableRowsFor = (
  columns: string,
  objects: KubeObject[],
) => { columnDefinitions: TableColumnDefinition[]; rows: { cells: unknown[]; conditions?: unknown[] }[] };

/** An event in an encoding that is no text, framed as its stream wants it. */
export type EncodeFrame = (type: string, object: KubeObject, encoding: EventEncoding) => Uint8Array;

/** A stored text in another version of its kind; without type meta, as it is stored. */
export type ConvertStored = (value: string, apiVersion: string, kind: string) => string;

/**
 * Mirrors the transformations of k8s.io/apiserver pkg/endpoints/handlers/response.go (1.36): an object that cannot be
 * shown as asked is shown as it is.
 */
export function newEventEncoder(options: {
  tableRowsFor?: TableRowsFor;
  convert?: ConvertStored;
  encodeFrame?: EncodeFrame;
}): EventEncoder {
  const convert: ConvertStored = options.convert ?? ((value) => value);

  function shownObject(
    value: string,
    representation: Exclude<Representation, { kind: "storage" }>,
    first: boolean,
  ): string {
    const { apiVersion, objectKind } = representation;
    const stored = convert(value, apiVersion, objectKind);
    switch (representation.kind) {
      case "object":
        return withTypeMeta(stored, apiVersion, objectKind);
      case "partial":
        return partialObject(stored, representation.metaVersion);
      case "table":
        if (options.tableRowsFor === undefined) return withTypeMeta(stored, apiVersion, objectKind);
        try {
          return table(stored, representation, options.tableRowsFor, first);
        } catch {
          return withTypeMeta(stored, apiVersion, objectKind);
        }
    }
  }

  function shownEvent(type: string, text: string, representation: Representation): EncodedEvent {
    const encoding = "encoding" in representation ? representation.encoding : undefined;
    if (encoding === undefined) return `{"type":"${type}","object":${text}}\n`;
    if (options.encodeFrame === undefined) throw new Error(`no encoder for ${encoding}`);
    return options.encodeFrame(type, JSON.parse(text) as KubeObject, encoding);
  }

  return {
    encode(event, representation, first) {
      if (representation.kind === "storage") return storageLine({ kind: "event", event: { ...event } });
      return shownEvent(event.type, shownObject(event.value, representation, first), representation);
    },
    encodeBookmark(revision, initialEventsEnd, representation, first) {
      if (representation.kind === "storage") {
        return storageLine({ kind: "bookmark", revision, ...(initialEventsEnd ? { initialEventsEnd } : {}) });
      }
      const annotations = initialEventsEnd ? `"annotations":{"${initialEventsAnnotation}":"true"},` : "";
      const value = `{"metadata":{${annotations}"resourceVersion":"${revision}"}}`;
      const text =
        representation.kind === "object"
          ? withTypeMeta(value, representation.apiVersion, representation.objectKind)
          : representation.kind === "partial"
            ? partialObject(value, representation.metaVersion)
            : shownObject(value, representation, first);
      return shownEvent("BOOKMARK", text, representation);
    },
  };
}

/** One line of a `storage` stream. */
export function storageLine(message: StorageWatchMessage): string {
  return `${JSON.stringify(message)}\n`;
}

function partialObject(stored: string, metaVersion: "v1" | "v1beta1"): string {
  return `{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/${metaVersion}","metadata":${metadataText(stored)}}`;
}

function table(
  stored: string,
  representation: Extract<Representation, { kind: "table" }>,
  tableRowsFor: TableRowsFor,
  first: boolean,
): string {
  const { apiVersion, objectKind, tableVersion, includeObject } = representation;
  const object = { kind: objectKind, apiVersion, ...(JSON.parse(stored) as { metadata: ObjectMeta }) };
  const { columnDefinitions, rows } = tableRowsFor(representation.columns, [object]);
  const shown =
    includeObject === "None"
      ? "null"
      : includeObject === "Metadata"
        ? partialObject(stored, tableVersion)
        : withTypeMeta(stored, apiVersion, objectKind);
  const rowTexts = rows.map(({ cells, conditions }) => {
    const conditionsText = conditions === undefined ? "" : `"conditions":${JSON.stringify(conditions)},`;
    return `{"cells":${JSON.stringify(cells)},${conditionsText}"object":${shown}}`;
  });
  const metadata = JSON.stringify({ resourceVersion: object.metadata.resourceVersion ?? "" });
  const columnsText = JSON.stringify(first ? columnDefinitions : null);
  return `{"kind":"Table","apiVersion":"meta.k8s.io/${tableVersion}","metadata":${metadata},"columnDefinitions":${columnsText},"rows":[${rowTexts.join(",")}]}`;
}
