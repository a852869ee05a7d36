import { writeFileSync } from "node:fs";
import { issueToken } from "../../workers/apiserver/authentication/token-authenticator.ts";

export interface KubeconfigOptions {
  server: string;
  cluster: string;
  tokenKey: string;
  /** PEM; left out when the server's certificate is publicly trusted. */
  caCertificate?: string;
}

/** A kubeconfig with the administrator's token of one cluster. JSON, which is YAML. */
export async function kubeconfig(options: KubeconfigOptions): Promise<string> {
  const name = options.cluster === "default" ? "edgeplane" : `edgeplane-${options.cluster}`;
  const server = options.cluster === "default" ? options.server : `${options.server}/clusters/${options.cluster}`;
  return `${JSON.stringify(
    {
      apiVersion: "v1",
      kind: "Config",
      clusters: [
        {
          name,
          cluster: {
            server,
            ...(options.caCertificate === undefined
              ? {}
              : { "certificate-authority-data": Buffer.from(options.caCertificate).toString("base64") }),
          },
        },
      ],
      users: [{ name: `${name}-admin`, user: { token: await issueToken(options.tokenKey, options.cluster, "admin") } }],
      contexts: [{ name, context: { cluster: name, user: `${name}-admin` } }],
      "current-context": name,
    },
    null,
    2,
  )}\n`;
}

export async function writeKubeconfig(path: string, options: KubeconfigOptions): Promise<void> {
  writeFileSync(path, await kubeconfig(options), { mode: 0o600 });
}
