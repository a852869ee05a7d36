import { env as testEnv, evictDurableObject } from "cloudflare:test";
import { expect, it } from "vitest";
import { realClock } from "../../workers/apimachinery/clock.ts";
import { watchResponse } from "../../workers/apiserver/watch/http-watch.ts";
import type { Env } from "../../workers/env.ts";
import { encodeObject } from "../../workers/storage/encode-object.ts";
import { newShardStorage } from "../../workers/storage/shard/client.ts";

const env = testEnv as unknown as Env;

it("push to http", async () => {
  const name = "http1/configmaps";
  const cache = env.WATCH_CACHE.getByName(name);
  const storage = newShardStorage(env.RESOURCE_SHARD.getByName(name) as never);
  const object = (n: string) => encodeObject({ metadata: { name: n, namespace: "default" }, data: {} });
  await storage.create("/registry/configmaps/default/a", object("a"));
  const response = await watchResponse(
    cache as never,
    { prefix: "/registry/configmaps/", representation: { kind: "object", apiVersion: "v1", objectKind: "ConfigMap" } },
    { clock: realClock, random: Math.random },
  );
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  console.log((await reader.read()).value);
  await storage.create("/registry/configmaps/default/b", object("b"));
  console.log((await reader.read()).value);
  await evictDurableObject(cache);
  await storage.create("/registry/configmaps/default/c", object("c"));
  console.log((await reader.read()).value);
  await reader.cancel();
  expect(1).toBe(1);
});
