import { parseArgs } from "node:util";

export interface StartOptions {
  port: number;
  nodes: number;
  state: string | undefined;
  ephemeral: boolean;
  cluster: string;
}

export const usage = `Usage: npm start -- [options]
  --port PORT      port of https://127.0.0.1 (default 6443; 0 picks a free one)
  --nodes N        simulated nodes of a new cluster (default 3)
  --state DIR      where state, certificates and kubeconfig are kept (default .edgeplane)
  --ephemeral      keep nothing: state is gone when the process ends
  --cluster NAME   the cluster that the kubeconfig is for (default "default")`;

/** Throws an Error with the usage when an option is wrong. */
export function parseStartArguments(args: string[]): StartOptions {
  let values;
  try {
    ({ values } = parseArgs({
      args,
      options: {
        port: { type: "string", default: "6443" },
        nodes: { type: "string", default: "3" },
        state: { type: "string" },
        ephemeral: { type: "boolean", default: false },
        cluster: { type: "string", default: "default" },
        help: { type: "boolean", default: false },
      },
    }));
  } catch (error) {
    throw new Error(`${(error as Error).message}\n${usage}`, { cause: error });
  }
  if (values.help) throw new Error(usage);
  const port = Number(values.port);
  const nodes = Number(values.nodes);
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new Error(`--port: not a port: ${values.port}\n${usage}`);
  if (!Number.isInteger(nodes) || nodes < 0 || nodes > 5_000)
    throw new Error(`--nodes: not a number up to 5000: ${values.nodes}\n${usage}`);
  if (!/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(values.cluster)) {
    throw new Error(`--cluster: not a DNS label: ${values.cluster}\n${usage}`);
  }
  return { port, nodes, state: values.state, ephemeral: values.ephemeral, cluster: values.cluster };
}
