import { readFileSync, existsSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { isClusterName } from "./lib/arguments.ts";
import { kubeconfig } from "./lib/kubeconfig.ts";
import { layoutOf, readTokenKey } from "./lib/layout.ts";
import type { Layout } from "./lib/layout.ts";

const usage = `Usage: npm run --silent kubeconfig -- [options]
  --cluster NAME   the cluster (default "default")
  --server URL     where it is served (default: where the last npm start served it)
  --state DIR      where state, certificates and kubeconfig are kept (default .edgeplane)
A deployed Worker has a token key of its own: EDGEPLANE_TOKEN_KEY=… in the environment.`;

function readOptions() {
  if (process.argv.includes("--help")) {
    console.log(usage);
    process.exit(0);
  }
  try {
    const { values } = parseArgs({
      options: {
        cluster: { type: "string", default: "default" },
        server: { type: "string" },
        state: { type: "string" },
      },
    });
    if (!isClusterName(values.cluster)) throw new Error(`--cluster: not a DNS label: ${values.cluster}`);
    if (values.server !== undefined && !URL.canParse(values.server))
      throw new Error(`--server: not a URL: ${values.server}`);
    return values;
  } catch (error) {
    console.error(`${(error as Error).message}\n${usage}`);
    process.exit(2);
  }
}

/** Origin of the last start's kubeconfig. */
function lastServer(layout: Layout): string {
  if (!existsSync(layout.kubeconfig)) return "https://127.0.0.1:6443";
  const { clusters } = JSON.parse(readFileSync(layout.kubeconfig, "utf8")) as {
    clusters: { cluster: { server: string } }[];
  };
  return new URL(clusters[0]!.cluster.server).origin;
}

const values = readOptions();
const layout = layoutOf(values.state);
const server = (values.server ?? lastServer(layout)).replace(/\/+$/, "");
const ca = join(layout.pki, "ca.crt");
// A deployed Worker has a public certificate, and its own key: `wrangler secret put EDGEPLANE_TOKEN_KEY`.
const local = /^https:\/\/(127\.0\.0\.1|localhost|\[::1\])(:|\/|$)/.test(server);
if (!local && process.env.EDGEPLANE_TOKEN_KEY === undefined) {
  console.error(
    "edgeplane: EDGEPLANE_TOKEN_KEY is not set, so the token is made with the local key; a deployed Worker has its own.",
  );
}
process.stdout.write(
  await kubeconfig({
    server,
    cluster: values.cluster,
    tokenKey: process.env.EDGEPLANE_TOKEN_KEY ?? readTokenKey(layout),
    ...(local && existsSync(ca) ? { caCertificate: readFileSync(ca, "utf8") } : {}),
  }),
);
