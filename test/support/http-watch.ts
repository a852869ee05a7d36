import https from "node:https";
import type { TestCluster } from "./cluster.ts";
import { eventually } from "./cluster.ts";

/** A watch as a client sees it: the lines of one HTTP response, as they come. */
export class HttpWatch {
  readonly events: { type: string; object: any }[] = [];
  status = 0;
  headers: Record<string, unknown> = {};
  ended = false;
  readonly #request;

  /** `path` is relative to the cluster. */
  constructor(cluster: TestCluster, path: string, headers: Record<string, string> = {}) {
    let rest = "";
    this.#request = https.get(
      `${cluster.server}${path}`,
      { ca: cluster.ca, agent: false, headers: { Authorization: `Bearer ${cluster.token}`, ...headers } },
      (response) => {
        this.status = response.statusCode!;
        this.headers = response.headers;
        response.setEncoding("utf8");
        response.on("data", (text: string) => {
          const lines = (rest + text).split("\n");
          rest = lines.pop()!;
          for (const line of lines) this.events.push(JSON.parse(line));
        });
        response.on("end", () => (this.ended = true));
        response.on("error", () => (this.ended = true));
      },
    );
    this.#request.on("error", () => (this.ended = true));
  }

  get types(): string[] {
    return this.events.map(({ type }) => type);
  }

  /** `TYPE name` of each event. */
  get story(): string[] {
    return this.events.map(({ type, object }) =>
      `${type} ${object?.metadata?.name ?? object?.rows?.[0]?.object?.metadata?.name ?? ""}`.trim(),
    );
  }

  async opened(): Promise<this> {
    await eventually("the watch is open", async () => this.status !== 0);
    return this;
  }

  async until(what: string, check: (watch: this) => boolean, seconds = 20): Promise<this> {
    await eventually(what, async () => check(this), seconds).catch((error: Error) => {
      throw new Error(`${error.message}\n${this.story.join("\n")}`);
    });
    return this;
  }

  close(): void {
    this.#request.destroy();
  }
}
