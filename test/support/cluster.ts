import { execFile, spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import https from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { projectRoot } from "../../scripts/lib/layout.ts";
import { kubectlPath } from "./tools.ts";

export interface ClusterOptions {
  nodes?: number;
  /** Keeps state across restarts of the same directory; default: ephemeral. */
  persistent?: boolean;
  directory?: string;
  cluster?: string;
  port?: number;
  /** Variables of wrangler.toml that are to be otherwise. */
  variables?: Record<string, string>;
}

export interface CommandResult {
  code: number;
  stdout: string;
  stderr: string;
}

interface Kubeconfig {
  clusters: [{ cluster: { server: string; "certificate-authority-data": string } }];
  users: [{ user: { token: string } }];
}

/** A running `npm start` of this checkout, with its own directory and port. */
export class TestCluster {
  readonly directory: string;
  readonly #options: ClusterOptions;
  #process: ChildProcess | undefined;
  #port: number;

  private constructor(options: ClusterOptions) {
    this.#options = options;
    this.#port = options.port ?? 0;
    this.directory = options.directory ?? mkdtempSync(join(tmpdir(), "edgeplane-"));
  }

  static async start(options: ClusterOptions = {}): Promise<TestCluster> {
    const cluster = new TestCluster(options);
    await cluster.start();
    return cluster;
  }

  async start(): Promise<void> {
    const { nodes = 3, persistent = false, cluster = "default" } = this.#options;
    const child = spawn(
      process.execPath,
      [
        join(projectRoot, "scripts", "start.ts"),
        ...["--port", String(this.#port), "--nodes", String(nodes), "--state", this.directory, "--cluster", cluster],
        ...(persistent ? [] : ["--ephemeral"]),
      ],
      {
        stdio: ["ignore", "pipe", "pipe"],
        env: { ...process.env, ...this.#options.variables, NODE_NO_WARNINGS: "1", TMPDIR: this.#scratch },
      },
    );
    this.#process = child;
    let output = "";
    await new Promise<void>((resolve, reject) => {
      const collect = (chunk: Buffer) => {
        output += chunk.toString();
        if (output.includes("Edgeplane serves")) resolve();
      };
      child.stdout.on("data", collect);
      child.stderr.on("data", collect);
      child.on("exit", (code) => reject(new Error(`npm start ended with ${code}:\n${output}`)));
    });
    // The same port after a restart, so that clients reconnect.
    this.#port = Number(new URL(this.server).port);
  }

  /** What a killed runtime leaves behind goes with the cluster's directory. */
  get #scratch(): string {
    const path = join(this.directory, "tmp");
    mkdirSync(path, { recursive: true });
    return path;
  }

  get kubeconfig(): string {
    return join(this.directory, "kubeconfig");
  }

  get #config(): Kubeconfig {
    return JSON.parse(readFileSync(this.kubeconfig, "utf8")) as Kubeconfig;
  }

  /** With the cluster's path prefix. */
  get server(): string {
    return this.#config.clusters[0].cluster.server;
  }

  get token(): string {
    return this.#config.users[0].user.token;
  }

  get ca(): Buffer {
    return Buffer.from(this.#config.clusters[0].cluster["certificate-authority-data"], "base64");
  }

  /** A request with the administrator's token. `path` is relative to the cluster. */
  request(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<TestResponse> {
    const text =
      body === undefined || typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body);
    return this.requestUrl(method, `${this.server}${path}`, text, {
      Authorization: `Bearer ${this.token}`,
      ...(text === undefined ? {} : { "Content-Type": "application/json" }),
      ...headers,
    });
  }

  requestUrl(
    method: string,
    url: string,
    body?: string | Uint8Array,
    headers: Record<string, string> = {},
  ): Promise<TestResponse> {
    return new Promise((resolve, reject) => {
      // Node frames the body of a DELETE only when told its length.
      const framed = body === undefined ? headers : { "Content-Length": String(Buffer.byteLength(body)), ...headers };
      const request = https.request(url, { method, headers: framed, ca: this.ca, timeout: 60_000 }, (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", reject);
        response.on("end", () =>
          resolve(new TestResponse(response.statusCode!, response.headers, Buffer.concat(chunks))),
        );
      });
      request.on("timeout", () => request.destroy(new Error(`${method} ${url}: no answer within 60 s`)));
      request.on("error", reject);
      request.end(body);
    });
  }

  /** Runs kubectl; does not throw on failure. */
  run(args: string[], stdin?: string): Promise<CommandResult> {
    return new Promise((resolve) => {
      const child = execFile(
        kubectlPath(),
        args,
        {
          env: { ...process.env, KUBECONFIG: this.kubeconfig, HOME: this.directory, KUBE_EDITOR: "true" },
          maxBuffer: 64 * 1024 * 1024,
          timeout: 90_000,
        },
        (error, stdout, stderr) => resolve({ code: error === null ? 0 : Number(error.code ?? 1), stdout, stderr }),
      );
      child.stdin?.end(stdin ?? "");
    });
  }

  /** Runs kubectl; throws with its output when it fails. */
  async kubectl(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await this.run(args);
    if (code !== 0) throw new Error(`kubectl ${args.join(" ")} ended with ${code}:\n${stdout}${stderr}`);
    return stdout;
  }

  async apply(manifest: string, ...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await this.run(["apply", "-f", "-", ...args], manifest);
    if (code !== 0) throw new Error(`kubectl apply ended with ${code}:\n${stdout}${stderr}`);
    return stdout;
  }

  /** As a power failure: the runtime and its launcher are killed at once. */
  async crash(): Promise<void> {
    const child = this.#process!;
    const runtimes = childrenOf(child.pid!);
    const gone = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGKILL");
    for (const pid of runtimes) {
      try {
        process.kill(pid, "SIGKILL");
      } catch {
        // It ended with its parent.
      }
    }
    await gone;
  }

  async stop(): Promise<void> {
    const child = this.#process;
    if (child !== undefined && child.exitCode === null && child.signalCode === null) {
      const gone = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGTERM");
      await gone;
    }
    if (this.#options.directory === undefined) rmSync(this.directory, { recursive: true, force: true, maxRetries: 3 });
  }
}

export class TestResponse {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly bytes: Buffer;

  constructor(status: number, headers: Record<string, string | string[] | undefined>, bytes: Buffer) {
    this.status = status;
    this.headers = headers;
    this.bytes = bytes;
  }

  get text(): string {
    return this.bytes.toString();
  }

  get json(): any {
    return JSON.parse(this.text);
  }
}

/** The processes that a process has started (Linux). */
function childrenOf(pid: number): number[] {
  const path = `/proc/${pid}/task`;
  if (!existsSync(path)) return [];
  return readdirSync(path).flatMap((task) =>
    readFileSync(`${path}/${task}/children`, "utf8").trim().split(/\s+/).filter(Boolean).map(Number),
  );
}

/** Asks again until `check` gives something, at most `seconds`. */
export async function eventually<T>(
  what: string,
  check: () => Promise<T | undefined | false>,
  seconds = 30,
): Promise<T> {
  const end = Date.now() + seconds * 1_000;
  let last: unknown;
  for (;;) {
    try {
      const result = await check();
      if (result !== undefined && result !== false) return result;
    } catch (error) {
      last = error;
    }
    if (Date.now() > end)
      throw new Error(`${what}: not within ${seconds} s${last === undefined ? "" : ` (${String(last)})`}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
