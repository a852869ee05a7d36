/** The outcome of a pod's last scheduling attempt. */
export interface Explanation {
  uid: string;
  /** Milliseconds. */
  time: number;
  outcome: "Scheduled" | "Unschedulable" | "Error";
  nodeName?: string;
  message?: string;
  evaluatedNodes?: number;
  feasibleNodes?: number;
  /** Why each examined node was refused. */
  nodes?: ReadonlyMap<string, readonly string[]>;
  unschedulablePlugins?: readonly string[];
}

/** Keeps the newest explanations by `namespace/name`, at most `limit` of them. */
export class Explanations {
  readonly #limit: number;
  readonly #byPod = new Map<string, () => Explanation>();

  constructor(limit = 1000) {
    this.#limit = limit;
  }

  /** `explain` is evaluated only when somebody asks. */
  record(key: string, explain: () => Explanation): void {
    this.#byPod.delete(key);
    this.#byPod.set(key, explain);
    if (this.#byPod.size <= this.#limit) return;
    for (const oldest of this.#byPod.keys()) {
      this.#byPod.delete(oldest);
      break;
    }
  }

  get(namespace: string, name: string): Explanation | undefined {
    return this.#byPod.get(`${namespace}/${name}`)?.();
  }

  forget(key: string): void {
    this.#byPod.delete(key);
  }

  get size(): number {
    return this.#byPod.size;
  }
}
