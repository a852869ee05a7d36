import { describe, expect, test } from "vitest";
import { formatJsonPathValue, parseJsonPath } from "./jsonpath.ts";

const object = {
  metadata: { name: "a", annotations: { "example.com/note": "n" } },
  spec: {
    replicas: 3,
    ports: [
      { name: "http", port: 80 },
      { name: "https", port: 443 },
    ],
  },
  status: {
    conditions: [
      { type: "Synced", status: "False" },
      { type: "Ready", status: "True" },
    ],
  },
};
const find = (path: string) => parseJsonPath(path).find(object);

describe("Kubernetes JSONPath", () => {
  test.each([
    [".spec.replicas", [3]],
    [".spec.ports[0].name", ["http"]],
    [".spec.ports[-1].port", [443]],
    [".spec.ports[*].port", [80, 443]],
    [".spec.ports[0:1].port", [80]],
    [".spec.ports[0,1].name", ["http", "https"]],
    [`.status.conditions[?(@.type=="Ready")].status`, ["True"]],
    [`.status.conditions[?(@.type == 'Ready' && @.status == 'False')].status`, []],
    [".spec.ports[?(@.port>100)].name", ["https"]],
    [String.raw`.metadata.annotations.example\.com/note`, ["n"]],
    [".metadata.annotations['example.com/note']", ["n"]],
    ["..port", [80, 443]],
    [".spec.missing.deeper", []],
    ["$.metadata.name", ["a"]],
  ])("%s", (path, expected) => expect(find(path)).toEqual(expected));

  test("a path that makes no sense is refused", () => {
    for (const path of [".spec.ports[", ".spec.ports[x]", ".spec)"]) expect(() => parseJsonPath(path)).toThrow();
  });

  test("objects print as JSON, texts as they are", () => {
    expect([{ a: 1 }, [1], "x", 2, true].map(formatJsonPathValue)).toEqual(['{"a":1}', "[1]", "x", "2", "true"]);
  });
});
