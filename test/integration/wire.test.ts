import https from "node:https";
import { gzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { encodeProtobufObject } from "../../workers/apis/codec/protobuf.ts";
import { schemaTable } from "../../workers/apis/schema-table.ts";
import { eventually, TestCluster } from "../support/cluster.ts";
import type { TestResponse } from "../support/cluster.ts";
import { Message, readCborItems, readEnvelope, readProtobufEvents, writeCbor } from "../support/wire-readers.ts";

/** Requests and answers in every encoding, by a client that takes nothing else; and what is too much on the wire. */
let cluster: TestCluster;
const streams: Stream[] = [];

beforeAll(async () => {
  cluster = await TestCluster.start({ nodes: 0 });
  await cluster.request("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
    metadata: { name: "wires.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "wires", singular: "wire", kind: "Wire", listKind: "WireList" },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
        },
      ],
    },
  });
  await eventually("the custom kind is served", async () => (await cluster.request("GET", wires)).status === 200);
});
afterEach(() => {
  for (const stream of streams.splice(0)) stream.close();
});
afterAll(() => cluster?.stop());

const protobuf = "application/vnd.kubernetes.protobuf";
const cbor = "application/cbor";
const secrets = "/api/v1/namespaces/default/secrets";
const configMaps = "/api/v1/namespaces/default/configmaps";
const wires = "/apis/example.com/v1/namespaces/default/wires";
const accepted =
  "only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf";

const inProtobuf = (group: string, version: string, object: { kind: string; apiVersion?: string }) =>
  encodeProtobufObject(schemaTable.structOfKind(group, version, object.kind)!, object);
const speak =
  (type: string) =>
  (method: string, path: string, body?: Uint8Array, contentType = type) =>
    cluster.request(method, path, body, {
      Accept: type,
      ...(body === undefined ? {} : { "Content-Type": contentType }),
    });
const envelope = (response: TestResponse, status = 200) => {
  expect(response.headers["content-type"], response.text).toBe(protobuf);
  expect(response.status).toBe(status);
  return readEnvelope(response.bytes);
};
const item = (response: TestResponse, status = 200) => {
  expect(response.headers["content-type"], response.text).toBe(cbor);
  expect(response.status, response.text).toBe(status);
  return readCborItems(response.bytes)[0];
};

/** The bytes of a watch, as they come. */
class Stream {
  bytes = Buffer.alloc(0);
  headers: Record<string, unknown> = {};
  status = 0;
  readonly #request;

  constructor(path: string, headers: Record<string, string>) {
    this.#request = https.get(
      `${cluster.server}${path}`,
      { ca: cluster.ca, agent: false, headers: { Authorization: `Bearer ${cluster.token}`, ...headers } },
      (response) => {
        this.status = response.statusCode!;
        this.headers = response.headers;
        response.on("data", (chunk: Buffer) => (this.bytes = Buffer.concat([this.bytes, chunk])));
        response.on("error", () => undefined);
      },
    );
    this.#request.on("error", () => undefined);
    streams.push(this);
  }

  close(): void {
    this.#request.destroy();
  }
}

/** The messages of a watch over a WebSocket, as the frames that the server sends. */
async function webSocketMessages(path: string, accept: string): Promise<{ binary: boolean; data: Buffer }[]> {
  const messages: { binary: boolean; data: Buffer }[] = [];
  const headers = {
    Authorization: `Bearer ${cluster.token}`,
    Accept: accept,
    Connection: "Upgrade",
    Upgrade: "websocket",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==",
  };
  const request = https.get(`${cluster.server}${path}`, { ca: cluster.ca, agent: false, headers });
  let rest = Buffer.alloc(0);
  request.on("upgrade", (_response, socket, head) => {
    const read = (chunk: Buffer) => {
      rest = Buffer.concat([rest, chunk]);
      while (rest.length >= 4) {
        const long = (rest[1]! & 0x7f) === 126;
        const length = long ? rest.readUInt16BE(2) : rest[1]! & 0x7f;
        const start = long ? 4 : 2;
        if (rest.length < start + length) return;
        messages.push({ binary: (rest[0]! & 0x0f) === 2, data: rest.subarray(start, start + length) });
        rest = rest.subarray(start + length);
      }
    };
    socket.on("data", read);
    socket.on("error", () => undefined);
    read(head);
  });
  request.on("error", () => undefined);
  try {
    await eventually("a message", async () => messages.length > 0);
  } finally {
    request.destroy();
  }
  return messages;
}

