import { expect, it } from "vitest";
import { endOfValue, metadataText, withResourceVersion } from "./object-scanner.ts";

const awkward = [
  {
    metadata: { name: "a", annotations: { resourceVersion: '{"x":"}' }, resourceVersion: "1" },
    data: { text: '\\"}],{' },
  },
  {
    metadata: { name: "b", resourceVersion: "22" },
    items: [{ metadata: { resourceVersion: "7" } }, { metadata: {} }],
    empty: "",
  },
  { metadata: { name: "ü\\\\", resourceVersion: "3" }, list: [[], {}, "]", "\\"] },
];

it("finds the end of a value whatever its strings hold", () => {
  for (const object of awkward) {
    const text = JSON.stringify(object);
    expect(endOfValue(`${text},{`, 0)).toBe(text.length);
    for (let cut = 1; cut < text.length; cut++) expect(endOfValue(text.slice(0, cut), 0)).toBe(-1);
  }
});

it("replaces the object's own resourceVersion and nothing else", () => {
  for (const object of awkward) {
    const replaced = JSON.parse(withResourceVersion(JSON.stringify(object), 12345));
    expect(replaced).toEqual({ ...object, metadata: { ...object.metadata, resourceVersion: "12345" } });
    expect(JSON.parse(metadataText(JSON.stringify(object)))).toEqual(object.metadata);
    expect(JSON.parse(metadataText(JSON.stringify({ spec: {}, ...object })))).toEqual(object.metadata);
  }
});
