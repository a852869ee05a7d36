import https from "node:https";
import type { TestCluster } from "./cluster.ts";

export interface SeenEvent {
  type: string;
  object: any;
}

/**
 * A client that follows one resource as client-go's reflector does, but never lists: whatever ends its watch, it goes on at the
 * last resourceVersion that it saw. An ERROR event ends it for good and is kept.
 */
export class FollowingWatcher {
  readonly events: SeenEvent[] = [];
  error: unknown;
  resourceVersion: string;
  readonly #cluster: TestCluster;
  readonly #path: string;
  #stopped = false;
  #request: ReturnType<typeof https.request> | undefined;
  /** Connections made. */
  connections = 0;

  constructor(cluster: TestCluster, path: string, resourceVersion: string) {
    this.#cluster = cluster;
    this.#path = path;
    this.resourceVersion = resourceVersion;
    void this.#run();
  }

  stop(): void {
    this.#stopped = true;
    this.#request?.destroy();
  }

  async #run(): Promise<void> {
    while (!this.#stopped && this.error === undefined) {
      await this.#watchOnce().catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  #watchOnce(): Promise<void> {
    const url = `${this.#cluster.server}${this.#path}?watch=true&allowWatchBookmarks=true&resourceVersion=${this.resourceVersion}`;
    return new Promise((resolve, reject) => {
      const request = https.get(
        url,
        { ca: this.#cluster.ca, headers: { Authorization: `Bearer ${this.#cluster.token}` } },
        (response) => {
          this.connections++;
          let rest = "";
          response.on("data", (chunk: Buffer) => {
            rest += chunk.toString();
            for (;;) {
              const end = rest.indexOf("\n");
              if (end < 0) break;
              this.#take(JSON.parse(rest.slice(0, end)) as SeenEvent);
              rest = rest.slice(end + 1);
            }
          });
          response.on("end", resolve);
          response.on("error", reject);
          response.on("close", () => resolve());
        },
      );
      this.#request = request;
      request.on("error", reject);
    });
  }

  #take(event: SeenEvent): void {
    if (event.type === "ERROR" || event.type === undefined) {
      this.error = event.type === undefined ? event : event.object;
      this.#request?.destroy();
      return;
    }
    this.resourceVersion = event.object.metadata.resourceVersion;
    if (event.type !== "BOOKMARK") this.events.push(event);
  }
}