describe("a client that insists on protobuf", () => {
  const call = speak(protobuf);

  test("creates, reads, lists, watches, patches and deletes", async () => {
    const before = envelope(await call("GET", secrets)).object.text(1, 2);
    const watch = new Stream(`${secrets}?watch=true&allowWatchBookmarks=true&resourceVersion=${before}`, {
      Accept: protobuf,
      "Accept-Encoding": "gzip",
    });
    const secret = {
      kind: "Secret",
      apiVersion: "v1",
      metadata: { name: "one", labels: { a: "b" } },
      data: { key: Buffer.from([0, 255]).toString("base64") },
    };
    const created = envelope(await call("POST", secrets, inProtobuf("", "v1", secret)), 201);
    expect(created).toMatchObject({ apiVersion: "v1", kind: "Secret" });
    const metadata = created.object.at(1);
    expect(metadata.text(1)).toBe("one");
    expect(metadata.text(5)).toMatch(/^[0-9a-f-]{36}$/);
    expect(metadata.at(8).number(1)).toBeGreaterThan(1_700_000_000);
    expect(created.object.all(2)[0]!.bytes(2)).toEqual(Buffer.from([0, 255]));
    expect(created.object.text(3)).toBe("Opaque");

    const read = envelope(await call("GET", `${secrets}/one`));
    expect(read.object.text(1, 6)).toBe(metadata.text(6));
    const list = envelope(await call("GET", `${secrets}?labelSelector=a%3Db`));
    expect(list).toMatchObject({ apiVersion: "v1", kind: "SecretList" });
    expect(Number(list.object.text(1, 2))).toBeGreaterThanOrEqual(Number(metadata.text(6)));
    expect(list.object.all(2).map((each) => each.text(1, 1))).toEqual(["one"]);
    const patched = envelope(
      await call(
        "PATCH",
        `${secrets}/one`,
        Buffer.from('{"metadata":{"labels":{"c":"d"}}}'),
        "application/merge-patch+json",
      ),
    );
    expect(
      patched.object
        .at(1)
        .all(11)
        .map((entry) => entry.text(1)),
    ).toEqual(["a", "c"]);
    const deleted = envelope(
      await call("DELETE", `${secrets}/one`, inProtobuf("", "v1", { kind: "DeleteOptions", apiVersion: "v1" })),
    );
    expect(deleted.kind).toBe("Status");
    expect(deleted.object.text(2)).toBe("Success");

    const events = () => readProtobufEvents(watch.bytes).filter(({ object }) => object.text(1, 1) === "one");
    await eventually("the watch has seen it", async () => events().length === 3);
    expect(events().map(({ type, kind }) => `${type} ${kind}`)).toEqual([
      "ADDED Secret",
      "MODIFIED Secret",
      "DELETED Secret",
    ]);
    expect(events()[2]!.object.at(1).all(11)).toHaveLength(2);
    expect(watch.headers).toMatchObject({ "content-type": `${protobuf};stream=watch`, "content-encoding": "identity" });
  });

  test("gets the initial events, and the bookmark that ends them", async () => {
    await call("POST", configMaps, inProtobuf("", "v1", { kind: "ConfigMap", metadata: { name: "initial" } } as never));
    const watch = new Stream(
      `${configMaps}?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`,
      { Accept: protobuf },
    );
    const last = () => readProtobufEvents(watch.bytes).at(-1);
    await eventually("the bookmark", async () => last()?.type === "BOOKMARK");
    expect(last()!.kind).toBe("ConfigMap");
    expect(
      last()!
        .object.at(1)
        .all(12)
        .map((entry) => entry.text(1)),
    ).toEqual(["k8s.io/initial-events-end"]);
    expect(
      readProtobufEvents(watch.bytes).some(({ type, object }) => type === "ADDED" && object.text(1, 1) === "initial"),
    ).toBe(true);
  });

  test("gets one event a message over a WebSocket, without a frame of its own", async () => {
    const path = "/api/v1/namespaces?watch=true&fieldSelector=metadata.name%3Ddefault";
    const [message] = await webSocketMessages(path, protobuf);
    expect(message!.binary).toBe(true);
    const event = new Message(message!.data);
    expect(event.text(1)).toBe("ADDED");
    expect(readEnvelope(event.at(2).bytes(1)).object.text(1, 1)).toBe("default");
    const [item] = await webSocketMessages(path, cbor);
    expect(readCborItems(item!.data)[0]).toMatchObject({ type: "ADDED", object: { kind: "Namespace" } });
    const [line] = await webSocketMessages(path, "application/json");
    expect(line!.binary).toBe(false);
    expect(JSON.parse(line!.data.toString())).toMatchObject({ type: "ADDED" });
  });

  test("is told errors in protobuf", async () => {
    const missing = envelope(await call("GET", `${secrets}/none`), 404);
    expect(missing).toMatchObject({ apiVersion: "v1", kind: "Status" });
    expect([missing.object.text(2), missing.object.text(3), missing.object.text(4), missing.object.number(6)]).toEqual([
      "Failure",
      'secrets "none" not found',
      "NotFound",
      404,
    ]);
    const anonymous = await cluster.requestUrl("GET", `${cluster.server}${secrets}`, undefined, {
      Accept: protobuf,
      Authorization: "Bearer nonsense",
    });
    expect(envelope(anonymous, 401).object.text(4)).toBe("Unauthorized");
    for (const [bytes, message] of [
      [Buffer.from("{}"), "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]"],
      [Buffer.from("k8s\0\x0a\xff"), "unexpected EOF"],
    ] as const) {
      const status = envelope(await call("POST", secrets, bytes), 400).object;
      expect(status.text(4)).toBe("BadRequest");
      expect(status.text(3)).toContain(message);
    }
  });

  test("gets metadata, but no tables", async () => {
    const list = envelope(
      await cluster.request("GET", wires, undefined, {
        Accept: `${protobuf};as=PartialObjectMetadataList;g=meta.k8s.io;v=v1`,
      }),
    );
    expect(list).toMatchObject({ apiVersion: "meta.k8s.io/v1", kind: "PartialObjectMetadataList" });
    // No patch leaves metadata behind that has no protobuf form.
    await cluster.request("POST", wires, { kind: "Wire", apiVersion: "example.com/v1", metadata: { name: "typed" } });
    const patch = { metadata: { labels: { number: 1 } } };
    const patched = await cluster.request("PATCH", `${wires}/typed`, patch, {
      "Content-Type": "application/merge-patch+json",
    });
    expect(patched.json).toMatchObject({ code: 422, reason: "Invalid" });
    const refused = await cluster.request("GET", secrets, undefined, {
      Accept: `${protobuf};as=Table;g=meta.k8s.io;v=v1`,
    });
    expect(refused.json).toMatchObject({ code: 406, reason: "NotAcceptable", message: accepted });
  });

  test("gets no custom objects, but may send nothing else either", async () => {
    for (const path of [wires, `${wires}?watch=true`, `${wires}/none`]) {
      expect(envelope(await call("GET", path), 406).object.text(3)).toBe(accepted);
    }
    const created = await cluster.request(
      "POST",
      wires,
      { kind: "Wire", apiVersion: "example.com/v1", metadata: { name: "json" } },
      { Accept: `${protobuf},application/json` },
    );
    expect(created.headers["content-type"]).toBe("application/json");
    expect(created.status).toBe(201);
    const sent = await cluster.request("POST", wires, inProtobuf("", "v1", { kind: "ConfigMap", apiVersion: "v1" }), {
      "Content-Type": protobuf,
    });
    expect(sent.json).toMatchObject({ code: 400, reason: "BadRequest" });
    expect(sent.json.message).toContain("does not implement the protobuf marshalling interface");
  });
});

