import { crashTest } from "./crash-rounds.ts";

crashTest(Number(process.env.EDGEPLANE_SEED ?? 20_261_129));
