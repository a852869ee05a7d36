import { compareRates } from "../lib/compare.ts";
import { eventually } from "../lib/eventually.ts";
import { configMap, customObject, definition } from "../lib/objects.ts";
import type { Figure, Row } from "../lib/row.ts";

const group = "bench.example.com";

export const customResources: Row = {
  name: "custom-resources",
  title: "CREATE of a custom resource of 1.5 KB against a ConfigMap",
  async run(bench) {
    const server = await bench.start({ what: "edgeplane" });
    const figures: Figure[] = [];
    let count = 0;
    const post = () => server.text("POST", "/api/v1/namespaces/default/configmaps", configMap(`created-${count++}`));
    for (const [plural, kind, rules] of [
      ["plains", "Plain", false],
      ["ruleds", "Ruled", true],
    ] as const) {
      const path = `/apis/${group}/v1/namespaces/default/${plural}`;
      const create = () => server.text("POST", path, customObject(group, kind, `created-${count++}`));
      await server.request(
        "POST",
        "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
        definition(group, plural, kind, rules),
      );
      await eventually(`${plural} served`, 30, async () => (await server.request("GET", path)).status === 200);
      figures.push(
        await compareRates(
          bench,
          `CREATE custom resource ${rules ? "with four CEL rules" : "without rules"} / ConfigMap`,
          { server, next: post },
          { server, next: create },
        ),
      );
    }
    return figures;
  },
};
