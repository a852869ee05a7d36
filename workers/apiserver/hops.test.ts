import { beforeEach, describe, expect, test, vi } from "vitest";
import { FakeClock } from "../apimachinery/clock.ts";
import type { GroupResource } from "../apimachinery/gvk.ts";
import type { Env } from "../env.ts";
import type { StorageFactory } from "../registry/storage-factory.ts";
import type { Storage } from "../storage/interfaces.ts";
import { MemoryStorage } from "../storage/memory/memory-storage.ts";
import { controllerManagerUser } from "./authentication/user-info.ts";
import { buildHandlerChain } from "./handler-chain.ts";

/**
 * Calls to Durable Objects per request: each costs more than the work around it. Calls that are issued together share a
 * hop; here they are counted one by one, so these are upper bounds.
 */
// The runtime's own pipe, which Node does not have.
vi.stubGlobal("IdentityTransformStream", TransformStream);

const chain = buildHandlerChain(async () => {});
const clock = new FakeClock(Date.parse("2026-01-02T03:04:05Z"));
let calls: string[] = [];

function countingFactory(): StorageFactory {
  const stores = new Map<string, Storage>();
  const of = (gr: GroupResource): Storage => {
    const key = `${gr.resource}.${gr.group}`;
    if (!stores.has(key)) stores.set(key, new MemoryStorage(clock));
    return new Proxy(stores.get(key)!, {
      get(target, name) {
        const member = Reflect.get(target, name) as unknown;
        if (typeof member !== "function") return member;
        return (...values: unknown[]) => {
          calls.push(`${gr.resource} ${String(name)}`);
          return (member as (...all: unknown[]) => unknown).apply(target, values);
        };
      },
    });
  };
  const refuse = async () => Promise.reject(new Error("not counted here"));
  return { cluster: "hops", for: of, events: refuse, watchCache: () => ({ fetch: refuse }) };
}

const storage = countingFactory();
const env = {
  CLUSTER_DIRECTORY: {
    idFromName: () => ({}),
    get: () => ({ addResource: async () => void calls.push("directory addResource") }),
  },
} as unknown as Env;

async function ask(method: string, path: string, body?: object, type = "application/json"): Promise<any> {
  const request = new Request(`https://loopback${path}`, {
    method,
    headers: { "Content-Type": type },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const response = await chain(request, {
    env,
    clock,
    random: Math.random,
    loopbackUser: controllerManagerUser,
    storage,
  });
  const answer: { message?: string } = await response.json();
  expect(response.status, answer.message ?? "").toBeLessThan(300);
  return answer;
}

const pods = "/api/v1/namespaces/default/pods";
const pod = (name: string) => ({ metadata: { name }, spec: { containers: [{ name: "a", image: "b" }] } });

beforeEach(async () => {
  calls = [];
  await clock.advance(2_000);
});

describe("hops", () => {
  test("a create is one; the first in a second also looks at the namespace, the first of a type also tells the directory", async () => {
    await ask("POST", "/api/v1/namespaces", { metadata: { name: "default" } });
    calls = [];
    await ask("POST", pods, pod("first"));
    expect(calls).toEqual(["directory addResource", "namespaces get", "pods create"]);
    calls = [];
    await ask("POST", pods, pod("second"));
    expect(calls).toEqual(["pods create"]);
  });

  test("a get is one, a list is one", async () => {
    await ask("GET", `${pods}/first`);
    await ask("GET", pods);
    await ask("GET", `${pods}?labelSelector=a&limit=5`);
    expect(calls).toEqual(["pods get", "pods list", "pods list"]);
  });

  test("an update, a patch, a binding, a status is a read and a write; without a change only the read", async () => {
    const current = await ask("GET", `${pods}/first`);
    calls = [];
    await ask("PUT", `${pods}/first`, { ...current, metadata: { ...current.metadata, labels: { a: "b" } } });
    expect(calls).toEqual(["pods get", "pods update"]);
    calls = [];
    await ask("PATCH", `${pods}/first/status`, { status: { phase: "Running" } }, "application/merge-patch+json");
    expect(calls).toEqual(["pods get", "pods update"]);
    calls = [];
    await ask("POST", `${pods}/first/binding`, { target: { kind: "Node", name: "n" } });
    expect(calls).toEqual(["pods get", "pods update"]);
    calls = [];
    await ask("PATCH", `${pods}/first`, { metadata: { labels: { a: "b" } } }, "application/strategic-merge-patch+json");
    expect(calls).toEqual(["pods get"]);
  });

  test("a delete is a read and a write", async () => {
    await ask("DELETE", `${pods}/second`);
    expect(calls).toEqual(["pods get", "pods delete"]);
  });
});
