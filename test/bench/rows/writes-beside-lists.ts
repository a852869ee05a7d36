import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { fill, nameOf } from "../lib/fill.ts";
import { paced } from "../lib/load.ts";
import type { LoadResult } from "../lib/load.ts";
import { configMap } from "../lib/objects.ts";
import type { Figure, Row } from "../lib/row.ts";
import type { ServerProcess } from "../lib/server-process.ts";
import { summary } from "../lib/stats.ts";

const path = "/api/v1/namespaces/default/configmaps";
const readers = 2;
const writesPerSecond = 50;
/** How many times its latency without lists a write may take beside them. */
const allowed = 5;

/** Lists of a large type, again and again, beside paced writes to the same type. */
export const writesBesideLists: Row = {
  name: "writes-beside-lists",
  title: `${readers} readers that list a large type, and ${writesPerSecond} writes/s to it`,
  async run(bench) {
    const server = await bench.start({ what: "edgeplane" });
    await fill(server, path, 0, bench.objects, configMap);
    let index = 0;
    const next = () => {
      const name = nameOf(index++ % bench.objects);
      return server.text("PUT", `${path}/${name}`, configMap(name, { at: String(index) }));
    };
    const write = () => paced(server, next, { perSecond: writesPerSecond, seconds: bench.seconds });
    await paced(server, next, { perSecond: writesPerSecond, seconds: 1 });
    const alone: LoadResult[] = [];
    const beside: LoadResult[] = [];
    const listsPerSecond: number[] = [];
    for (let round = 0; round < bench.rounds; round++) {
      alone.push(await write());
      const lists = startReaders(server);
      const start = performance.now();
      try {
        beside.push(await bench.measured(server, write));
      } finally {
        listsPerSecond.push((await lists.stop()) / ((performance.now() - start) / 1_000));
      }
      bench.log(
        `writes alone p50 ${alone.at(-1)!.p50.toFixed(1)} p99 ${alone.at(-1)!.p99.toFixed(1)} ms; beside ${listsPerSecond.at(-1)!.toFixed(2)} lists/s p50 ${beside.at(-1)!.p50.toFixed(1)} p99 ${beside.at(-1)!.p99.toFixed(1)} ms`,
      );
    }
    const figure = (name: "p50" | "p99"): Figure => {
      const ratio = summary(beside.map((result, round) => result[name] / alone[round]![name]));
      return {
        what: `write latency ${name} beside lists of ${bench.objects} (bare: without)`,
        unit: "ms",
        value: summary(beside.map((result) => result[name])),
        baseline: summary(alone.map((result) => result[name])),
        ratio,
        ratioOf: "beside lists against without; lower is better",
        target: { text: `at most ${allowed} times`, met: ratio.median <= allowed },
      };
    };
    return [{ ...figure("p50"), details: { alone, beside, listsPerSecond } }, figure("p99")];
  },
};

function startReaders(server: ServerProcess): { stop(): Promise<number> } {
  const thread = new Worker(join(import.meta.dirname, "../lib/reader-thread.ts"), {
    workerData: { target: server.target, request: server.text("GET", path), readers },
  });
  const lists = new Promise<number>((resolve, reject) => {
    thread.once("message", resolve);
    thread.once("error", reject);
  });
  // It is awaited at the end; a failure before that is not unhandled.
  lists.catch(() => {});
  return {
    stop() {
      thread.postMessage("end");
      return lists;
    },
  };
}
