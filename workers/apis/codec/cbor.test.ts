import { describe, expect, test } from "vitest";
import { seededRandom } from "../../../test/support/random.ts";
import { schemaTable } from "../schema-table.ts";
import { parseCbor } from "./cbor-decode.ts";
import { encodeCbor } from "./cbor-encode.ts";
import { decodeObject } from "./decode.ts";
import { UnmarshalError } from "./unmarshal-error.ts";

const hex = (text: string) => Uint8Array.from(Buffer.from(text.replaceAll(" ", ""), "hex"));
const hexOf = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");
const parse = (text: string) => parseCbor(hex(text));

describe("parseCbor", () => {
  test.each([
    // RFC 8949, appendix A.
    ["00", 0],
    ["1818", 24],
    ["1903e8", 1000],
    ["1b000000e8d4a51000", 1_000_000_000_000],
    ["3903e7", -1000],
    ["f93c00", 1],
    ["f93e00", 1.5],
    ["f97bff", 65504],
    ["f90001", 5.960464477539063e-8],
    ["fa47c35000", 100_000],
    ["fb3ff199999999999a", 1.1],
    ["f4", false],
    ["f5", true],
    ["f6", null],
    ["f7", null],
    ["c11a514b67b0", "2013-03-21T20:04:00Z"],
    ["c1fb41d452d9ec200000", "2013-03-21T20:04:00.5Z"],
    ["d818456449455446", "dIETF"],
    ["4449455446", "IETF"],
    ["6449455446", "IETF"],
    ["62c3bc", "ü"],
    ["83010203", [1, 2, 3]],
    ["a201020304", UnmarshalError],
    ["a26161016162820203", { a: 1, b: [2, 3] }],
    ["5f42010243030405ff", "\u0001\u0002\u0003\u0004\u0005"],
    ["7f657374726561646d696e67ff", "streaming"],
    ["9fff", []],
    ["bf61610161629f0203ffff", { a: 1, b: [2, 3] }],
    // The self-described tag around it, byte strings as keys, expected later encodings.
    ["d9d9f7 a1 4161 4162", { a: "b" }],
    ["d6 43 fbefff", "++//"],
    ["d5 43 fbefff", "--__"],
    ["d7 43 fbefff", "fbefff"],
  ] as [string, unknown][])("%s", (text, expected) => {
    if (expected === UnmarshalError) expect(() => parse(text)).toThrow(UnmarshalError);
    else expect(parse(text)).toEqual(expected);
  });

  test.each([
    ["", "EOF"],
    ["82", "unexpected EOF"],
    ["9b7fffffffffffffff", "unexpected EOF"],
    ["5affffffff00", "unexpected EOF"],
    ["0102", "cbor: 1 bytes of extraneous data starting at index 1"],
    ["a2 6161 01 4161 02", 'cbor: found duplicate map key "a" at map element index 1'],
    ["61ff", "cbor: invalid UTF-8 string"],
    [
      "1bffffffffffffffff",
      "cbor: cannot unmarshal positive integer into Go value of type int64 (18446744073709551615 overflows Go's int64)",
    ],
    ["f97e00", "cbor: data item of cbor type primitives is not accepted by protocol: floating-point NaN"],
    ["f97c00", "cbor: data item of cbor type primitives is not accepted by protocol: floating-point infinity"],
    ["c24101", "cbor: data item of cbor type tag is not accepted by protocol: bignum"],
    ["ff", 'cbor: unexpected "break" code'],
    ["1c", "cbor: invalid additional information 28 for type positive integer"],
    ["5f6161ff", "cbor: wrong element type UTF-8 text string for indefinite-length byte string"],
  ])("refuses %s", (text, message) => {
    expect(() => parse(text)).toThrow(new UnmarshalError(message));
  });

  test("nesting is bounded before the stack is", () => {
    expect(() => parseCbor(new Uint8Array(3_000_000).fill(0x81))).toThrow("cbor: exceeded max nested level");
    expect(() => parseCbor(new Uint8Array(3_000_000).fill(0xc6))).toThrow("cbor: exceeded max nested level");
  });

  test("random bytes are read or refused", () => {
    const random = seededRandom(7);
    for (let round = 0; round < 20_000; round++) {
      const bytes = Uint8Array.from({ length: 1 + Math.floor(random() * 24) }, () => Math.floor(random() * 256));
      try {
        JSON.stringify(parseCbor(bytes));
      } catch (error) {
        expect(error, hexOf(bytes)).toBeInstanceOf(UnmarshalError);
      }
    }
  });

  test("__proto__ is a key like others", () => {
    const read = parse("a1 695f5f70726f746f5f5f a1 6161 01") as object;
    expect(Object.keys(read)).toEqual(["__proto__"]);
    expect(Object.getPrototypeOf(read)).toBe(Object.prototype);
  });
});

