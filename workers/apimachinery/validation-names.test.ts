import { expect, test } from "vitest";
import * as names from "./validation-names.ts";

const subdomain =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

test("names of objects", () => {
  expect(names.isDns1123Subdomain("a.b-c.1")).toEqual([]);
  expect(names.isDns1123Subdomain("A")).toEqual([subdomain]);
  expect(names.isDns1123Subdomain("a".repeat(254))).toEqual(["must be no more than 253 bytes"]);
  expect(names.isDns1123Label("a.b")).toEqual(["must not contain dots"]);
  expect(names.isDns1123Label("a".repeat(64))).toEqual(["must be no more than 63 bytes"]);
  expect(names.isDns1123Label("ä".repeat(32))[0]).toBe("must be no more than 63 bytes");
  expect(names.isDns1123Label("a\n")).toHaveLength(1);
  expect(names.isDns1035Label("1a")).toEqual([
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
  ]);
  expect(names.validateNamePrefix("web-", names.isDns1035Label)).toEqual([]);
  expect(names.validateNamePrefix("-", names.isDns1035Label)).toHaveLength(1);
  expect(names.isValidPathSegmentName("..")).toEqual(["may not be '..'"]);
  expect(names.isValidPathSegmentName("a/b%")).toEqual(["may not contain '/'", "may not contain '%'"]);
});

test("label keys and values", () => {
  expect(names.isLabelKey("app.kubernetes.io/name")).toEqual([]);
  expect(names.isLabelKey("/name")).toEqual(["prefix part must be non-empty"]);
  expect(names.isLabelKey("A/name")).toEqual([`prefix part ${subdomain}`]);
  expect(names.isLabelKey("a/b/c")).toEqual([
    "a valid label key must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')",
  ]);
  expect(names.isLabelKey("")).toHaveLength(2);
  expect(names.isLabelValue("")).toEqual([]);
  expect(names.isLabelValue("-")).toHaveLength(1);
});

test("ports, keys, variables", () => {
  expect(names.isValidPortName("http-1")).toEqual([]);
  expect(names.isValidPortName("1--")).toEqual([
    "must contain at least one letter (a-z)",
    "must not contain consecutive hyphens",
    "must not begin or end with a hyphen",
  ]);
  expect(names.isValidPortNum(0)).toEqual(["must be between 1 and 65535, inclusive"]);
  expect(names.isConfigMapKey("..data")).toEqual(["must not start with '..'"]);
  expect(names.isRelaxedEnvVarName("1 a")).toEqual([]);
  expect(names.isRelaxedEnvVarName("a=b")).toHaveLength(1);
  expect(names.isEnvVarName("1a")).toHaveLength(1);
});
