import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventually } from "../lib/eventually.ts";
import { load } from "../lib/load.ts";
import { customObject, definition } from "../lib/objects.ts";
import type { Bench, Figure, Row } from "../lib/row.ts";
import type { ServerProcess } from "../lib/server-process.ts";
import { summary } from "../lib/stats.ts";

const definitions = 500;
const groups = 10;
const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const groupOf = (index: number) => `group-${index % groups}.example.com`;
const discoveryTypes = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

/** What 500 definitions, as large providers of operators bring them, do to a start, to discovery and to memory. */
export const crds500: Row = {
  name: "crds-500",
  title: `${definitions} custom resource definitions`,
  async run(bench) {
    const directory = mkdtempSync(join(tmpdir(), "edgeplane-bench-"));
    const bareDirectory = mkdtempSync(join(tmpdir(), "edgeplane-bench-"));
    try {
      await (await bench.start({ what: "edgeplane", state: bareDirectory, ephemeral: false })).stop();
      const figures = await create(bench, directory);
      const many: Start[] = [];
      const none: Start[] = [];
      for (let round = 0; round < bench.rounds; round++) {
        none.push(await restart(bench, bareDirectory));
        many.push(await restart(bench, directory));
        const { ready, discovery, resident } = many.at(-1)!;
        bench.log(
          `start with ${definitions}: ready ${ready.toFixed(0)} ms, discovery ${discovery.toFixed(0)} ms, ${resident.toFixed(0)} MB; without: ready ${none.at(-1)!.ready.toFixed(0)} ms, discovery ${none.at(-1)!.discovery.toFixed(0)} ms, ${none.at(-1)!.resident.toFixed(0)} MB`,
        );
      }
      return [...figures, ...figuresOf(many, none)];
    } finally {
      for (const each of [directory, bareDirectory]) rmSync(each, { recursive: true, force: true, maxRetries: 3 });
    }
  },
};

async function create(bench: Bench, state: string): Promise<Figure[]> {
  const server = await bench.start({ what: "edgeplane", state, ephemeral: false });
  try {
    await discover(server);
    const before = server.residentMegabytes() ?? Number.NaN;
    let count = 0;
    const next = () => {
      const index = count++;
      return server.text("POST", path, definition(groupOf(index), `things${index}`, `Thing${index}`, index % 2 === 0));
    };
    const created = await bench.measured(server, () =>
      load(server, next, { connections: 4, seconds: 300, requests: definitions }),
    );
    const since = performance.now();
    await eventually("all definitions discovered", 60, async () => (await discover(server)).resources >= definitions);
    const settled = performance.now() - since;
    const after = server.residentMegabytes() ?? Number.NaN;
    bench.log(
      `${created.perSecond.toFixed(0)} definitions/s, all discovered ${settled.toFixed(0)} ms later; ${before.toFixed(0)} → ${after.toFixed(0)} MB`,
    );
    const one = (value: number) => summary([value]);
    return [
      {
        what: "definitions created, 4 clients",
        unit: "/s",
        value: one(created.perSecond),
        cpuMicros: created.cpuMicros === undefined ? undefined : one(created.cpuMicros),
        details: { created, settled },
      },
      {
        what: `memory of the runtime after ${definitions} were created (bare: before)`,
        unit: "MB",
        value: one(after),
        baseline: one(before),
      },
    ];
  } finally {
    await server.stop();
  }
}

interface Start {
  /** Milliseconds until /readyz, process start included; of the first discovery; of the first object of a custom kind. */
  ready: number;
  discovery: number;
  first: number;
  resident: number;
}

async function restart(bench: Bench, state: string): Promise<Start> {
  const start = performance.now();
  const server = await bench.start({ what: "edgeplane", state, ephemeral: false });
  try {
    await server.request("GET", "/readyz");
    const ready = performance.now() - start;
    const { millis, resources } = await discover(server);
    const resident = server.residentMegabytes() ?? Number.NaN;
    const first = resources >= definitions ? await firstWrite(server) : Number.NaN;
    return { ready, discovery: millis, first, resident };
  } finally {
    await server.stop();
  }
}

async function firstWrite(server: ServerProcess): Promise<number> {
  const name = `first-${Math.round(performance.now())}`;
  const start = performance.now();
  await server.request(
    "POST",
    `/apis/${groupOf(7)}/v1/namespaces/default/things7`,
    customObject(groupOf(7), "Thing7", name),
  );
  return performance.now() - start;
}

/** Aggregated discovery as kubectl asks for it. */
async function discover(server: ServerProcess): Promise<{ millis: number; resources: number }> {
  const connection = await server.connect();
  try {
    const start = performance.now();
    const answer = await connection.send(
      server.text("GET", "/apis").replace("\r\n\r\n", `\r\nAccept: ${discoveryTypes}\r\n\r\n`),
    );
    const millis = performance.now() - start;
    if (answer.status !== 200) throw new Error(`discovery: ${answer.status}`);
    const { items } = JSON.parse(answer.body.toString()) as Discovery;
    const resources = items
      .filter(({ metadata }) => metadata.name.endsWith(".example.com"))
      .flatMap(({ versions }) => versions.flatMap((version) => version.resources)).length;
    return { millis, resources };
  } finally {
    connection.close();
  }
}

interface Discovery {
  items: { metadata: { name: string }; versions: { resources: unknown[] }[] }[];
}

function figuresOf(many: Start[], none: Start[]): Figure[] {
  const figure = (what: string, unit: string, of: (start: Start) => number): Figure => ({
    what,
    unit,
    value: summary(many.map(of)),
    baseline: summary(none.map(of)),
    ratio: summary(many.map((start, round) => of(none[round]!) / of(start))),
    ratioOf: "without definitions against with them",
  });
  return [
    {
      ...figure(`start with ${definitions} until /readyz answers (bare: with none)`, "ms", ({ ready }) => ready),
      details: { many, none },
    },
    figure("first discovery after it", "ms", ({ discovery }) => discovery),
    figure("memory of the runtime after it", "MB", ({ resident }) => resident),
    { what: "first object of a custom kind after it", unit: "ms", value: summary(many.map(({ first }) => first)) },
  ];
}
