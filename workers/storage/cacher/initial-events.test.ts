import { expect, it } from "vitest";
import { keyedObjects, pieces } from "./initial-events.ts";

const objects: [key: string, value: string][] = [
  ["/registry/things/a", JSON.stringify({ metadata: { name: "a" }, text: '\\"}\n],{' })],
  ["/registry/things/\n", JSON.stringify({ metadata: { name: "ü🙂" } })],
  ["/registry/things/ü🙂", JSON.stringify({ metadata: { name: "b" }, list: [[], {}, "]"] })],
];
const body = new TextEncoder().encode(objects.map(([key, value]) => `${JSON.stringify(key)}\n${value}\n`).join(""));

function inPieces(bytes: Uint8Array, size: number, onCancel?: () => void): ReadableStream<Uint8Array> {
  let start = 0;
  return new ReadableStream({
    pull(controller) {
      if (start >= bytes.length) controller.close();
      else controller.enqueue(bytes.subarray(start, (start += size)));
    },
    cancel: onCancel,
  });
}

async function read(stream: ReadableStream<Uint8Array>): Promise<[string, string][]> {
  const seen: [string, string][] = [];
  for await (const { keys, values } of keyedObjects(stream))
    keys.forEach((key, index) => seen.push([key, values[index]!]));
  return seen;
}

it("reads a list's body wherever it is cut; one that ends too early fails", async () => {
  for (let size = 1; size <= body.length; size++) expect(await read(inPieces(body, size))).toEqual(objects);
  for (let length = 1; length < 100; length += 7) {
    const cut = body.subarray(0, length);
    await expect(read(inPieces(cut, 10))).rejects.toThrow("the list ended within an object");
  }
  expect(await read(inPieces(new Uint8Array(), 1))).toEqual([]);
});

it("cancels the list when its reader goes", async () => {
  let cancelled = false;
  for await (const _ of keyedObjects(inPieces(body, 60, () => (cancelled = true)))) break;
  expect(cancelled).toBe(true);
});

it("cuts objects into pieces of about 256 KiB", () => {
  const values = Array.from({ length: 100 }, (_, index) => "x".repeat(index * 1_000));
  const cut = [...pieces(values)];
  expect(cut.flat()).toEqual(values);
  for (const piece of cut) expect(piece.join("").length).toBeLessThan(400_000);
  expect([...pieces([])]).toEqual([]);
});
