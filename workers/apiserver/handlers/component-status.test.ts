import { expect, test } from "vitest";
import { componentStatus } from "./component-status.ts";

test("a component is as healthy as it answers", async () => {
  expect(await componentStatus("scheduler", async () => "ok")).toEqual({
    metadata: { name: "scheduler" },
    conditions: [{ type: "Healthy", status: "True", message: "ok" }],
  });
  const refuses = () => Promise.reject(new Error("connection refused"));
  expect(await componentStatus("etcd-0", refuses)).toEqual({
    metadata: { name: "etcd-0" },
    conditions: [{ type: "Healthy", status: "False", error: "connection refused" }],
  });
});
