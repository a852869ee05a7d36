import { fill, nameOf } from "../lib/fill.ts";
import { load } from "../lib/load.ts";
import { configMap } from "../lib/objects.ts";
import type { Figure, Row } from "../lib/row.ts";
import type { ServerProcess } from "../lib/server-process.ts";
import { summary } from "../lib/stats.ts";
import type { Summary } from "../lib/stats.ts";

const path = "/api/v1/namespaces/default/configmaps";
const few = 1_000;
const pageSize = 500;

interface Step {
  objects: number;
  /** µs for each object of a list in one answer, and of one in pages. */
  list: number[];
  paged: number[];
  /** Per second. */
  get: number[];
  create: number[];
}

/** What 50 times as many objects of a type do to list, get and create. */
export const growth: Row = {
  name: "growth",
  title: "growth of a type",
  async run(bench) {
    const server = await bench.start({ what: "edgeplane" });
    const sizes = [...new Set([few, Math.ceil(bench.objects / 5), bench.objects])].filter((size) => size >= few);
    const steps: Step[] = [];
    let filled = 0;
    let created = 0;
    const nextCreate = () => server.text("POST", path, configMap(`created-${created++}`));
    await load(server, nextCreate, { seconds: 2, requests: few / 2 });
    for (const size of sizes) {
      await fill(server, path, filled, size, configMap);
      filled = size;
      const step: Step = { objects: size, list: [], paged: [], get: [], create: [] };
      const seconds = Math.min(2, bench.seconds);
      await listMicros(server);
      await pagedMicros(server);
      for (let round = 0; round < bench.rounds; round++) {
        step.list.push(await listMicros(server));
        step.paged.push(await pagedMicros(server));
        let index = 0;
        const nextGet = () => server.text("GET", `${path}/${nameOf((index += 7_919) % size)}`);
        step.get.push((await load(server, nextGet, { seconds })).perSecond);
        // Few enough that the size stays what it is.
        step.create.push(
          (await load(server, nextCreate, { seconds, requests: Math.max(100, Math.ceil(size / 20)) })).perSecond,
        );
      }
      steps.push(step);
      const middle = (values: number[]) => summary(values).median.toFixed(1);
      bench.log(
        `${size}: list ${middle(step.list)} µs/object, paged ${middle(step.paged)}, get ${middle(step.get)}/s, create ${middle(step.create)}/s`,
      );
    }
    return figuresOf(steps);
  },
};

function figuresOf(steps: Step[]): Figure[] {
  const first = steps[0]!;
  const last = steps.at(-1)!;
  const label = `${last.objects} objects (bare: ${first.objects})`;
  const figure = (
    what: string,
    unit: string,
    of: (step: Step) => number[],
    higherIsBetter: boolean,
    details?: Record<string, unknown>,
  ): Figure => {
    const [few, many] = [summary(of(first)), summary(of(last))];
    const ratio = higherIsBetter ? many.median / few.median : few.median / many.median;
    const one: Summary = { median: ratio, min: ratio, max: ratio };
    return {
      what: `${what}, ${label}`,
      unit,
      value: many,
      baseline: few,
      ratio: one,
      ratioOf: `${last.objects} objects against ${first.objects}`,
      target: { text: "ratio ≥ 0.5", met: ratio >= 0.5 },
      ...(details === undefined ? {} : { details }),
    };
  };
  return [
    figure("list in one answer", "µs/object", (step) => step.list, false, { steps }),
    figure(`list in pages of ${pageSize}`, "µs/object", (step) => step.paged, false),
    figure("get", "/s", (step) => step.get, true),
    figure("create", "/s", (step) => step.create, true),
  ];
}

async function listMicros(server: ServerProcess): Promise<number> {
  const start = performance.now();
  const { body } = await server.request("GET", path);
  const micros = (performance.now() - start) * 1_000;
  return micros / countNames(body);
}

async function pagedMicros(server: ServerProcess): Promise<number> {
  const connection = await server.connect();
  const start = performance.now();
  let count = 0;
  let token = "";
  try {
    do {
      const next = token === "" ? "" : `&continue=${encodeURIComponent(token)}`;
      const answer = await connection.send(server.text("GET", `${path}?limit=${pageSize}${next}`));
      if (answer.status !== 200) throw new Error(`page: ${answer.status} ${answer.body.toString().slice(0, 300)}`);
      count += countNames(answer.body);
      token = continueOf(answer.body);
    } while (token !== "");
  } finally {
    connection.close();
  }
  return ((performance.now() - start) * 1_000) / count;
}

/** Every object of the bench has one filler. */
function countNames(body: Buffer): number {
  const needle = Buffer.from('"filler":');
  let count = 0;
  for (let at = body.indexOf(needle); at >= 0; at = body.indexOf(needle, at + needle.length)) count++;
  if (count === 0) throw new Error("a list without objects");
  return count;
}

function continueOf(body: Buffer): string {
  const needle = Buffer.from('"continue":"');
  const at = body.indexOf(needle);
  return at < 0 ? "" : body.toString("latin1", at + needle.length, body.indexOf(34, at + needle.length));
}
