import { eventually } from "../lib/eventually.ts";
import { fill, nameOf } from "../lib/fill.ts";
import { paced } from "../lib/load.ts";
import { configMap } from "../lib/objects.ts";
import type { Figure, Row } from "../lib/row.ts";
import type { ServerProcess } from "../lib/server-process.ts";
import { percentile, summary } from "../lib/stats.ts";
import { summaryOf } from "../lib/compare.ts";
import { Watch } from "../lib/watch.ts";

const objects = 200;
const writesPerSecond = 200;
/** Watchers whose events are read for latency; of the others events are only counted, to spare the cores. */
const sampled = 5;
const path = "/api/v1/namespaces/default/configmaps";
const mark = Buffer.from('"sent":"');

export const watch: Row = {
  name: "watch",
  title: `watches with ${writesPerSecond} writes/s of 1.5 KB`,
  async run(bench) {
    const server = await bench.start({ what: "edgeplane" });
    await fill(server, path, 0, objects, (name) => configMap(name, { sent: "0" }));
    const figures: Figure[] = [];
    for (const watchers of [1, 50, 200]) {
      const rounds: Round[] = [];
      await measure(server, watchers, 1);
      for (let round = 0; round < bench.rounds; round++) {
        rounds.push(await bench.measured(server, () => measure(server, watchers, bench.seconds)));
        const { eventsPerSecond, p50, p99, generator } = rounds.at(-1)!;
        bench.log(
          `${watchers} watchers: ${eventsPerSecond.toFixed(0)} events/s, p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, generator ${generator.toFixed(2)} cores`,
        );
      }
      figures.push(...figuresOf(watchers, rounds));
    }
    return figures;
  },
};

function figuresOf(watchers: number, rounds: Round[]): Figure[] {
  const share = summary(rounds.map((round) => round.delivered / round.expected));
  return [
    {
      what: `${watchers} watchers: events delivered (ratio: of those written)`,
      unit: "/s",
      value: summary(rounds.map((round) => round.eventsPerSecond)),
      ratio: share,
      ratioOf: "delivered of written times watchers",
      cpuMicros: summaryOf(rounds.map((round) => round.cpuMicros)),
      details: { rounds },
    },
    {
      what: `${watchers} watchers: from write to client, p50`,
      unit: "ms",
      value: summary(rounds.map((round) => round.p50)),
    },
    {
      what: `${watchers} watchers: from write to client, p99`,
      unit: "ms",
      value: summary(rounds.map((round) => round.p99)),
    },
  ];
}

interface Round {
  eventsPerSecond: number;
  delivered: number;
  expected: number;
  writesPerSecond: number;
  /** Milliseconds from when a write was sent until its event was read. */
  p50: number;
  p99: number;
  generator: number;
  /** Of the runtime for each event delivered, writing included. */
  cpuMicros: number | undefined;
}

async function measure(server: ServerProcess, watchers: number, seconds: number): Promise<Round> {
  const list = JSON.parse((await server.request("GET", `${path}?limit=1`)).body.toString()) as {
    metadata: { resourceVersion: string };
  };
  const watchPath = `${path}?watch=1&resourceVersion=${list.metadata.resourceVersion}`;
  let delivered = 0;
  let last = performance.now();
  const latencies: number[] = [];
  const read = (line: Buffer) => {
    delivered++;
    const at = line.indexOf(mark);
    if (at < 0) return;
    last = performance.now();
    const from = at + mark.length;
    latencies.push(last - Number(line.toString("latin1", from, line.indexOf(34, from))));
  };
  const count = () => {
    delivered++;
    last = performance.now();
  };
  const watches = await Promise.all(
    Array.from({ length: watchers }, (_, index) => Watch.open(server, watchPath, index < sampled ? read : count)),
  );
  try {
    // Every watch is there when the event of this write has come to it.
    await server.request("PUT", `${path}/${nameOf(0)}`, configMap(nameOf(0), { probe: String(performance.now()) }));
    await eventually(`${watchers} watches`, 30, () => Promise.resolve(delivered >= watchers));
    delivered = 0;
    latencies.length = 0;
    let index = 0;
    const next = () => {
      const name = nameOf(index++ % objects);
      return server.text("PUT", `${path}/${name}`, configMap(name, { sent: String(performance.now()) }));
    };
    const cpuBefore = server.cpuSeconds();
    const start = performance.now();
    const written = await paced(server, next, { perSecond: writesPerSecond, seconds });
    const expected = written.requests * watchers;
    // What does not come within that time counts as not delivered.
    await eventually("all events", 10, () => Promise.resolve(delivered >= expected)).catch(() => {});
    const failed = watches.find((one) => one.failed !== undefined)?.failed;
    if (failed !== undefined) throw failed;
    const elapsed = (last - start) / 1_000;
    const cpuAfter = server.cpuSeconds();
    return {
      eventsPerSecond: delivered / elapsed,
      delivered,
      expected,
      writesPerSecond: written.perSecond,
      p50: percentile(latencies, 0.5),
      p99: percentile(latencies, 0.99),
      generator: written.generator,
      cpuMicros:
        cpuBefore === undefined || cpuAfter === undefined
          ? undefined
          : ((cpuAfter - cpuBefore) * 1e6) / Math.max(1, delivered),
    };
  } finally {
    for (const one of watches) one.close();
  }
}
