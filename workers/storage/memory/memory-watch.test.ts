import { expect, it } from "vitest";
import { nth } from "../../../test/support/revisions.ts";
import { FakeClock } from "../../apimachinery/clock.ts";
import { encodeObject } from "../encode-object.ts";
import { MemoryStorage } from "./memory-storage.ts";

it("a watch that asked for bookmarks gets one a minute, with the newest revision, until it is closed", async () => {
  const clock = new FakeClock();
  const storage = new MemoryStorage(clock);
  const value = encodeObject({ metadata: { name: "a" } });
  await storage.create("/registry/other/a", value);
  const watch = await storage.watch({ prefix: "/registry/things/", since: nth(1), bookmarks: true });
  const messages = watch[Symbol.asyncIterator]();
  await clock.advance(60_000);
  expect((await messages.next()).value).toEqual({ kind: "bookmark", revision: nth(1) });
  await storage.create("/registry/other/b", value);
  await clock.advance(60_000);
  expect((await messages.next()).value).toEqual({ kind: "bookmark", revision: nth(2) });
  watch.close();
  expect(clock.pending).toBe(0);
  expect((await messages.next()).done).toBe(true);
});