describe("encodeCbor", () => {
  test("writes strings as byte strings within the self-described tag", () => {
    expect(hexOf(encodeCbor({ a: "ü", n: [1, -1, 24, 1.5, 0.1, true, null], u: undefined }))).toBe(
      "d9d9f7a2416142c3bc416e8701201818fa3fc00000fb3fb999999999999af5f6",
    );
  });

  test("bytes of a typed object are bytes", () => {
    const secret = { kind: "Secret", apiVersion: "v1", metadata: { name: "s" }, data: { k: "++//" } };
    const encoded = encodeCbor(secret, schemaTable.structOfKind("", "v1", "Secret"));
    expect(hexOf(encoded)).toContain("416bd643fbefff");
    expect(parseCbor(encoded)).toEqual(secret);
  });

  test("what is written reads the same", () => {
    const random = seededRandom(11);
    for (let round = 0; round < 300; round++) {
      const value = randomValue(random, 0);
      expect(parseCbor(encodeCbor(value))).toEqual(value);
    }
  });
});

describe("decodeObject of application/cbor", () => {
  const configMap = { group: "", version: "v1", kind: "ConfigMap" };
  const decode = (value: unknown, fieldValidation: "Ignore" | "Warn" | "Strict" = "Strict") =>
    decodeObject(encodeCbor(value), "application/cbor", configMap, { fieldValidation });

  test("fills in the kind and checks the fields", () => {
    expect(decode({ metadata: { name: "a" }, data: { x: "y" } }).object).toEqual({
      kind: "ConfigMap",
      apiVersion: "v1",
      metadata: { name: "a" },
      data: { x: "y" },
    });
    expect(() => decode({ metadata: { name: "a" }, dato: {} })).toThrow('strict decoding error: unknown field "dato"');
    expect(decode({ metadata: { name: "a" }, dato: {} }, "Warn").warnings).toEqual(['unknown field "dato"']);
    expect(() => decode({ metadata: { name: 5 } })).toThrow(
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: ',
    );
  });

  test("a key given twice is refused whatever the validation", () => {
    const body = hex("a2 4161 01 4161 02");
    expect(() => decodeObject(body, "application/cbor", configMap, { fieldValidation: "Ignore" })).toThrow(
      'the object provided is unrecognized (must be of type ConfigMap): unable to determine group/version/kind: cbor: found duplicate map key "a" at map element index 1 (a24161014161',
    );
  });
});

function randomValue(random: () => number, depth: number): unknown {
  const pick = Math.floor(random() * (depth > 4 ? 6 : 8));
  const text = () =>
    String.fromCodePoint(
      ...Array.from({ length: random() * 70 }, () => 32 + Math.floor(random() * (random() < 0.9 ? 90 : 0x3000))),
    );
  switch (pick) {
    case 0:
      return Math.floor((random() - 0.5) * 2 ** Math.floor(random() * 53)) || 0;
    case 1:
      return (random() - 0.5) * 1e9;
    case 2:
      return random() < 0.5;
    case 3:
      return null;
    case 4:
    case 5:
      return text();
    case 6:
      return Array.from({ length: random() * 30 }, () => randomValue(random, depth + 1));
    default:
      return Object.fromEntries(Array.from({ length: random() * 30 }, () => [text(), randomValue(random, depth + 1)]));
  }
}
