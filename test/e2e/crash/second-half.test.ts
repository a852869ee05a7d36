import { crashTest } from "./crash-rounds.ts";

crashTest(Number(process.env.EDGEPLANE_SEED ?? 31_415_926));
