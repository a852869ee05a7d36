import { connect } from "node:tls";
import type { TLSSocket } from "node:tls";

export interface Answer {
  status: number;
  /** The body, unless the request streams; then it went to `onData`. */
  body: Buffer;
}

export interface Target {
  host: string;
  port: number;
  ca: Buffer;
}

interface Pending {
  resolve(answer: Answer): void;
  reject(error: Error): void;
  onData: ((chunk: Buffer) => void) | undefined;
}

const headerEnd = Buffer.from("\r\n\r\n");
const empty = Buffer.alloc(0);

/**
 * One keep-alive connection of HTTP/1.1 with one request at a time. It does only what the bench needs, since it shares the
 * machine's cores with what it measures: node:https costs several times as much per request.
 */
export class Connection {
  readonly #socket: TLSSocket;
  #buffer: Buffer = empty;
  #pending: Pending | undefined;
  #status = 0;
  /** Bytes that the body or the present chunk still has; -1 where a chunk's size comes next, -2 in headers. */
  #left = -2;
  #chunked = false;
  #lastChunk = false;
  #body: Buffer[] = [];

  private constructor(socket: TLSSocket) {
    this.#socket = socket;
    socket.on("data", (chunk: Buffer) => this.#receive(chunk));
    socket.on("error", (error) => this.#fail(error));
    socket.on("close", () => this.#fail(new Error("the connection was closed")));
  }

  static open(target: Target): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const socket = connect({ ...target, servername: "localhost" }, () => {
        socket.setNoDelay(true);
        resolve(new Connection(socket));
      });
      socket.once("error", reject);
    });
  }

  /** `request` is the whole text: head and body. With `onData` the body is handed over as it comes. */
  send(request: string | Buffer, onData?: (chunk: Buffer) => void): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#pending = { resolve, reject, onData };
      this.#socket.write(request);
    });
  }

  close(): void {
    this.#pending = undefined;
    this.#socket.destroy();
  }

  #fail(error: Error): void {
    const pending = this.#pending;
    this.#pending = undefined;
    pending?.reject(error);
  }

  #receive(chunk: Buffer): void {
    this.#buffer = this.#buffer.length === 0 ? chunk : Buffer.concat([this.#buffer, chunk]);
    while (this.#step());
  }

  /** Consumes what it can; false when it needs more bytes. */
  #step(): boolean {
    if (this.#left === -2) return this.#readHead();
    if (this.#left === -1) return this.#readChunkSize();
    if (this.#chunked) return this.#readChunk();
    if (this.#buffer.length === 0 && this.#left > 0) return false;
    const part = this.#buffer.subarray(0, this.#left);
    this.#buffer = this.#buffer.subarray(part.length);
    this.#left -= part.length;
    this.#emit(part);
    if (this.#left === 0) this.#finish();
    return true;
  }

  #readHead(): boolean {
    const end = this.#buffer.indexOf(headerEnd);
    if (end < 0) return false;
    const head = this.#buffer.toString("latin1", 0, end);
    this.#buffer = this.#buffer.subarray(end + 4);
    this.#status = Number(head.slice(9, 12));
    const length = /\r\ncontent-length: *(\d+)/i.exec(head);
    this.#chunked = length === null && /\r\ntransfer-encoding: *chunked/i.test(head);
    this.#left = this.#chunked ? -1 : Number(length?.[1] ?? 0);
    if (this.#left === 0) this.#finish();
    return true;
  }

  #readChunkSize(): boolean {
    const end = this.#buffer.indexOf("\r\n");
    if (end < 0) return false;
    this.#left = Number.parseInt(this.#buffer.toString("latin1", 0, end), 16);
    this.#lastChunk = this.#left === 0;
    this.#buffer = this.#buffer.subarray(end + 2);
    return true;
  }

  #readChunk(): boolean {
    if (this.#left > 0) {
      if (this.#buffer.length === 0) return false;
      const part = this.#buffer.subarray(0, this.#left);
      this.#buffer = this.#buffer.subarray(part.length);
      this.#left -= part.length;
      this.#emit(part);
      return true;
    }
    // The line break after a chunk, or after the last one.
    if (this.#buffer.length < 2) return false;
    this.#buffer = this.#buffer.subarray(2);
    if (this.#lastChunk) this.#finish();
    else this.#left = -1;
    return true;
  }

  #emit(part: Buffer): void {
    if (part.length === 0) return;
    if (this.#pending?.onData === undefined) this.#body.push(part);
    else this.#pending.onData(part);
  }

  #finish(): void {
    const pending = this.#pending;
    const body = this.#body.length === 1 ? this.#body[0]! : Buffer.concat(this.#body);
    this.#pending = undefined;
    this.#body = [];
    this.#left = -2;
    pending?.resolve({ status: this.#status, body });
  }
}

/** The text of a request. */
export function requestText(
  method: string,
  path: string,
  headers: Record<string, string>,
  body?: string,
  contentType = "application/json",
): string {
  const length =
    body === undefined ? "" : `Content-Type: ${contentType}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`;
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\nHost: localhost\r\n${lines.join("")}${length}\r\n${body ?? ""}`;
}