describe("a client that insists on CBOR", () => {
  const call = speak(cbor);

  test("creates, reads, lists, watches, applies and deletes", async () => {
    const before = item(await call("GET", secrets)).metadata.resourceVersion;
    const watch = new Stream(`${secrets}?watch=true&resourceVersion=${before}`, { Accept: cbor });
    const created = item(
      await call(
        "POST",
        secrets,
        writeCbor({
          kind: "Secret",
          apiVersion: "v1",
          metadata: { name: "two" },
          data: { key: Buffer.from([0, 255]) },
          stringData: { text: "é" },
        }),
      ),
      201,
    );
    expect(created).toMatchObject({ kind: "Secret", apiVersion: "v1", type: "Opaque" });
    expect(created.data).toEqual({
      key: { tag: 22, bytes: Buffer.from([0, 255]) },
      text: { tag: 22, bytes: Buffer.from("é") },
    });
    const apply = writeCbor({ kind: "Secret", apiVersion: "v1", metadata: { name: "two", labels: { a: "b" } } });
    const applied = item(await call("PATCH", `${secrets}/two?fieldManager=me`, apply, "application/apply-patch+cbor"));
    expect(applied.metadata.labels).toEqual({ a: "b" });
    expect(item(await call("GET", `${secrets}/two`))).toEqual(applied);
    expect(item(await call("GET", `${secrets}?labelSelector=a`)).items.map((each: any) => each.metadata.name)).toEqual([
      "two",
    ]);
    expect(
      item(
        await call(
          "DELETE",
          `${secrets}/two`,
          writeCbor({ kind: "DeleteOptions", apiVersion: "v1", propagationPolicy: "Background" }),
        ),
      ),
    ).toMatchObject({ kind: "Status", status: "Success" });
    await eventually("the watch has seen it", async () => readCborItems(watch.bytes).length === 3);
    expect(readCborItems(watch.bytes).map(({ type, object }) => `${type} ${object.metadata.name}`)).toEqual([
      "ADDED two",
      "MODIFIED two",
      "DELETED two",
    ]);
    expect(watch.headers["content-type"]).toBe("application/cbor-seq");
  });

  test("reads and writes custom objects", async () => {
    const watch = new Stream(
      `${wires}?watch=true&resourceVersion=${item(await call("GET", wires)).metadata.resourceVersion}`,
      { Accept: "application/cbor-seq" },
    );
    const created = item(
      await call(
        "POST",
        wires,
        writeCbor({
          kind: "Wire",
          apiVersion: "example.com/v1",
          metadata: { name: "cbor" },
          spec: { many: [1, -2, "ü", null, true], bytes: Buffer.from("hi") },
        }),
      ),
      201,
    );
    expect(created.spec).toEqual({ many: [1, -2, "ü", null, true], bytes: Buffer.from("hi").toString("base64") });
    await eventually("the watch has seen it", async () => readCborItems(watch.bytes).length === 1);
    expect(readCborItems(watch.bytes)[0]).toEqual({ type: "ADDED", object: created });
  });

  test("is told what is wrong", async () => {
    const status = item(await call("POST", configMaps, Buffer.from([0xa2, 0x41, 0x61, 1, 0x41, 0x61, 2])), 400);
    expect(status).toMatchObject({
      reason: "BadRequest",
      message:
        'the object provided is unrecognized (must be of type ConfigMap): unable to determine group/version/kind: cbor: found duplicate map key "a" at map element index 1 (a2416101416102)',
    });
    const unknown = await call(
      "POST",
      `${configMaps}?fieldValidation=Strict`,
      writeCbor({ metadata: { name: "x" }, dato: 1 }),
    );
    expect(item(unknown, 400).message).toContain('strict decoding error: unknown field "dato"');
    const deep = Buffer.alloc(100_000, 0x81);
    expect(item(await call("POST", configMaps, deep), 400).message).toContain("exceeded max nested level");
    const bad = await call(
      "PATCH",
      `${configMaps}/x?fieldManager=me`,
      Buffer.from([0xff]),
      "application/apply-patch+cbor",
    );
    expect(item(bad, 400).message).toContain("error decoding CBOR");
  });
});

