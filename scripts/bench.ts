import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { cpus, loadavg, totalmem } from "node:os";
import { dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import type { Bench, Figure } from "../test/bench/lib/row.ts";
import { Profiler } from "../test/bench/lib/profiler.ts";
import { profileReport } from "../test/bench/lib/profile-report.ts";
import { freePort, ServerProcess } from "../test/bench/lib/server-process.ts";
import { table } from "../test/bench/lib/table.ts";
import { rows } from "../test/bench/rows.ts";
import { buildWorker } from "./lib/build-worker.ts";
import { projectRoot } from "./lib/layout.ts";

const usage = `Usage: npm run bench -- [options]
  --only NAME[,NAME]  only these rows: ${rows.map(({ name }) => name).join(", ")}
  --seconds N         length of one measurement (default 5)
  --rounds N          rounds, baseline and product in turn (default 3)
  --objects N         size of the large type in the rows about growth (default 50000)
  --out FILE          where the figures go as JSON (default .edgeplane/bench.json)
  --profile NAME      runs one row under the CPU profiler of the runtime, and says where the time goes
  --top N             functions that a profile shows (default 15)`;

function readOptions() {
  try {
    const { values } = parseArgs({
      options: {
        only: { type: "string", default: "" },
        seconds: { type: "string", default: "5" },
        rounds: { type: "string", default: "3" },
        objects: { type: "string", default: "50000" },
        out: { type: "string", default: join(projectRoot, ".edgeplane", "bench.json") },
        profile: { type: "string" },
        top: { type: "string", default: "15" },
        help: { type: "boolean", default: false },
      },
    });
    if (values.help) throw new Error("Measures Edgeplane against a bare Worker and a bare Durable Object.");
    const wanted = (values.profile ?? values.only).split(",").filter(Boolean);
    const unknown = wanted.find((name) => rows.every((row) => row.name !== name));
    if (unknown !== undefined) throw new Error(`no such row: ${unknown}`);
    const number = (name: "seconds" | "rounds" | "objects" | "top", max: number) => {
      const value = Number(values[name]);
      if (!(value > 0 && value <= max)) throw new Error(`--${name}: not a number up to ${max}: ${values[name]}`);
      return value;
    };
    return {
      wanted,
      profile: values.profile !== undefined,
      seconds: number("seconds", 60),
      rounds: values.profile === undefined ? Math.ceil(number("rounds", 20)) : 1,
      objects: Math.ceil(number("objects", 200_000)),
      top: number("top", 200),
      out: resolve(values.out),
    };
  } catch (error) {
    console.error(`${(error as Error).message}\n${usage}`);
    return process.exit(2);
  }
}

const options = readOptions();
const benchDirectory = join(projectRoot, ".edgeplane", "bench");
// The baseline's source is not among those that a bundle's stamp knows.
rmSync(join(benchDirectory, "baseline"), { recursive: true, force: true });
const workers = {
  edgeplane: await buildWorker(join(benchDirectory, "edgeplane")),
  baseline: await buildWorker(join(benchDirectory, "baseline"), "test/bench/baseline/wrangler.toml"),
};
const servers = new Set<ServerProcess>();
const profiles: string[] = [];
let row = "";

const bench: Bench = {
  seconds: options.seconds,
  rounds: options.rounds,
  profiling: options.profile,
  objects: options.objects,
  workers,
  async start(serverOptions) {
    const profiled = options.profile && serverOptions.what === "edgeplane";
    const server = await ServerProcess.start({
      ...serverOptions,
      worker: workers[serverOptions.what],
      ...(profiled ? { inspectorPort: await freePort() } : {}),
    });
    servers.add(server);
    return server;
  },
  async measured(server, measurement) {
    if (server.inspectorPort === undefined) return measurement();
    const profiler = await Profiler.connect(server.inspectorPort);
    await profiler.start();
    const result = await measurement();
    const profile = await profiler.stop();
    const path = join(benchDirectory, `${row}-${profiles.length}.cpuprofile`);
    writeFileSync(path, JSON.stringify(profile));
    profiles.push(
      `Profile of ${row} (${path}): ${profileReport(profile, join(workers.edgeplane.directory, "main.js.map"), options.top)}`,
    );
    return result;
  },
  log: (text) => console.error(`  ${text}`),
};

async function stopServers(): Promise<void> {
  const running = [...servers];
  servers.clear();
  await Promise.all(running.map((server) => server.stop()));
}

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => void stopServers().finally(() => process.exit(130)));
}

const results: { name: string; title: string; figures: Figure[]; error?: string | undefined }[] = [];
for (const { name, title, run } of rows) {
  if (options.wanted.length > 0 && !options.wanted.includes(name)) continue;
  row = name;
  console.error(`${name}: ${title}`);
  let figures: Figure[] = [];
  let error: string | undefined;
  try {
    figures = await run(bench);
  } catch (thrown) {
    error = (thrown as Error).message;
    console.error(`  failed: ${error}`);
  } finally {
    await stopServers();
  }
  results.push({ name, title, figures, error });
}

function git(...args: string[]): string {
  try {
    return execFileSync("git", args, { cwd: projectRoot, encoding: "utf8" }).trim();
  } catch {
    return "";
  }
}

const facts = {
  commit: git("rev-parse", "HEAD"),
  changed: git("status", "--porcelain") !== "",
  at: new Date().toISOString(),
  node: process.version,
  cores: cpus().length,
  cpu: cpus()[0]?.model,
  memoryGb: Math.round(totalmem() / 1e9),
  loadAverage: loadavg(),
  seconds: options.seconds,
  rounds: options.rounds,
};
mkdirSync(dirname(options.out), { recursive: true });
if (!options.profile) writeFileSync(options.out, `${JSON.stringify({ ...facts, rows: results }, null, 2)}\n`);
for (const profile of profiles) console.log(`\n${profile}`);
console.log(`\n${table(results)}\n
${facts.cores} cores, Node ${facts.node}, commit ${facts.commit.slice(0, 7)}${facts.changed ? " with changes" : ""}, load ${facts.loadAverage[0]!.toFixed(1)}; median (min–max) of the rounds. ratio: 1 is as good as bare.${options.profile ? "" : `\nAll figures: ${options.out}`}`);
process.exit(0);
