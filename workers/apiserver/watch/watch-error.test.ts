import { expect, it } from "vitest";
import { watchErrorLine, watchErrorStatus } from "./watch-error.ts";

it("W3 a start before the history is Expired, in upstream's words", () => {
  expect(JSON.parse(watchErrorLine({ code: "RevisionCompacted", requested: 3, oldest: 40 }))).toEqual({
    type: "ERROR",
    object: {
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message: "too old resource version: 3 (40)",
      reason: "Expired",
      code: 410,
    },
  });
  expect(watchErrorStatus({ code: "Unavailable", message: "shutting down" })).toMatchObject({
    code: 503,
    message: "shutting down",
  });
});
