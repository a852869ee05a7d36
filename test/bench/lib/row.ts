import type { BuiltWorker } from "../../../scripts/lib/build-worker.ts";
import type { ServerOptions, ServerProcess } from "./server-process.ts";
import type { Summary } from "./stats.ts";

/** One line of the table. Rates are better high, times better low; `target` says which. */
export interface Figure {
  what: string;
  unit: string;
  value: Summary;
  /** The same from the baseline, in the same run. */
  baseline?: Summary | undefined;
  /** How good the product is against the baseline (1: the same, more: better), or what `ratioOf` says. */
  ratio?: Summary | undefined;
  ratioOf?: string;
  /** CPU of the runtime for one operation, in µs. */
  cpuMicros?: Summary | undefined;
  baselineCpuMicros?: Summary | undefined;
  target?: Target | undefined;
  /** Further numbers that only the JSON shows. */
  details?: Record<string, unknown>;
}

export interface Target {
  text: string;
  met: boolean;
}

export interface Row {
  name: string;
  title: string;
  run(bench: Bench): Promise<Figure[]>;
}

/** What a row may use. Everything that it starts is ended with it. */
export interface Bench {
  /** Length of a measurement. */
  readonly seconds: number;
  readonly rounds: number;
  readonly profiling: boolean;
  /** Objects of the rows about growth. */
  readonly objects: number;
  readonly workers: { edgeplane: BuiltWorker; baseline: BuiltWorker };
  start(options: Omit<ServerOptions, "worker">): Promise<ServerProcess>;
  /** Runs a measurement of the product, under the profiler when one is asked for. */
  measured<T>(server: ServerProcess, measurement: () => Promise<T>): Promise<T>;
  log(text: string): void;
}
