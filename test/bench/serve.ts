import { layoutOf } from "../../scripts/lib/layout.ts";
import { readPki } from "../../scripts/lib/pki.ts";
import type { BuiltWorker } from "../../scripts/lib/build-worker.ts";
import { serveWorker, startServer } from "../../scripts/lib/server.ts";

/** A process that serves one bundle through the launcher until it is told to end; its options come as JSON. */
export interface ServeProcessOptions {
  what: "edgeplane" | "baseline";
  worker: BuiltWorker;
  state: string;
  port: number;
  nodes: number;
  ephemeral: boolean;
  inspectorPort?: number | undefined;
}

const options = JSON.parse(process.argv[2]!) as ServeProcessOptions;
const { inspectorPort, worker } = options;

async function start(): Promise<{ url: string; stop(): Promise<void> }> {
  if (options.what === "edgeplane") return startServer({ ...options, cluster: "default" }, { worker, inspectorPort });
  const layout = layoutOf(options.state);
  const miniflare = serveWorker(worker, await readPki(layout.pki), {
    port: options.port,
    bindings: {},
    state: options.ephemeral ? undefined : layout.state,
    inspectorPort,
  });
  return { url: (await miniflare.ready).origin, stop: () => miniflare.dispose() };
}

const server = await start();
const stop = async () => {
  await server.stop();
  process.exit(0);
};
process.once("SIGTERM", () => void stop());
process.once("SIGINT", () => void stop());
// The bench that started this one is gone.
process.once("disconnect", () => void stop());
process.send?.({ url: server.url });
