import { buildWorker } from "./lib/build-worker.ts";
import { layoutOf } from "./lib/layout.ts";

const worker = await buildWorker(layoutOf(undefined).build);
console.log(`built ${worker.directory}`);
