import { compareRates } from "../lib/compare.ts";
import { configMap, pausedDeployment } from "../lib/objects.ts";
import type { Figure, Row } from "../lib/row.ts";

/** How many objects are applied again and again. */
const known = 100;
const kinds = [
  { kind: "ConfigMap", path: "/api/v1/namespaces/default/configmaps", object: configMap },
  { kind: "Deployment", path: "/apis/apps/v1/namespaces/default/deployments", object: pausedDeployment },
];

/** Server-side apply against the plain verbs for the same object on the same server, which keep managedFields too. */
export const apply: Row = {
  name: "apply",
  title: "server-side apply of 1.5 KB against POST and PUT",
  async run(bench) {
    const server = await bench.start({ what: "edgeplane" });
    const figures: Figure[] = [];
    let count = 0;
    for (const { kind, path, object } of kinds) {
      const patch = (name: string) =>
        server.text(
          "PATCH",
          `${path}/${name}?fieldManager=bench&force=true`,
          object(name),
          "application/apply-patch+yaml",
        );
      const post = () => server.text("POST", path, object(`posted-${count++}`));
      const create = () => patch(`applied-${count++}`);
      figures.push(
        await compareRates(
          bench,
          `apply that creates a ${kind} / POST of the same`,
          { server, next: post },
          { server, next: create },
        ),
      );
      const put = () => {
        const name = `put-${count++ % known}`;
        return server.text("PUT", `${path}/${name}`, object(name));
      };
      for (let index = 0; index < known; index++) await server.request("POST", path, object(`put-${index}`));
      // Its first round creates what the others find unchanged.
      const again = () => patch(`again-${count++ % known}`);
      figures.push(
        await compareRates(
          bench,
          `apply that changes nothing of a ${kind} / such a PUT`,
          { server, next: put },
          { server, next: again },
        ),
      );
    }
    return figures;
  },
};
