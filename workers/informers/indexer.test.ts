import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { KubeObject } from "../apimachinery/meta.ts";
import { Indexer, keyOf } from "./indexer.ts";
import { compareResourceVersions } from "./resource-version.ts";

const pod = (namespace: string, name: string, node?: string): KubeObject => ({
  metadata: { namespace, name },
  spec: { nodeName: node },
});

test("indices follow every change", () => {
  const object = fc.record({
    namespace: fc.constantFrom("a", "b"),
    name: fc.constantFrom("x", "y", "z"),
    node: fc.constantFrom("n1", "n2", undefined),
    remove: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(object), fc.nat(10), (steps, indexAt) => {
      const indexer = new Indexer();
      const model = new Map<string, KubeObject>();
      steps.forEach(({ namespace, name, node, remove }, index) => {
        if (index === indexAt) indexer.addIndex("node", (one) => (one.spec.nodeName ? [one.spec.nodeName] : []));
        const one = pod(namespace, name, node);
        const key = keyOf(one);
        if (remove) {
          indexer.delete(key);
          model.delete(key);
        } else {
          indexer.set(key, one);
          model.set(key, one);
        }
      });
      const sorted = (objects: KubeObject[]) => objects.map((one) => `${keyOf(one)}@${one.spec.nodeName}`).sort();
      expect(sorted(indexer.list())).toEqual(sorted([...model.values()]));
      expect(sorted(indexer.list("a"))).toEqual(
        sorted([...model.values()].filter((one) => one.metadata.namespace === "a")),
      );
      if (steps.length > indexAt) {
        expect(sorted(indexer.byIndex("node", "n1"))).toEqual(
          sorted([...model.values()].filter((one) => one.spec.nodeName === "n1")),
        );
      }
    }),
    { seed: 20260107 },
  );
});

test("an unknown index is an error", () => {
  expect(() => new Indexer().byIndex("none", "x")).toThrow("Index with name none does not exist");
});

test("resource versions are ordered as numbers of any size", () => {
  expect(compareResourceVersions("9", "10")).toBeLessThan(0);
  expect(compareResourceVersions("98765432109876543211", "98765432109876543210")).toBeGreaterThan(0);
  expect(compareResourceVersions("7", "7")).toBe(0);
  expect(compareResourceVersions("", "7")).toBeUndefined();
  expect(compareResourceVersions("abc", "7")).toBeUndefined();
});
