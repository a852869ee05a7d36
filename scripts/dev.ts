import { spawn } from "node:child_process";
import { join } from "node:path";
import { parseStartArguments } from "./lib/arguments.ts";
import { writeKubeconfig } from "./lib/kubeconfig.ts";
import { layoutOf, projectRoot, readTokenKey } from "./lib/layout.ts";
import { readPki } from "./lib/pki.ts";

// Plain `wrangler dev` for working on the code: same state, same certificate, same kubeconfig as `npm start`.
const options = parseStartArguments(process.argv.slice(2));
const layout = layoutOf(options.state);
const tokenKey = readTokenKey(layout);
const pki = await readPki(layout.pki);
const server = `https://127.0.0.1:${options.port}`;
await writeKubeconfig(layout.kubeconfig, {
  server,
  cluster: options.cluster,
  tokenKey,
  caCertificate: pki.caCertificate,
});
console.log(`export KUBECONFIG=${layout.kubeconfig}`);
const child = spawn(
  "wrangler",
  [
    "dev",
    ...["--ip", "127.0.0.1", "--port", String(options.port), "--local-protocol", "https"],
    ...["--https-key-path", join(layout.pki, "server.key"), "--https-cert-path", join(layout.pki, "server.crt")],
    ...[
      "--persist-to",
      layout.state,
      "--var",
      `EDGEPLANE_TOKEN_KEY:${tokenKey}`,
      "--var",
      `EDGEPLANE_NODES:${options.nodes}`,
    ],
    ...["--show-interactive-dev-session=false"],
  ],
  { cwd: projectRoot, stdio: "inherit" },
);
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => child.kill(signal));
child.on("exit", (code) => process.exit(code ?? 0));
