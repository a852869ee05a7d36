import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { issueToken } from "../workers/apiserver/authentication/token-authenticator.ts";
import { startOptions } from "./lib/arguments.ts";
import { writeKubeconfig } from "./lib/kubeconfig.ts";
import { layoutOf, nodeCount, projectRoot, readTokenKey } from "./lib/layout.ts";
import type { Layout } from "./lib/layout.ts";
import { readPki } from "./lib/pki.ts";
import { lockState } from "./lib/state-lock.ts";

// Plain `wrangler dev` for working on the code: same state, same certificate, same kubeconfig as `npm start`.
const options = startOptions(process.argv.slice(2));
let layout: Layout;
try {
  layout = layoutOf(options.state);
  if (!options.ephemeral) lockState(layout);
} catch (error) {
  console.error(`edgeplane: ${(error as Error).message}`);
  process.exit(1);
}
const port = options.port === 0 ? 6443 : options.port;
const tokenKey = readTokenKey(layout);
const pki = await readPki(layout.pki);
const server = `https://127.0.0.1:${port}`;
const state = options.ephemeral ? mkdtempSync(join(tmpdir(), "edgeplane-dev-")) : layout.state;
await writeKubeconfig(layout.kubeconfig, {
  server,
  cluster: options.cluster,
  tokenKey,
  caCertificate: pki.caCertificate,
});
console.log(`export KUBECONFIG=${layout.kubeconfig}`);
const variables = {
  EDGEPLANE_TOKEN_KEY: tokenKey,
  EDGEPLANE_ROOT_CA: pki.caCertificate,
  EDGEPLANE_NODES: String(nodeCount(layout, options)),
};
const child = spawn(
  "wrangler",
  [
    "dev",
    ...["--ip", "127.0.0.1", "--port", String(port), "--local-protocol", "https"],
    ...["--https-key-path", join(layout.pki, "server.key"), "--https-cert-path", join(layout.pki, "server.crt")],
    ...["--persist-to", state],
    ...Object.entries(variables).flatMap(([name, value]) => ["--var", `${name}:${value}`]),
    ...["--show-interactive-dev-session=false"],
  ],
  { cwd: projectRoot, stdio: "inherit" },
);
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => child.kill(signal));
child.on("exit", (code) => {
  if (options.ephemeral) rmSync(state, { recursive: true, force: true });
  process.exit(code ?? 0);
});

/** undefined while nobody listens. */
function ask(method: string, path: string, token?: string, body?: string): Promise<number | undefined> {
  return new Promise((resolve) => {
    const headers = {
      ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(body) }),
    };
    const call = request(`${server}${path}`, { method, headers, ca: pki.caCertificate }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    call.on("error", () => resolve(undefined));
    call.end(body);
  });
}

// What `npm start` does too: the cluster comes into being, and the cron handler is fired every minute.
const fireCron = () => ask("GET", "/cdn-cgi/local/scheduled?cron=*+*+*+*+*");
while ((await ask("GET", "/readyz")) !== 200) await new Promise((resolve) => setTimeout(resolve, 300));
const prefix = options.cluster === "default" ? "" : `/clusters/${options.cluster}`;
await ask(
  "POST",
  `${prefix}/api/v1/namespaces`,
  await issueToken(tokenKey, options.cluster, "admin"),
  JSON.stringify({ apiVersion: "v1", kind: "Namespace", metadata: { name: "default" } }),
);
await fireCron();
setInterval(() => void fireCron(), 60_000);
