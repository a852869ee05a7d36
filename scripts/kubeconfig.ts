import { readFileSync, existsSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { kubeconfig } from "./lib/kubeconfig.ts";
import { layoutOf, readTokenKey } from "./lib/layout.ts";

const { values } = parseArgs({
  options: {
    cluster: { type: "string", default: "default" },
    server: { type: "string", default: "https://127.0.0.1:6443" },
    state: { type: "string" },
  },
});
const layout = layoutOf(values.state);
const ca = join(layout.pki, "ca.crt");
// A deployed Worker has a public certificate, and its own key: `wrangler secret put EDGEPLANE_TOKEN_KEY`.
const local = /^https:\/\/(127\.0\.0\.1|localhost|\[::1\])(:|\/|$)/.test(values.server);
process.stdout.write(
  await kubeconfig({
    server: values.server,
    cluster: values.cluster,
    tokenKey: process.env.EDGEPLANE_TOKEN_KEY ?? readTokenKey(layout),
    ...(local && existsSync(ca) ? { caCertificate: readFileSync(ca, "utf8") } : {}),
  }),
);
