import { eventually } from "../lib/eventually.ts";
import { deployment } from "../lib/objects.ts";
import type { Bench, Row } from "../lib/row.ts";
import type { ServerProcess } from "../lib/server-process.ts";
import { summary } from "../lib/stats.ts";
import { summaryOf } from "../lib/compare.ts";
import { countsSince, requestCounts } from "../lib/request-counts.ts";
import { Watch } from "../lib/watch.ts";

const nodes = 100;
const pods = 1_000;
const limitSeconds = 180;
const target = 200;

interface Round {
  perSecond: number;
  /** Seconds from the request until the last pod was created, bound, running. */
  created: number;
  scheduled: number;
  running: number;
  firstRunning: number;
  cpuMicros: number | undefined;
  /** Requests to the API by verb, resource and code, those of controllers, scheduler and kubelets included. */
  requests: [string, number][];
}

/** One Deployment of 1,000 pods on a fresh cluster of 100 nodes in every round. */
export const podsRow: Row = {
  name: "pods",
  title: `${pods} pods on ${nodes} nodes`,
  async run(bench) {
    const rounds: Round[] = [];
    for (let round = 0; round < bench.rounds; round++) {
      const server = await bench.start({ what: "edgeplane", nodes });
      try {
        await nodesReady(server);
        rounds.push(await bench.measured(server, () => deploy(server, bench)));
      } finally {
        await server.stop();
      }
    }
    const value = summary(rounds.map(({ perSecond }) => perSecond));
    return [
      {
        what: "one Deployment, created to all Running",
        unit: "pods/s",
        value,
        cpuMicros: summaryOf(rounds.map(({ cpuMicros }) => cpuMicros)),
        target: { text: `≥ ${target} pods/s`, met: value.median >= target },
        details: { rounds },
      },
    ];
  },
};

async function nodesReady(server: ServerProcess): Promise<void> {
  await eventually(`${nodes} nodes ready`, 60, async () => {
    const list = JSON.parse((await server.request("GET", "/api/v1/nodes")).body.toString()) as {
      items: { status?: { conditions?: { type: string; status: string }[] } }[];
    };
    const ready = list.items.filter((node) =>
      node.status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True"),
    );
    return ready.length === nodes;
  });
  // The service accounts that pods need come from a controller.
  await eventually("the default service account", 60, async () => {
    await server.request("GET", "/api/v1/namespaces/default/serviceaccounts/default");
    return true;
  });
}

async function deploy(server: ServerProcess, bench: Bench): Promise<Round> {
  const created = new Set<string>();
  const scheduled = new Set<string>();
  const running = new Set<string>();
  const times = { created: 0, scheduled: 0, running: 0, firstRunning: 0 };
  let start = 0;
  const note = (set: Set<string>, name: string, step: "created" | "scheduled" | "running") => {
    if (set.has(name)) return;
    set.add(name);
    times[step] = (performance.now() - start) / 1_000;
    if (step === "running" && set.size === 1) times.firstRunning = times.running;
  };
  const watch = await Watch.open(server, "/api/v1/namespaces/default/pods?watch=1&resourceVersion=0", (line) => {
    const { object } = JSON.parse(line.toString()) as PodEvent;
    const { name } = object.metadata;
    note(created, name, "created");
    if (object.spec?.nodeName !== undefined) note(scheduled, name, "scheduled");
    if (object.status?.phase === "Running") note(running, name, "running");
  });
  const requestsBefore = await requestCounts(server);
  const cpuBefore = server.cpuSeconds();
  start = performance.now();
  try {
    await server.request("POST", "/apis/apps/v1/namespaces/default/deployments", deployment("bench", pods));
    await eventually(`${pods} pods running`, limitSeconds, () => {
      if (watch.failed !== undefined) throw watch.failed;
      return Promise.resolve(running.size >= pods);
    }).catch((error: Error) => {
      throw new Error(`${error.message}: ${created.size} created, ${scheduled.size} bound, ${running.size} running`);
    });
  } finally {
    watch.close();
  }
  const cpuAfter = server.cpuSeconds();
  const requests = countsSince(requestsBefore, await requestCounts(server)).slice(0, 20);
  bench.log(
    `pods: ${(pods / times.running).toFixed(0)}/s; last one created ${times.created.toFixed(1)} s, bound ${times.scheduled.toFixed(1)} s, running ${times.running.toFixed(1)} s`,
  );
  if (bench.profiling) for (const [name, count] of requests) bench.log(`${String(count).padStart(7)} ${name}`);
  return {
    perSecond: pods / times.running,
    requests,
    ...times,
    cpuMicros: cpuBefore === undefined || cpuAfter === undefined ? undefined : ((cpuAfter - cpuBefore) * 1e6) / pods,
  };
}

interface PodEvent {
  object: { metadata: { name: string }; spec?: { nodeName?: string }; status?: { phase?: string } };
}
