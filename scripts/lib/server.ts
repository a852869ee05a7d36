import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import type { V4MiniflareOptions } from "miniflare";
import { join } from "node:path";
import { issueToken } from "../../workers/apiserver/authentication/token-authenticator.ts";
import type { StartOptions } from "./arguments.ts";
import { buildWorker } from "./build-worker.ts";
import type { BuiltWorker } from "./build-worker.ts";
import { writeKubeconfig } from "./kubeconfig.ts";
import { layoutOf, nodeCount, readTokenKey } from "./layout.ts";
import { endWithThisProcess } from "./orphans.ts";
import { readPki } from "./pki.ts";
import type { Pki } from "./pki.ts";
import { lockState } from "./state-lock.ts";

export interface Server {
  url: string;
  kubeconfig: string;
  stop(): Promise<void>;
}

export interface ServerOverrides {
  /** A bundle that is served as it is; default: the one of the checkout, bundled again when its sources changed. */
  worker?: BuiltWorker;
  /** Where the runtime listens for a debugger or profiler; default: nowhere. */
  inspectorPort?: number | undefined;
}

const cron = "* * * * *";

/**
 * Serves the Worker of wrangler.toml with workerd through miniflare, over HTTPS on loopback. The first authorised write
 * brings the cluster into being; here that is the creation of its `default` namespace. Throws an Error whose message is
 * for the user.
 */
export async function startServer(options: StartOptions, overrides: ServerOverrides = {}): Promise<Server> {
  const layout = layoutOf(options.state);
  const unlock = options.ephemeral ? () => {} : lockState(layout);
  const tokenKey = readTokenKey(layout);
  const [pki, worker] = await Promise.all([readPki(layout.pki), overrides.worker ?? buildWorker(layout.build)]);
  const miniflare = serveWorker(worker, pki, {
    port: options.port,
    bindings: {
      ...fromEnvironment(worker),
      EDGEPLANE_TOKEN_KEY: tokenKey,
      EDGEPLANE_ROOT_CA: pki.caCertificate,
      EDGEPLANE_NODES: String(nodeCount(layout, options)),
    },
    state: options.ephemeral ? undefined : layout.state,
    inspectorPort: overrides.inspectorPort,
  });
  let url: string;
  let callOff = () => {};
  try {
    url = (await miniflare.ready).origin;
    callOff = endWithThisProcess();
    await createCluster(miniflare, url, options.cluster, tokenKey);
  } catch (error) {
    // What could not start fails to end as well, for the same reason.
    await miniflare.dispose().catch(() => {});
    callOff();
    unlock();
    if ((error as { code?: string }).code !== "ERR_ADDRESS_IN_USE") throw error;
    throw new Error(
      `port ${options.port} is in use by another program: stop it, or take another port with --port PORT (0 picks a free one).`,
      { cause: error },
    );
  }
  await writeKubeconfig(layout.kubeconfig, {
    server: url,
    cluster: options.cluster,
    tokenKey,
    caCertificate: pki.caCertificate,
  });
  const fireCron = () => {
    miniflare
      .getWorker()
      .then((instance) => instance.scheduled({ cron }))
      .catch((error: unknown) => console.error(`cron: ${String(error)}`));
  };
  // At once, for clusters other than this one that were active when the last process ended.
  fireCron();
  const timer = setInterval(fireCron, 60_000);
  return {
    url,
    kubeconfig: layout.kubeconfig,
    async stop() {
      clearInterval(timer);
      await miniflare.dispose();
      callOff();
      unlock();
    },
  };
}

export interface ServeOptions {
  port: number;
  bindings: Record<string, string>;
  /** Directory of the Durable Objects' storage; undefined keeps nothing. */
  state: string | undefined;
  inspectorPort?: number | undefined;
}

/** One Worker over HTTPS on loopback. */
export function serveWorker(worker: BuiltWorker, pki: Pki, options: ServeOptions): Miniflare {
  const { bindings, ...workerOptions } = worker.options as { bindings?: Record<string, unknown> };
  // wrangler gives a Worker's options in the form of miniflare 4.
  const miniflareOptions = {
    workers: [
      {
        ...workerOptions,
        rootPath: worker.directory,
        modulesRoot: worker.directory,
        bindings: { ...bindings, ...options.bindings },
      },
    ],
    host: "127.0.0.1",
    port: options.port,
    https: true,
    httpsKey: pki.key,
    httpsCert: pki.certificate,
    // The place where `wrangler dev --persist-to` keeps it, so that both share the state.
    ...(options.state === undefined ? {} : { resourcePersistencePath: join(options.state, "v3") }),
    ...(options.inspectorPort === undefined ? {} : { inspectorPort: options.inspectorPort }),
    cf: false,
  };
  return new Miniflare(convertV4MiniflareOptions(miniflareOptions as unknown as V4MiniflareOptions));
}

/** Variables of wrangler.toml that the environment sets otherwise. */
function fromEnvironment(worker: BuiltWorker): Record<string, string> {
  const names = Object.keys(worker.options.bindings ?? {});
  return Object.fromEntries(
    names.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  );
}

async function createCluster(miniflare: Miniflare, url: string, cluster: string, tokenKey: string): Promise<void> {
  const prefix = cluster === "default" ? "" : `/clusters/${cluster}`;
  const response = await miniflare.dispatchFetch(`${url}${prefix}/api/v1/namespaces`, {
    method: "POST",
    headers: {
      Authorization: `Bearer ${await issueToken(tokenKey, cluster, "admin")}`,
      "Content-Type": "application/json",
    },
    body: JSON.stringify({ apiVersion: "v1", kind: "Namespace", metadata: { name: "default" } }),
  });
  const text = await response.text();
  if (response.status !== 201 && response.status !== 409)
    throw new Error(`creating cluster ${cluster} failed: ${response.status} ${text}`);
}
