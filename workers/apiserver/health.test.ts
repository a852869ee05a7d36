import { expect, test } from "vitest";
import { healthResponse } from "./health.ts";
import type { AppContext } from "./request/context.ts";

/** A request for a health path, with a store that answers or fails. */
function contextOf(path: string, currentRevision: () => Promise<number>): AppContext {
  const variables: Record<string, unknown> = {
    info: { path: path.split("?")[0] },
    storage: { for: () => ({ currentRevision }) },
  };
  return { get: (name: string) => variables[name], req: { url: `https://example${path}` } } as unknown as AppContext;
}

test("a store that does not answer fails the check, unless it is excluded", async () => {
  const fails = () => Promise.reject(new Error("gone"));
  const failed = await healthResponse(contextOf("/readyz?verbose", fails));
  expect(failed!.status).toBe(500);
  expect(await failed!.text()).toContain("[-]etcd failed: reason withheld");
  const excluded = await healthResponse(contextOf("/readyz?exclude=etcd&exclude=etcd-readiness", fails));
  expect(excluded!.status).toBe(200);
  const well = await healthResponse(contextOf("/readyz?verbose", async () => 1));
  expect(await well!.text()).toBe("[+]ping ok\n[+]etcd ok\n[+]etcd-readiness ok\nreadyz check passed\n");
});
