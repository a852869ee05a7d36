export const samplingMicros = 500;

/**
 * A client of the runtime's inspector that records CPU profiles. Worker and Durable Objects of one bundle share an isolate
 * locally, so one profile has all of them.
 */
export class Profiler {
  readonly #socket: WebSocket;
  readonly #answers = new Map<number, (message: { result?: any; error?: { message: string } }) => void>();
  #id = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener("message", ({ data }) => {
      const message = JSON.parse(String(data)) as { id?: number; result?: any; error?: { message: string } };
      if (message.id !== undefined) this.#answers.get(message.id)?.(message);
    });
  }

  static async connect(port: number): Promise<Profiler> {
    const response = await fetch(`http://127.0.0.1:${port}/json`);
    const targets = await response.json<{ webSocketDebuggerUrl: string }[]>();
    const target = targets[0];
    if (target === undefined) throw new Error("the inspector has no target");
    const url = new URL(target.webSocketDebuggerUrl);
    const socket = new WebSocket(`ws://127.0.0.1:${port}${url.pathname}${url.search}`);
    await new Promise<void>((resolve, reject) => {
      socket.addEventListener("open", () => resolve());
      socket.addEventListener("error", () => reject(new Error(`cannot reach the inspector at ${url.href}`)));
    });
    return new Profiler(socket);
  }

  async start(): Promise<void> {
    await this.#call("Profiler.enable");
    await this.#call("Profiler.setSamplingInterval", { interval: samplingMicros });
    await this.#call("Profiler.start");
  }

  async stop(): Promise<Profile> {
    const { profile } = (await this.#call("Profiler.stop")) as { profile: Profile };
    this.#socket.close();
    return profile;
  }

  #call(method: string, params: Record<string, unknown> = {}): Promise<unknown> {
    const id = ++this.#id;
    return new Promise((resolve, reject) => {
      this.#answers.set(id, ({ result, error }) => {
        this.#answers.delete(id);
        if (error === undefined) resolve(result);
        else reject(new Error(`${method}: ${error.message}`));
      });
      this.#socket.send(JSON.stringify({ id, method, params }));
    });
  }
}

/** The .cpuprofile form of V8. Times in µs. */
export interface Profile {
  nodes: ProfileNode[];
  startTime: number;
  endTime: number;
  samples: number[];
  timeDeltas: number[];
}

export interface ProfileNode {
  id: number;
  callFrame: { functionName: string; url: string; lineNumber: number; columnNumber: number };
  children?: number[];
}
