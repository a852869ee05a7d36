import { parentPort, workerData } from "node:worker_threads";
import { Connection } from "./connection.ts";
import type { Target } from "./connection.ts";

/** Sends one request again and again in a thread of its own, so that reading its answers does not delay what is measured. */
const { target, request, readers } = workerData as { target: Target; request: string; readers: number };
let lists = 0;
const state = { ended: false };

parentPort!.on("message", () => {
  state.ended = true;
});

async function read(): Promise<void> {
  const connection = await Connection.open({ ...target, ca: Buffer.from(target.ca) });
  try {
    while (!state.ended) {
      const { status } = await connection.send(request, () => {});
      if (status !== 200) throw new Error(`list: ${status}`);
      lists++;
    }
  } finally {
    connection.close();
  }
}

await Promise.all(Array.from({ length: readers }, read));
parentPort!.postMessage(lists);
parentPort!.close();