describe("YAML", () => {
  const yaml = (body: string, query = "") =>
    cluster.request("POST", `${configMaps}${query}`, body, {
      "Content-Type": "application/yaml",
      Accept: "application/yaml",
    });

  test("with comments and anchors is read, and answered", async () => {
    const created = await yaml("# a comment\nmetadata: &m\n  name: yaml # another\ndata:\n  a: &x one\n  b: *x\n");
    expect(created.status, created.text).toBe(201);
    expect(created.headers["content-type"]).toBe("application/yaml");
    expect(created.text).toContain("data:\n  a: one\n  b: one\n");
    const missing = await cluster.request("GET", `${configMaps}/none`, undefined, { Accept: "application/yaml" });
    expect(missing.text).toContain("reason: NotFound\n");
  });

  test.each([
    ["a second document", "metadata:\n  name: many\n---\nmetadata:\n  name: second\n"],
    [
      "aliases without end",
      `a: &a [x,x,x,x,x,x,x,x,x]\n${"bcdefghij"
        .split("")
        .map((name, index) => `${name}: &${name} [${Array(9).fill(`*${"abcdefghij"[index]}`).join(",")}]`)
        .join("\n")}\n`,
    ],
    ["no YAML", "a: [\n"],
    ["deep nesting", `a: ${"[".repeat(5_000)}`],
  ])("%s is refused", async (_what, body) => {
    const response = await yaml(body);
    expect(response.status, response.text).toBe(400);
    expect(response.text).toContain("reason: BadRequest");
  });
});

