import { fork } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { issueToken } from "../../../workers/apiserver/authentication/token-authenticator.ts";
import { projectRoot } from "../../../scripts/lib/layout.ts";
import type { ServeProcessOptions } from "../serve.ts";
import { Connection, requestText } from "./connection.ts";
import type { Answer, Target } from "./connection.ts";
import { childrenOf, cpuSeconds, residentMegabytes } from "./cpu.ts";

export type ServerOptions = Pick<ServeProcessOptions, "what" | "worker"> &
  Partial<Pick<ServeProcessOptions, "nodes" | "state" | "port" | "ephemeral" | "inspectorPort">>;

const startSeconds = 120;

/** One process of Edgeplane or of the baseline, on a port of its own. Ended by its id. */
export class ServerProcess {
  readonly #process: ChildProcess;
  readonly #state: string;
  readonly #keepState: boolean;
  readonly target: Target;
  /** Headers of every request: the administrator's token where the server wants one. */
  readonly headers: Record<string, string>;
  readonly inspectorPort: number | undefined;

  private constructor(
    child: ChildProcess,
    options: ServerOptions,
    state: string,
    url: string,
    headers: Record<string, string>,
  ) {
    this.#process = child;
    this.#state = state;
    this.#keepState = options.state !== undefined;
    this.headers = headers;
    this.inspectorPort = options.inspectorPort;
    this.target = {
      host: "127.0.0.1",
      port: Number(new URL(url).port),
      ca: readFileSync(join(state, "pki", "ca.crt")),
    };
  }

  static async start(options: ServerOptions): Promise<ServerProcess> {
    const state = options.state ?? mkdtempSync(join(tmpdir(), "edgeplane-bench-"));
    const all: ServeProcessOptions = { port: 0, nodes: 0, ephemeral: true, ...options, state };
    const child = fork(join(projectRoot, "test", "bench", "serve.ts"), [JSON.stringify(all)], {
      execArgv: [],
      env: { ...process.env, NODE_NO_WARNINGS: "1" },
      stdio: ["ignore", "pipe", "pipe", "ipc"],
    });
    const url = await addressOf(child, options.what);
    const headers: Record<string, string> =
      options.what === "baseline"
        ? {}
        : { Authorization: `Bearer ${await issueToken(tokenKey(state), "default", "admin")}` };
    return new ServerProcess(child, options, state, url, headers);
  }

  /** The runtime's processes, without the launcher. */
  get runtimes(): number[] {
    return childrenOf(this.#process.pid!);
  }

  cpuSeconds(): number | undefined {
    return cpuSeconds(this.runtimes);
  }

  /** A token of another cluster's administrator. */
  tokenOf(cluster: string): Promise<string> {
    return issueToken(tokenKey(this.#state), cluster, "admin");
  }

  connect(): Promise<Connection> {
    return Connection.open(this.target);
  }

  /** Resident memory of the runtime's processes; undefined where /proc does not tell. */
  residentMegabytes(): number | undefined {
    return residentMegabytes(this.runtimes);
  }

  text(method: string, path: string, body?: string, contentType?: string): string {
    return requestText(method, path, this.headers, body, contentType);
  }

  /** One request on a connection of its own; throws unless it succeeds. */
  async request(method: string, path: string, body?: string): Promise<Answer> {
    const connection = await this.connect();
    try {
      const answer = await connection.send(this.text(method, path, body));
      if (answer.status >= 300)
        throw new Error(`${method} ${path}: ${answer.status} ${answer.body.subarray(0, 500).toString()}`);
      return answer;
    } finally {
      connection.close();
    }
  }

  async stop(): Promise<void> {
    if (this.#process.exitCode === null && this.#process.signalCode === null) {
      const gone = new Promise((resolve) => this.#process.once("exit", resolve));
      const runtimes = this.runtimes;
      this.#process.kill("SIGTERM");
      const timer = setTimeout(() => killAll([this.#process.pid!, ...runtimes]), 15_000);
      await gone;
      clearTimeout(timer);
    }
    if (!this.#keepState) rmSync(this.#state, { recursive: true, force: true, maxRetries: 3 });
  }
}

function killAll(pids: number[]): void {
  for (const pid of pids) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It has ended by itself.
    }
  }
}

function tokenKey(state: string): string {
  return readFileSync(join(state, "token-key"), "utf8").trim();
}

function addressOf(child: ChildProcess, what: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = "";
    const fail = (reason: string) => {
      clearTimeout(timer);
      child.kill("SIGTERM");
      reject(new Error(`${what} ${reason}:\n${output.slice(-4_000)}`));
    };
    const timer = setTimeout(() => fail(`did not start within ${startSeconds} s`), startSeconds * 1_000);
    const collect = (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-8_000);
      if (process.env.EDGEPLANE_BENCH_VERBOSE !== undefined) process.stderr.write(chunk);
    };
    child.stdout!.on("data", collect);
    child.stderr!.on("data", collect);
    child.once("exit", (code) => fail(`ended with ${code}`));
    child.once("message", (message: { url: string }) => {
      clearTimeout(timer);
      child.removeAllListeners("exit");
      resolve(message.url);
    });
  });
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
