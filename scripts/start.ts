import { startOptions } from "./lib/arguments.ts";
import { startServer } from "./lib/server.ts";
import type { Server } from "./lib/server.ts";

async function main(): Promise<void> {
  const options = startOptions(process.argv.slice(2));
  let server: Server;
  try {
    server = await startServer(options);
  } catch (error) {
    console.error(`edgeplane: ${(error as Error).message}`);
    process.exit(1);
  }
  let stopping = false;
  const stop = async () => {
    if (stopping) return;
    stopping = true;
    console.log("\nStopping …");
    await server.stop();
    process.exit(0);
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    // miniflare's own listener ends the process at once, as if it had failed.
    process.removeAllListeners(signal);
    process.on(signal, stop);
  }
  console.log(`Edgeplane serves cluster "${options.cluster}" on ${server.url}${options.ephemeral ? " (ephemeral)" : ""}

  export KUBECONFIG=${server.kubeconfig}
  kubectl get nodes

Ctrl-C stops it.${options.ephemeral ? "" : " The next start goes on where this one ended."}`);
}

await main();