describe("too much", () => {
  const limit = 3 * 1024 * 1024;
  const padded = (size: number) => {
    const body = JSON.stringify({ metadata: { name: "padded" } });
    return body + " ".repeat(size - body.length);
  };
  const chunked = (body: string): Promise<number> =>
    new Promise((resolve, reject) => {
      const headers = {
        Authorization: `Bearer ${cluster.token}`,
        "Content-Type": "application/json",
        "Transfer-Encoding": "chunked",
      };
      const request = https.request(
        `${cluster.server}${configMaps}?dryRun=All`,
        { method: "POST", ca: cluster.ca, agent: false, headers },
        (response) => {
          response.resume();
          resolve(response.statusCode!);
        },
      );
      request.on("error", reject);
      for (let at = 0; at < body.length; at += 100_000) request.write(body.slice(at, at + 100_000));
      request.end();
    });

  test("a body of 3 MiB is read, one byte more is not, however it is framed", async () => {
    expect((await cluster.request("POST", `${configMaps}?dryRun=All`, padded(limit))).status).toBe(201);
    const above = await cluster.request("POST", `${configMaps}?dryRun=All`, padded(limit + 1));
    expect(above.json).toMatchObject({
      code: 413,
      reason: "RequestEntityTooLarge",
      message: `Request entity is too large: limit is ${limit}`,
    });
    expect(await chunked(padded(limit))).toBe(201);
    expect(await chunked(padded(limit + 1))).toBe(413);
  });

  test("an object above 1.5 MiB does not fit into the store", async () => {
    const config = (size: number) => ({ metadata: { name: "stout" }, spec: { text: "x".repeat(size) } });
    const create = (size: number) =>
      cluster.request("POST", wires, { kind: "Wire", apiVersion: "example.com/v1", ...config(size) });
    expect((await create(1.5 * 1024 * 1024)).json).toMatchObject({
      code: 413,
      reason: "RequestEntityTooLarge",
      message: "Request entity is too large: etcdserver: request is too large",
    });
    expect((await create(1.5 * 1024 * 1024 - 2_000)).status).toBe(201);
  });

  test("a compressed body is not unpacked", async () => {
    const body = gzipSync(JSON.stringify({ metadata: { name: "zipped" } }));
    const response = await cluster.request("POST", configMaps, body, {
      "Content-Type": "application/json",
      "Content-Encoding": "gzip",
    });
    expect(response.json).toMatchObject({ code: 400, reason: "BadRequest" });
    expect(response.json.message).toContain("invalid character '\\x1f' looking for beginning of value");
  });

  test.each([
    ["JSON", "application/json", '{"a":'.repeat(50_000)],
    ["JSON lists", "application/json", `{"data":${"[".repeat(100_000)}${"]".repeat(100_000)}}`],
    ["protobuf", protobuf, Buffer.concat([Buffer.from("k8s\0"), Buffer.alloc(100_000, 0x12)])],
  ])("deep nesting in %s is a bad request", async (_what, type, body) => {
    const response = await cluster.request("POST", configMaps, body, { "Content-Type": type });
    expect(response.json).toMatchObject({ code: 400, reason: "BadRequest" });
  });
});

describe("compression", () => {
  test("large lists are compressed for clients that take it, watches never", async () => {
    for (let index = 0; index < 4; index++) {
      const created = await cluster.request("POST", configMaps, {
        metadata: { name: `large${index}`, labels: { large: "" } },
        data: { text: "x".repeat(300_000) },
      });
      expect(created.status).toBe(201);
    }
    const path = `${configMaps}?labelSelector=large`;
    const packed = await cluster.request("GET", path, undefined, { "Accept-Encoding": "gzip" });
    expect(packed.headers["content-encoding"]).toBe("gzip");
    expect(packed.bytes.length).toBeLessThan(100_000);
    const plain = await cluster.request("GET", path);
    expect(plain.headers["content-encoding"]).toBeUndefined();
    expect(plain.bytes.length).toBeGreaterThan(1_200_000);
    for (const type of ["application/json", protobuf, cbor]) {
      const watch = new Stream(`${path}&watch=true`, { "Accept-Encoding": "gzip", Accept: type });
      await eventually("the objects", async () => watch.bytes.length > 1_200_000);
      expect(watch.headers["content-encoding"]).toBe("identity");
    }
  });
});
