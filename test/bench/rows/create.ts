import { compareRates } from "../lib/compare.ts";
import { configMap } from "../lib/objects.ts";
import type { Row } from "../lib/row.ts";

export const create: Row = {
  name: "create",
  title: "CREATE 1.5 KB against a bare put",
  async run(bench) {
    const baseline = await bench.start({ what: "baseline" });
    const product = await bench.start({ what: "edgeplane" });
    let count = 0;
    const bare = {
      server: baseline,
      next: () => {
        const name = `create-${count++}`;
        return baseline.text("PUT", `/put/create/${name}`, configMap(name));
      },
    };
    const ours = {
      server: product,
      next: () => product.text("POST", "/api/v1/namespaces/default/configmaps", configMap(`create-${count++}`)),
    };
    return [
      await compareRates(bench, "CREATE ConfigMap 1.5 KB / put through Worker and Durable Object", bare, ours, 0.5),
    ];
  },
};
