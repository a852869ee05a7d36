import { createHash } from "node:crypto";
import { createServer } from "node:https";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Pki } from "../../scripts/lib/pki.ts";

export const group = "wardle.example.com";
const groupVersion = `${group}/v1alpha1`;

export interface RecordedRequest {
  method: string;
  url: string;
  /** As they came over the wire: name, value, name, value … */
  rawHeaders: string[];
  headers: IncomingMessage["headers"];
  body: string;
}

/** A small API server of its own, as one that is registered with an APIService: flunders, in memory. */
export class AggregatedServer {
  readonly requests: RecordedRequest[] = [];
  /** Answers instead of the server when it gives true. */
  intercept: ((request: IncomingMessage, response: ServerResponse) => boolean) | undefined;
  readonly flunders = new Map<string, any>();
  readonly #watchers = new Set<ServerResponse>();
  readonly #server: Server;
  #version = 1;

  constructor({ key, certificate }: Pki) {
    this.#server = createServer({ key, cert: certificate }, (request, response) => {
      let body = "";
      request.on("data", (chunk: Buffer) => (body += chunk.toString()));
      request.on("end", () => {
        const { method = "", url = "", rawHeaders, headers } = request;
        this.requests.push({ method, url, rawHeaders, headers, body });
        if (this.intercept?.(request, response) !== true)
          this.#answer(method, new URL(url, "https://localhost"), body, response);
      });
    });
    this.#server.on("upgrade", (request: IncomingMessage, socket) => {
      const { method = "", url = "", rawHeaders, headers } = request;
      this.requests.push({ method, url, rawHeaders, headers, body: "" });
      const accept = createHash("sha1")
        .update(`${headers["sec-websocket-key"]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
        .digest("base64");
      socket.on("error", () => {});
      socket.write(
        `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\nSec-WebSocket-Protocol: v5.channel.k8s.io\r\n\r\n`,
      );
      socket.write(Buffer.concat([Buffer.from([0x81, 5]), Buffer.from("hello")]));
    });
  }

  async listen(port = 0): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(port, "127.0.0.1", resolve));
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    for (const watcher of this.#watchers) watcher.destroy();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  add(name: string, namespace = "default"): void {
    const flunder = {
      apiVersion: groupVersion,
      kind: "Flunder",
      metadata: {
        name,
        namespace,
        uid: `uid-${name}`,
        resourceVersion: String(++this.#version),
        creationTimestamp: "2026-01-01T00:00:00Z",
      },
      spec: { reference: name },
    };
    this.flunders.set(name, flunder);
    for (const watcher of this.#watchers) watcher.write(`${JSON.stringify({ type: "ADDED", object: flunder })}\n`);
  }

  #answer(method: string, url: URL, body: string, response: ServerResponse): void {
    const json = (value: unknown, code = 200) => {
      response.writeHead(code, { "Content-Type": "application/json", "X-From": "wardle" });
      response.end(JSON.stringify(value));
    };
    const base = `/apis/${groupVersion}`;
    const collection = [`${base}/flunders`, `${base}/namespaces/default/flunders`].includes(url.pathname);
    if (url.pathname === base)
      return json({ kind: "APIResourceList", apiVersion: "v1", groupVersion, resources: this.resources });
    if (url.pathname === "/openapi/v3") {
      return json({
        paths: { [`apis/${groupVersion}`]: { serverRelativeURL: `/openapi/v3/apis/${groupVersion}?hash=ABC123` } },
      });
    }
    if (url.pathname === `/openapi/v3/apis/${groupVersion}`) return json(openApiV3);
    if (url.pathname === "/openapi/v2") return json(openApiV2);
    if (collection && method === "GET" && url.searchParams.has("watch")) {
      response.writeHead(200, { "Content-Type": "application/json" });
      response.flushHeaders();
      this.#watchers.add(response);
      response.on("close", () => this.#watchers.delete(response));
      return undefined;
    }
    if (collection && method === "GET") {
      return json({
        kind: "FlunderList",
        apiVersion: groupVersion,
        metadata: { resourceVersion: String(this.#version) },
        items: [...this.flunders.values()],
      });
    }
    if (collection && method === "POST") {
      const { name } = JSON.parse(body).metadata;
      this.add(name);
      return json(this.flunders.get(name), 201);
    }
    const flunder = this.flunders.get(url.pathname.split("/").at(-1)!);
    if (flunder === undefined)
      return json(
        {
          kind: "Status",
          apiVersion: "v1",
          status: "Failure",
          reason: "NotFound",
          code: 404,
          message: "no such flunder",
        },
        404,
      );
    if (method === "DELETE") this.flunders.delete(flunder.metadata.name);
    return json(flunder);
  }

  resources: unknown[] = [
    {
      name: "flunders",
      singularName: "flunder",
      namespaced: true,
      kind: "Flunder",
      verbs: ["create", "delete", "get", "list", "watch"],
      shortNames: ["fl"],
      categories: ["all"],
    },
    { name: "flunders/status", singularName: "", namespaced: true, kind: "Flunder", verbs: ["get"] },
  ];
}

const gvk = { group, version: "v1alpha1", kind: "Flunder" };
const schema = {
  description: "A flunder says what it is worth.",
  type: "object",
  properties: {
    apiVersion: { type: "string" },
    kind: { type: "string" },
    metadata: { type: "object" },
    spec: { type: "object", description: "What it is.", properties: { reference: { type: "string" } } },
  },
  "x-kubernetes-group-version-kind": [gvk],
};
const get = { operationId: "readFlunder", "x-kubernetes-action": "get", "x-kubernetes-group-version-kind": gvk };
const path = `/apis/${groupVersion}/namespaces/{namespace}/flunders/{name}`;
const openApiV3 = {
  openapi: "3.0.0",
  info: { title: "wardle", version: "1" },
  paths: {
    [path]: {
      get: {
        ...get,
        responses: {
          200: {
            description: "OK",
            content: { "application/json": { schema: { $ref: "#/components/schemas/wardle.Flunder" } } },
          },
        },
      },
    },
  },
  components: { schemas: { "wardle.Flunder": schema } },
};
const openApiV2 = {
  swagger: "2.0",
  info: { title: "wardle", version: "1" },
  paths: {
    [path]: {
      get: { ...get, responses: { 200: { description: "OK", schema: { $ref: "#/definitions/wardle.Flunder" } } } },
    },
    "/apis/other.example.com/v1/": {},
  },
  definitions: { "wardle.Flunder": schema },
};
