import { expect, test, vi } from "vitest";
import { FakeClock } from "../../apimachinery/clock.ts";
import type { Env } from "../../env.ts";
import { MemoryStorage } from "../../storage/memory/memory-storage.ts";
import { controllerManagerUser } from "../authentication/user-info.ts";
import { buildHandlerChain } from "../handler-chain.ts";

// The runtime's own pipe, which Node does not have.
vi.stubGlobal("IdentityTransformStream", TransformStream);

const clock = new FakeClock();
const memory = new MemoryStorage(clock);
const refuse = async () => Promise.reject(new Error("not used here"));
const storage = { cluster: "expired", for: () => memory, events: refuse, watchCache: () => ({ fetch: refuse }) };
const env = {
  CLUSTER_DIRECTORY: { idFromName: () => ({}), get: () => ({ addResource: async () => {} }) },
} as unknown as Env;
const chain = buildHandlerChain(async () => {});

async function ask(method: string, path: string, body?: object): Promise<{ status: number; json: any }> {
  const response = await chain(
    new Request(`https://loopback${path}`, {
      method,
      headers: { "Content-Type": "application/json" },
      ...(body ? { body: JSON.stringify(body) } : {}),
    }),
    { env, clock, random: Math.random, loopbackUser: controllerManagerUser, storage },
  );
  return { status: response.status, json: await response.json() };
}
const names = (list: any) => list.items.map(({ metadata }: any) => metadata.name);

test("a continue token of a compacted moment answers 410 with one that goes on without consistency", async () => {
  const nodes = "/api/v1/nodes";
  for (const name of ["a", "b", "c", "d"]) expect((await ask("POST", nodes, { metadata: { name } })).status).toBe(201);
  const first = (await ask("GET", `${nodes}?limit=1`)).json;
  expect(names(first)).toEqual(["a"]);
  const old = first.metadata.resourceVersion;
  await ask("POST", nodes, { metadata: { name: "bb" } });
  memory.compact(await memory.currentRevision());

  for (const suffix of ["", "&labelSelector=!x"]) {
    const expired = await ask(
      "GET",
      `${nodes}?limit=2&continue=${encodeURIComponent(first.metadata.continue)}${suffix}`,
    );
    expect(expired.status).toBe(410);
    expect(expired.json).toMatchObject({ kind: "Status", reason: "Expired", code: 410 });
    expect(expired.json.message).toMatch(
      /^The provided continue parameter is too old to display a consistent list result\. You can start a new list/,
    );
    const second = (
      await ask("GET", `${nodes}?limit=2&continue=${encodeURIComponent(expired.json.metadata.continue)}${suffix}`)
    ).json;
    expect(names(second)).toEqual(["b", "bb"]);
    expect(Number(second.metadata.resourceVersion)).toBeGreaterThan(Number(old));
    const third = (
      await ask("GET", `${nodes}?limit=2&continue=${encodeURIComponent(second.metadata.continue)}${suffix}`)
    ).json;
    expect(names(third)).toEqual(["c", "d"]);
    expect(third.metadata.continue).toBeUndefined();
  }
  const exact = await ask("GET", `${nodes}?resourceVersion=${old}&resourceVersionMatch=Exact`);
  expect(exact).toMatchObject({
    status: 410,
    json: { reason: "Expired", message: "The resourceVersion for the provided list is too old." },
  });
});

test("a continue token expires with time, and what goes on without consistency has a revision of its own", async () => {
  const nodes = "/api/v1/nodes";
  const first = (await ask("GET", `${nodes}?limit=2`)).json;
  const next = `${nodes}?limit=2&continue=${encodeURIComponent(first.metadata.continue)}`;
  await clock.advance(4 * 60_000);
  const second = await ask("GET", next);
  expect([second.status, second.json.metadata.resourceVersion]).toEqual([200, first.metadata.resourceVersion]);
  await clock.advance(2 * 60_000);
  for (const page of [first, second.json]) {
    const url = `${nodes}?limit=2&continue=${encodeURIComponent(page.metadata.continue)}`;
    const expired = await ask("GET", url);
    expect(expired).toMatchObject({ status: 410, json: { reason: "Expired" } });
    const rest = await ask("GET", `${nodes}?limit=2&continue=${encodeURIComponent(expired.json.metadata.continue)}`);
    expect(Number(rest.json.metadata.resourceVersion)).toBeGreaterThan(Number(first.metadata.resourceVersion));
    if (page === first) expect(names(rest.json)).toEqual(names(second.json));
  }
  expect(names((await ask("GET", nodes)).json)).not.toContain("compact_rev_key");
});
