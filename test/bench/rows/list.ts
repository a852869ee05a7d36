import { load } from "../lib/load.ts";
import { fill } from "../lib/fill.ts";
import { unscheduledPod } from "../lib/objects.ts";
import type { Bench, Figure, Row } from "../lib/row.ts";
import type { ServerProcess } from "../lib/server-process.ts";
import { summary } from "../lib/stats.ts";
import { summaryOf } from "../lib/compare.ts";

const pods = 5_000;

export const list: Row = {
  name: "list",
  title: `LIST ${pods} pods of 1.5 KB against a bare SELECT of the same bytes`,
  async run(bench) {
    const baseline = await bench.start({ what: "baseline" });
    const product = await bench.start({ what: "edgeplane" });
    await fill(product, "/api/v1/namespaces/default/pods", 0, pods, unscheduledPod);
    const path = "/api/v1/pods";
    const { items } = JSON.parse((await product.request("GET", path)).body.toString()) as { items: unknown[] };
    if (items.length !== pods) throw new Error(`the list has ${items.length} items`);
    await fillBaseline(baseline, items);
    const rounds: { ours: Timed; bare: Timed }[] = [];
    await timed(baseline, "/list/pods/", 1);
    await timed(product, path, 1);
    for (let round = 0; round < bench.rounds; round++) {
      const bare = await timed(baseline, "/list/pods/", bench.seconds);
      const ours = await bench.measured(product, () => timed(product, path, bench.seconds));
      rounds.push({ ours, bare });
      bench.log(
        `LIST: ${ours.millis.toFixed(0)} ms, ${ours.megabytesPerSecond.toFixed(0)} MB/s; bare ${bare.millis.toFixed(0)} ms`,
      );
    }
    return [...figures(rounds), await tables(bench, product)];
  },
};

function figures(rounds: { ours: Timed; bare: Timed }[]): Figure[] {
  const ratio = summary(rounds.map((round) => round.ours.megabytesPerSecond / round.bare.megabytesPerSecond));
  const ours = rounds.map((round) => round.ours);
  const bare = rounds.map((round) => round.bare);
  return [
    {
      what: `LIST ${pods} pods, one client (${(ours[0]!.bytes / 1e6).toFixed(1)} MB) / SELECT`,
      unit: "MB/s",
      value: summary(ours.map((one) => one.megabytesPerSecond)),
      baseline: summary(bare.map((one) => one.megabytesPerSecond)),
      ratio,
      cpuMicros: summaryOf(ours.map((one) => one.cpuMicros)),
      baselineCpuMicros: summaryOf(bare.map((one) => one.cpuMicros)),
      target: { text: "ratio ≥ 0.5", met: ratio.median >= 0.5 },
    },
    {
      what: `LIST ${pods} pods, p50`,
      unit: "ms",
      value: summary(ours.map((one) => one.millis)),
      baseline: summary(bare.map((one) => one.millis)),
      details: { rounds },
    },
  ];
}

/** What kubectl asks for: the first page of 500 as a Table. */
async function tables(bench: Bench, server: ServerProcess): Promise<Figure> {
  const text = server
    .text("GET", "/api/v1/pods?limit=500")
    .replace("\r\n\r\n", "\r\nAccept: application/json;as=Table;v=v1;g=meta.k8s.io,application/json\r\n\r\n");
  const results = [];
  for (let round = 0; round < bench.rounds; round++)
    results.push(await load(server, () => text, { connections: 1, seconds: Math.min(2, bench.seconds) }));
  return {
    what: "a page of 500 pods as a Table, p50",
    unit: "ms",
    value: summary(results.map(({ p50 }) => p50)),
    cpuMicros: summaryOf(results.map(({ cpuMicros }) => cpuMicros)),
  };
}

async function fillBaseline(server: ServerProcess, items: unknown[]): Promise<void> {
  const entries = items.map((item, index) => [`/pods/${String(index).padStart(6, "0")}`, JSON.stringify(item)]);
  for (let at = 0; at < entries.length; at += 500)
    await server.request("POST", "/putall", JSON.stringify(entries.slice(at, at + 500)));
}

interface Timed {
  millis: number;
  bytes: number;
  megabytesPerSecond: number;
  cpuMicros: number | undefined;
}

async function timed(server: ServerProcess, path: string, seconds: number): Promise<Timed> {
  const bytes = (await server.request("GET", path)).body.length;
  const { p50, perSecond, cpuMicros } = await load(server, () => server.text("GET", path), { connections: 1, seconds });
  return { millis: p50, bytes, megabytesPerSecond: (bytes * perSecond) / 1e6, cpuMicros };
}
