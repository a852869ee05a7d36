import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { requestText } from "../lib/connection.ts";
import { configMap } from "../lib/objects.ts";
import type { Bench, Figure, Row } from "../lib/row.ts";
import { summary } from "../lib/stats.ts";

const clusters = 10;

/** Times that a person waits for: a second start of the same state, and the first write to a new cluster. */
export const startUp: Row = {
  name: "start-up",
  title: "second start, and a new cluster",
  async run(bench) {
    const directory = mkdtempSync(join(tmpdir(), "edgeplane-bench-"));
    const bareDirectory = mkdtempSync(join(tmpdir(), "edgeplane-bench-"));
    try {
      await (await bench.start({ what: "edgeplane", state: directory, ephemeral: false, nodes: 3 })).stop();
      await (await bench.start({ what: "baseline", state: bareDirectory, ephemeral: false })).stop();
      const bare: number[] = [];
      const ours: number[] = [];
      for (let round = 0; round < bench.rounds; round++) {
        bare.push(await startMillis(bench, "baseline", bareDirectory, "/"));
        ours.push(await startMillis(bench, "edgeplane", directory, "/readyz"));
        bench.log(`start: ${ours.at(-1)!.toFixed(0)} ms, bare ${bare.at(-1)!.toFixed(0)} ms`);
      }
      return [
        {
          what: "second start until /readyz answers (bare: until / answers)",
          unit: "ms",
          value: summary(ours),
          baseline: summary(bare),
          ratio: summary(ours.map((millis, round) => bare[round]! / millis)),
          details: { ours, bare },
        },
        await newClusters(bench),
      ];
    } finally {
      for (const path of [directory, bareDirectory]) rmSync(path, { recursive: true, force: true, maxRetries: 3 });
    }
  },
};

async function startMillis(bench: Bench, what: "edgeplane" | "baseline", state: string, path: string): Promise<number> {
  const start = performance.now();
  const server = await bench.start({ what, state, ephemeral: false, nodes: 3 });
  try {
    await server.request("GET", path);
    return performance.now() - start;
  } finally {
    await server.stop();
  }
}

async function newClusters(bench: Bench): Promise<Figure> {
  const server = await bench.start({ what: "edgeplane", nodes: 3 });
  const connection = await server.connect();
  const times: number[] = [];
  await bench.measured(server, async () => {
    for (let index = 0; index < clusters; index++) {
      const name = `bench-${index}`;
      const headers = { Authorization: `Bearer ${await server.tokenOf(name)}` };
      const path = `/clusters/${name}/api/v1/namespaces/default/configmaps`;
      const start = performance.now();
      const answer = await connection.send(requestText("POST", path, headers, configMap("first")));
      if (answer.status !== 201)
        throw new Error(`first write to ${name}: ${answer.status} ${answer.body.toString().slice(0, 300)}`);
      times.push(performance.now() - start);
    }
  });
  connection.close();
  return {
    what: "first write to a new cluster until it is answered",
    unit: "ms",
    value: summary(times),
    details: { times },
  };
}
