import { parseArgs } from "node:util";

export interface StartOptions {
  port: number;
  /** undefined: as many as at the last start of the same state. */
  nodes: number | undefined;
  state: string | undefined;
  ephemeral: boolean;
  cluster: string;
}

export const usage = `Usage: npm start -- [options]
  --port PORT      port of https://127.0.0.1 (default 6443; 0 picks a free one)
  --nodes N        simulated nodes of each cluster (default: as at the last start, at first 3)
  --state DIR      where state, certificates and kubeconfig are kept (default .edgeplane)
  --ephemeral      keep nothing: state is gone when the process ends
  --cluster NAME   the cluster that the kubeconfig is for (default "default")`;

/** For the commands that take these options: prints the usage and ends the process when asked for it or when one is wrong. */
export function startOptions(args: string[]): StartOptions {
  if (args.includes("--help") || args.includes("-h")) {
    console.log(usage);
    process.exit(0);
  }
  try {
    return parseStartArguments(args);
  } catch (error) {
    console.error((error as Error).message);
    process.exit(2);
  }
}

/** Throws an Error with the usage when an option is wrong. */
export function parseStartArguments(args: string[]): StartOptions {
  let values;
  try {
    ({ values } = parseArgs({
      args,
      options: {
        port: { type: "string", default: "6443" },
        nodes: { type: "string" },
        state: { type: "string" },
        ephemeral: { type: "boolean", default: false },
        cluster: { type: "string", default: "default" },
      },
    }));
  } catch (error) {
    throw new Error(`${(error as Error).message}\n${usage}`, { cause: error });
  }
  const port = wholeNumber(values.port, 65_535);
  if (port === undefined) throw new Error(`--port: not a port: ${values.port}\n${usage}`);
  const nodes = values.nodes === undefined ? undefined : wholeNumber(values.nodes, 5_000);
  if (values.nodes !== undefined && nodes === undefined)
    throw new Error(`--nodes: not a number up to 5000: ${values.nodes}\n${usage}`);
  if (!isClusterName(values.cluster)) throw new Error(`--cluster: not a DNS label: ${values.cluster}\n${usage}`);
  if (values.state === "") throw new Error(`--state: not a directory\n${usage}`);
  return { port, nodes, state: values.state, ephemeral: values.ephemeral, cluster: values.cluster };
}

function wholeNumber(text: string, maximum: number): number | undefined {
  return /^[0-9]{1,9}$/.test(text) && Number(text) <= maximum ? Number(text) : undefined;
}

export function isClusterName(name: string): boolean {
  return /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(name);
}
