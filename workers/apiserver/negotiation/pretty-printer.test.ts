import { expect, test } from "vitest";
import { prettyPrinter } from "./pretty-printer.ts";

async function pretty(text: string, chunkLength: number): Promise<string> {
  const bytes = new TextEncoder().encode(text);
  const chunks = new ReadableStream<Uint8Array>({
    start(controller) {
      for (let at = 0; at < bytes.length; at += chunkLength) controller.enqueue(bytes.slice(at, at + chunkLength));
      controller.close();
    },
  });
  return new Response(chunks.pipeThrough(prettyPrinter())).text();
}

test("indents as JSON.stringify does, however the text is cut", async () => {
  const value = { a: [], b: {}, c: [1, -2.5, null, true, { d: 'x"\\,:{}[] é', e: [[], [{}]] }], "f:g": "" };
  for (const length of [1, 2, 7, 1_000]) {
    expect(await pretty(`${JSON.stringify(value)}\n`, length)).toBe(JSON.stringify(value, null, 2));
  }
  expect(await pretty('{ "a" : [ ] ,\n"b":1 }', 3)).toBe('{\n  "a": [],\n  "b": 1\n}');
});
