import { describe, expect, it } from "vitest";
import { newEventEncoder } from "./event-encoder.ts";
import type { EncodedEvent } from "./event-encoder.ts";
import type { Representation } from "./protocol.ts";

const value = '{"metadata":{"name":"a","labels":{"app":"web"},"resourceVersion":"7"},"spec":{"x":1}}';
const event = { type: "MODIFIED" as const, key: "/registry/pods/default/a", revision: 7, value };
const metadata = { name: "a", labels: { app: "web" }, resourceVersion: "7" };
const column = { name: "Name", type: "string", format: "name", description: "", priority: 0 };

function table(includeObject: "None" | "Metadata" | "Object", tableVersion: "v1" | "v1beta1" = "v1"): Representation {
  return { kind: "table", apiVersion: "v1", objectKind: "Pod", tableVersion, includeObject, columns: "pods" };
}

describe("newEventEncoder", () => {
  const encoder = newEventEncoder({
    tableRowsFor: (columns, [object]) => {
      if (columns !== "pods") throw new Error("no such printer");
      return { columnDefinitions: [column], rows: [{ cells: [object!.metadata.name ?? "", object!.kind] }] };
    },
  });
  const decode = (line: EncodedEvent) => {
    const text = line as string;
    expect(text.endsWith("\n")).toBe(true);
    return JSON.parse(text);
  };

  it("W16 shows an event in another encoding, with what the representation makes of its object", () => {
    const encoding = "cbor" as const;
    const encodeFrame = (...frame: unknown[]) => new TextEncoder().encode(JSON.stringify(frame));
    const binary = newEventEncoder({ encodeFrame });
    const read = (line: EncodedEvent) => JSON.parse(new TextDecoder().decode(line as Uint8Array));
    const object = { kind: "object", apiVersion: "v1", objectKind: "Pod", encoding } as const;
    const partial = { ...object, kind: "partial", metaVersion: "v1" } as const;
    expect(read(binary.encode(event, object, true))).toEqual([
      "MODIFIED",
      { kind: "Pod", apiVersion: "v1", ...JSON.parse(value) },
      "cbor",
    ]);
    expect(read(binary.encodeBookmark(9, false, partial, false))).toEqual([
      "BOOKMARK",
      { kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1", metadata: { resourceVersion: "9" } },
      "cbor",
    ]);
  });

  it("W16 shows an object with its type meta in front", () => {
    const text = encoder.encode(event, { kind: "object", apiVersion: "v1", objectKind: "Pod" }, true);
    expect(text).toBe(`{"type":"MODIFIED","object":{"kind":"Pod","apiVersion":"v1",${value.slice(1)}}\n`);
  });

  it("W16 shows metadata alone as PartialObjectMetadata", () => {
    const partial: Representation = { kind: "partial", apiVersion: "v1", objectKind: "Pod", metaVersion: "v1beta1" };
    const shown = { kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1beta1" };
    expect(decode(encoder.encode(event, partial, false))).toEqual({ type: "MODIFIED", object: { ...shown, metadata } });
    expect(decode(encoder.encodeBookmark(9, false, partial, false))).toEqual({
      type: "BOOKMARK",
      object: { ...shown, metadata: { resourceVersion: "9" } },
    });
  });

  it.each([
    ["None" as const, null],
    ["Metadata" as const, { kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1", metadata }],
    ["Object" as const, { kind: "Pod", apiVersion: "v1", metadata, spec: { x: 1 } }],
  ])("W16 shows a table row with %s; only a first line has the columns", (includeObject, object) => {
    const shown = (first: boolean) => decode(encoder.encode(event, table(includeObject), first));
    expect(shown(true)).toEqual({
      type: "MODIFIED",
      object: {
        kind: "Table",
        apiVersion: "meta.k8s.io/v1",
        metadata: { resourceVersion: "7" },
        columnDefinitions: [column],
        rows: [{ cells: ["a", "Pod"], object }],
      },
    });
    expect(shown(false).object.columnDefinitions).toBeNull();
  });

  it("W16 an object that cannot be printed is shown as it is", () => {
    const representation = { ...table("None"), columns: "unknown" } as Representation;
    expect(decode(encoder.encode(event, representation, true)).object.kind).toBe("Pod");
  });

  it("W16 converts to the version asked for", () => {
    const converting = newEventEncoder({
      convert: (stored, apiVersion) => stored.replace('"x":1', `"x":"${apiVersion}"`),
    });
    const text = converting.encode(event, { kind: "object", apiVersion: "v2", objectKind: "Pod" }, true);
    expect(decode(text).object).toEqual({ kind: "Pod", apiVersion: "v2", metadata, spec: { x: "v2" } });
  });
});
