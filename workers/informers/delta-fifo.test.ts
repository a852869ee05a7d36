import { expect, test } from "vitest";
import type { KubeObject } from "../apimachinery/meta.ts";
import { DeltaFifo } from "./delta-fifo.ts";

const object = (name: string, resourceVersion = "1"): KubeObject => ({ metadata: { name, resourceVersion } });

function fifoOver(known: KubeObject[] = []) {
  const objects = new Map(known.map((one) => [one.metadata.name!, one]));
  const fifo = new DeltaFifo({ keys: () => objects.keys(), getByKey: (key) => objects.get(key) });
  const pop = () => {
    let popped: string | undefined;
    fifo.pop((key, deltas, initial) => {
      const texts = deltas.map(
        (delta) => `${delta.type}${delta.finalStateUnknown ? "?" : ""}@${delta.object.metadata.resourceVersion}`,
      );
      popped = `${key}${initial ? "*" : ""}: ${texts.join(" ")}`;
    });
    return popped;
  };
  const all = () => {
    const popped: string[] = [];
    for (let one = pop(); one !== undefined; one = pop()) popped.push(one);
    return popped;
  };
  return { fifo, pop, all };
}

test("changes of a key are popped together, keys in order of their first change", () => {
  const { fifo, all } = fifoOver();
  fifo.add(object("a", "1"));
  fifo.add(object("b", "2"));
  fifo.update(object("a", "3"));
  expect(all()).toEqual(["a: Added@1 Updated@3", "b: Added@2"]);
});

test("two deletions in a row are one, and the one that saw the final state stays", () => {
  const { fifo, all } = fifoOver([object("a", "1"), object("b", "1")]);
  fifo.delete(object("a", "5"));
  fifo.delete(object("a", "6"));
  fifo.replace([]);
  fifo.delete(object("b", "7"));
  expect(all()).toEqual(["a: Deleted@6", "b: Deleted@7"]);
});

test("deletion of what nobody knows is dropped", () => {
  const { fifo, all } = fifoOver();
  fifo.delete(object("a"));
  expect(all()).toEqual([]);
});

test("a list reveals missed deletions as tombstones with the newest known state", () => {
  const { fifo, all } = fifoOver([object("gone", "1"), object("kept", "1"), object("changed", "1")]);
  fifo.update(object("changed", "2"));
  fifo.replace([object("kept", "1"), object("new", "4")]);
  expect(all()).toEqual(
    ["changed: Updated@2 Deleted?@2", "kept*: Replaced@1", "new*: Replaced@4", "gone*: Deleted?@1"].map((text) =>
      text.replace("*", ""),
    ),
  );
});

test("synced when the first list has been popped, also an empty one", () => {
  const { fifo, pop } = fifoOver();
  expect(fifo.hasSynced).toBe(false);
  fifo.replace([object("a"), object("b")]);
  expect(pop()).toBe("a*: Replaced@1");
  expect(fifo.hasSynced).toBe(false);
  expect(pop()).toBe("b*: Replaced@1");
  expect(fifo.hasSynced).toBe(true);
  const empty = fifoOver();
  empty.fifo.replace([]);
  expect(empty.fifo.hasSynced).toBe(true);
});

test("resync queues what has no change waiting", () => {
  const { fifo, all } = fifoOver([object("a", "1"), object("b", "1")]);
  fifo.update(object("a", "2"));
  fifo.resync();
  expect(all()).toEqual(["a: Updated@2", "b: Sync@1"]);
});
