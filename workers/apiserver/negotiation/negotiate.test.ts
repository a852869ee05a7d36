import { describe, expect, test } from "vitest";
import { negotiate, negotiateStatus } from "./negotiate.ts";
import type { Shows } from "./negotiate.ts";

const protobuf = "application/vnd.kubernetes.protobuf";
const accepted =
  "only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf";
const streams = `only the following media types are accepted: application/json;stream=watch, ${protobuf};stream=watch`;
const custom = { custom: {} };

describe("negotiate", () => {
  test.each([
    [undefined, "object", "json object"],
    ["*/*", "object", "json object"],
    [protobuf, "object", "protobuf object"],
    [`${protobuf},application/json`, "list", "protobuf object"],
    [`application/json;q=0.5, ${protobuf}`, "list", "protobuf object"],
    [`${protobuf};stream=watch`, "watch", "protobuf object"],
    [`${protobuf};as=Table;g=meta.k8s.io;v=v1,application/json`, "list", "json object"],
    ["application/cbor;as=Table;g=meta.k8s.io;v=v1,application/json;as=Table;v=v1;g=meta.k8s.io", "list", "json table"],
    [`${protobuf};as=PartialObjectMetadataList;g=meta.k8s.io;v=v1`, "list", "protobuf partialList"],
    ["application/cbor", "object", "cbor object"],
    ["application/cbor-seq,application/json;q=0.9", "watch", "cbor object"],
    ["application/yaml;stream=watch,application/json", "watch", "json object"],
    ["text/html, application/json;stream=list, application/yaml", "object", "yaml object"],
  ] as [string | undefined, Shows, string][])("%s for a %s is %s", (accept, shows, expected) => {
    const { format, as } = negotiate(accept, shows);
    expect(`${format} ${as}`).toBe(expected);
  });

  test("custom objects have no protobuf form, their metadata has", () => {
    expect(negotiate(`${protobuf},application/json`, "object", custom).format).toBe("json");
    expect(negotiate(`${protobuf};as=PartialObjectMetadata;g=meta.k8s.io;v=v1`, "object", custom)).toMatchObject({
      format: "protobuf",
      as: "partial",
    });
    expect(() => negotiate(protobuf, "object", custom)).toThrow(accepted);
  });

  test.each([
    ["text/html", "object", accepted],
    [`${protobuf};as=Table;g=meta.k8s.io;v=v1`, "list", accepted],
    ["application/json;stream=list", "watch", accepted],
    ["application/yaml", "watch", streams],
    ["application/yaml,application/json", "watch", streams],
  ] as [string, Shows, string][])("%s for a %s is refused", (accept, shows, message) => {
    expect(() => negotiate(accept, shows)).toThrow(message);
  });

  test("an error is shown in what the client takes for objects", () => {
    expect(negotiateStatus(protobuf)?.format).toBe("protobuf");
    expect(negotiateStatus("application/json;as=Table;g=meta.k8s.io;v=v1")).toBeUndefined();
    expect(negotiateStatus("application/json;as=Table;g=meta.k8s.io;v=v1,application/json")?.as).toBe("object");
  });
});
