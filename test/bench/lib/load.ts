import { percentile } from "./stats.ts";
import type { ServerProcess } from "./server-process.ts";

export interface LoadResult {
  perSecond: number;
  requests: number;
  seconds: number;
  p50: number;
  p99: number;
  /** CPU of the runtime per request, in µs; undefined where it cannot be read. */
  cpuMicros: number | undefined;
  /** Share of a core that the load generator itself used; near 1 it is what limits the rate. */
  generator: number;
}

export interface LoadOptions {
  connections?: number;
  /** Ends after this time or this number of requests, whichever comes first. */
  seconds: number;
  requests?: number;
}

export const defaultConnections = 16;

/** Closed loop: each connection sends the next request when the last one is answered. Throws at the first failure. */
export async function load(server: ServerProcess, next: () => string, options: LoadOptions): Promise<LoadResult> {
  const connections = await Promise.all(
    Array.from({ length: options.connections ?? defaultConnections }, () => server.connect()),
  );
  const latencies: number[] = [];
  const limit = options.requests ?? Number.POSITIVE_INFINITY;
  let sent = 0;
  const cpuBefore = server.cpuSeconds();
  const generatorBefore = process.cpuUsage();
  const start = performance.now();
  const end = start + options.seconds * 1_000;
  try {
    await Promise.all(
      connections.map(async (connection) => {
        for (let before = performance.now(); before < end && sent < limit; before = performance.now()) {
          sent++;
          const text = next();
          const answer = await connection.send(text);
          if (answer.status >= 300) throw failure(text, answer);
          latencies.push(performance.now() - before);
        }
      }),
    );
  } finally {
    for (const connection of connections) connection.close();
  }
  const seconds = (performance.now() - start) / 1_000;
  return {
    ...rate(latencies, seconds),
    cpuMicros: cpuMicros(server, cpuBefore, latencies.length),
    generator: shareOf(generatorBefore, seconds),
  };
}

export interface PacedOptions {
  perSecond: number;
  seconds: number;
  connections?: number;
}

/**
 * Open loop: requests are due at fixed times, and latency counts from when a request was due, so that a stall shows in every
 * request that it holds up. What cannot be sent within the time is not sent.
 */
export async function paced(server: ServerProcess, next: () => string, options: PacedOptions): Promise<LoadResult> {
  const idle = await Promise.all(
    Array.from({ length: options.connections ?? defaultConnections }, () => server.connect()),
  );
  const all = [...idle];
  const latencies: number[] = [];
  const running = new Set<Promise<void>>();
  const cpuBefore = server.cpuSeconds();
  const generatorBefore = process.cpuUsage();
  const start = performance.now();
  const end = start + options.seconds * 1_000;
  const failures: Error[] = [];
  try {
    for (
      let count = 0, due = start;
      due < end && performance.now() < end && failures.length === 0;
      count++, due = start + (count * 1_000) / options.perSecond
    ) {
      const wait = due - performance.now();
      if (wait > 0.5) await new Promise((resolve) => setTimeout(resolve, wait));
      while (idle.length === 0) await Promise.race(running);
      const connection = idle.pop()!;
      const dueAt = due;
      const text = next();
      const one = connection
        .send(text)
        .then((answer) => {
          if (answer.status >= 300) throw failure(text, answer);
          latencies.push(performance.now() - dueAt);
          idle.push(connection);
        })
        .catch((error: Error) => {
          failures.push(error);
          idle.push(connection);
        })
        .finally(() => running.delete(one));
      running.add(one);
    }
    await Promise.all(running);
    if (failures[0] !== undefined) throw failures[0];
  } finally {
    for (const connection of all) connection.close();
  }
  const seconds = (performance.now() - start) / 1_000;
  return {
    ...rate(latencies, seconds),
    cpuMicros: cpuMicros(server, cpuBefore, latencies.length),
    generator: shareOf(generatorBefore, seconds),
  };
}

function rate(latencies: number[], seconds: number): Omit<LoadResult, "cpuMicros" | "generator"> {
  return {
    perSecond: latencies.length / seconds,
    requests: latencies.length,
    seconds,
    p50: percentile(latencies, 0.5),
    p99: percentile(latencies, 0.99),
  };
}

function shareOf(before: NodeJS.CpuUsage, seconds: number): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6 / seconds;
}

function cpuMicros(server: ServerProcess, before: number | undefined, count: number): number | undefined {
  const after = server.cpuSeconds();
  return before === undefined || after === undefined ? undefined : ((after - before) * 1e6) / Math.max(1, count);
}

function failure(text: string, answer: { status: number; body: Buffer }): Error {
  return new Error(
    `${text.slice(0, text.indexOf("\r\n"))}: ${answer.status} ${answer.body.subarray(0, 500).toString()}`,
  );
}
