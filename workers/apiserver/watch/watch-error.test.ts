import { describe, expect, it } from "vitest";
import { watchErrorLine, watchErrorStatus, watchErrorFrame } from "./watch-error.ts";
import { parseCbor } from "../../apis/codec/cbor-decode.ts";

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

describe("watchErrorFrame", () => {
  it("is in the encoding of the stream", () => {
    const error = { code: "RevisionCompacted", requested: 3, oldest: 9 } as const;
    const text = "too old resource version: 3 (9)";
    const line = new TextDecoder().decode(watchErrorFrame(error, undefined));
    expect(JSON.parse(line)).toMatchObject({ type: "ERROR", object: { kind: "Status", code: 410, message: text } });
    const frame = watchErrorFrame(error, "protobuf");
    expect(new DataView(frame.buffer).getUint32(0)).toBe(frame.length - 4);
    expect(new TextDecoder().decode(frame)).toContain(text);
    expect(parseCbor(watchErrorFrame(error, "cbor"))).toMatchObject({ type: "ERROR", object: { reason: "Expired" } });
  });
});
