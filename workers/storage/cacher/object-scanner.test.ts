import { expect, it } from "vitest";
import { endOfValue, metadataText, ObjectSplitter, withResourceVersion } from "./object-scanner.ts";

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

it("splits a list's body into objects, wherever it is cut", () => {
  const texts = awkward.map((object) => JSON.stringify(object));
  const body = texts.join(",");
  for (let size = 1; size < 40; size++) {
    const splitter = new ObjectSplitter();
    const objects: string[] = [];
    for (let start = 0; start < body.length; start += size)
      objects.push(...splitter.push(body.slice(start, start + size)));
    expect(objects).toEqual(texts);
    expect(splitter.finished).toBe(true);
  }
});
