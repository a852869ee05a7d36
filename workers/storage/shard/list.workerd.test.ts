import { describe, expect, it } from "vitest";
import { nth, ordinal } from "../../../test/support/revisions.ts";
import { change, create, nextMacrotask, things, withShard } from "../../../test/support/shard-in-workerd.ts";

describe("lists of a shard", () => {
  it("S32: a large list is made in steps at one snapshot, and writers get their turn between them", () =>
    withShard({ historyMilliseconds: 0, historyRevisions: 0 }, async (bench) => {
      for (let call = 0; call < 3; call++) {
        await bench.run(...Array.from({ length: 700 }, (_, i) => create(`n${call * 700 + i + 1000}`)));
      }
      const before = (await bench.list({ prefix: things })).names;
      const steps: string[] = [];
      bench.onExec = (query) => {
        if (query.includes("json_each")) steps.push("read");
      };
      const list = bench.list({ prefix: things });
      while (steps.length === 0) await nextMacrotask();
      for (let i = 0; i < 4; i++) {
        await bench.run(change("delete", `n${1000 + i * 600}`, i * 600 + 1), create(`n${i}`));
        steps.push("write");
        await bench.shard.compact();
      }
      const { header, names } = await list;
      expect(header).toEqual({ revision: nth(2_100), count: 2_100 });
      expect(names).toEqual(before);
      expect(steps.filter((step) => step === "read")).toHaveLength(5);
      expect(steps.indexOf("write")).toBeLessThan(steps.lastIndexOf("read"));
      expect((await bench.list({ prefix: things })).header).toEqual({ revision: nth(2_108), count: 2_100 });
    }));

  it(
    "S32: above 8 MB a list is streamed, complete, at its snapshot, whatever happens meanwhile",
    () =>
      withShard({ historyMilliseconds: 0, historyRevisions: 0 }, async (bench) => {
        const filler = "ü".repeat(300_000);
        for (let i = 0; i < 60; i++) await bench.run(create(`n${i + 10}`, filler));
        const response = await bench.listResponse({ prefix: things });
        expect(JSON.parse(response.headers.get("edgeplane-list")!)).toEqual({ revision: nth(60), count: 60 });
        const reader = response.body!.getReader();
        const chunks = [(await reader.read()).value!];
        await bench.run(change("delete", "n69", 60), change("update", "n68", 59));
        await bench.shard.compact();
        for (;;) {
          const { value, done } = await reader.read();
          if (done) break;
          chunks.push(value);
        }
        expect(chunks.length).toBeGreaterThan(10);
        const text = await new Blob(chunks).text();
        const objects = JSON.parse(`[${text}]`) as { metadata: { resourceVersion: string }; value: string }[];
        expect(objects.map(({ metadata }) => ordinal(metadata.resourceVersion))).toEqual(
          Array.from({ length: 60 }, (_, i) => i + 1),
        );
        expect(objects.every(({ value }) => value === filler)).toBe(true);
      }),
    60_000,
  );

  it.each([25, 30])(
    "S28 S32: a stream that is read too slowly fails, and never skips an object: %d of 30",
    (gone) =>
      withShard({ historyMilliseconds: 0, historyRevisions: 0 }, async (bench) => {
        for (let i = 1; i <= 30; i++) await bench.run(create(`n${i + 10}`, "x".repeat(1_000_000)));
        const response = await bench.listResponse({ prefix: things });
        await bench.run(change("delete", `n${gone + 10}`, gone));
        await bench.clock.advance(60_000);
        await bench.shard.compact();
        await expect(response.text()).rejects.toThrow();
      }),
    60_000,
  );

  it("S32: with keys, each object is two lines, streamed or not", () =>
    withShard({}, async (bench) => {
      const names = ["a\n", "ü🙂", ...Array.from({ length: 12 }, (_, i) => `n${i + 10}`)].sort();
      for (const filler of ["", "x".repeat(1_000_000)]) {
        for (const name of names) await bench.run(create(name + (filler && "-large"), `\n${filler}`));
        const response = await bench.listResponse({ prefix: things, keys: true });
        const lines = (await response.text()).split("\n");
        expect(lines.pop()).toBe("");
        const keys = lines.filter((_, index) => index % 2 === 0).map((line) => JSON.parse(line) as string);
        expect(keys).toEqual([...keys].sort());
        expect(new Set(keys).size).toBe(filler === "" ? names.length : 2 * names.length);
        for (const [index, key] of keys.entries()) {
          const { metadata } = JSON.parse(lines[2 * index + 1]!) as { metadata: { name: string } };
          expect(things + metadata.name).toBe(key);
        }
      }
    }));

  it("S9: the last key survives the header, whatever is in it", () =>
    withShard({}, async (bench) => {
      const names = ["a\uff21", "a🙂", "a", "ü\n"];
      for (const name of names) await bench.run(create(name));
      const seen: string[] = [];
      let after: string | undefined;
      do {
        const page = await bench.list({
          prefix: things,
          limit: 1,
          match: { kind: "exact", revision: nth(4) },
          ...(after && { after }),
        });
        seen.push(...page.names);
        after = page.header.lastKey as string | undefined;
        await bench.run(change("update", "a🙂", seen.length === 1 ? 2 : seen.length + 3));
      } while (after !== undefined);
      expect(seen).toEqual(["a@3", "a\uff21@1", "a🙂@2", "ü\n@4"]);
    }));
});
