import { compareRates } from "../lib/compare.ts";
import type { Row } from "../lib/row.ts";

export const get: Row = {
  name: "get",
  title: "GET through the launcher against an empty Worker",
  async run(bench) {
    const baseline = await bench.start({ what: "baseline" });
    const product = await bench.start({ what: "edgeplane" });
    const bare = { server: baseline, next: () => baseline.text("GET", "/") };
    const path = "/version";
    const text = product.text("GET", path);
    return [
      await compareRates(
        bench,
        `GET ${path} with a token / GET / of an empty Worker`,
        bare,
        { server: product, next: () => text },
        0.5,
      ),
    ];
  },
};
