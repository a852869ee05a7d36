import { mkdirSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { randomBytes } from "node:crypto";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

export const projectRoot = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** Where things of a local installation lie. */
export interface Layout {
  root: string;
  /** Durable Object storage, in the form that `wrangler dev --persist-to` uses too. */
  state: string;
  pki: string;
  kubeconfig: string;
  tokenKey: string;
  /** How many nodes the last start was told to have. */
  nodes: string;
  lock: string;
  build: string;
}

export function layoutOf(directory: string | undefined): Layout {
  const root = directory === undefined ? join(projectRoot, ".edgeplane") : resolve(directory);
  try {
    mkdirSync(root, { recursive: true });
  } catch (error) {
    throw new Error(`${root} cannot be used as a directory: ${(error as Error).message}`, { cause: error });
  }
  return {
    root,
    state: join(root, "state"),
    pki: join(root, "pki"),
    kubeconfig: join(root, "kubeconfig"),
    tokenKey: join(root, "token-key"),
    nodes: join(root, "nodes"),
    lock: join(root, "lock"),
    build: join(projectRoot, ".edgeplane", "build"),
  };
}

/** The key that all tokens derive from, made once. */
export function readTokenKey(layout: Layout): string {
  if (!existsSync(layout.tokenKey))
    writeFileSync(layout.tokenKey, randomBytes(32).toString("base64url"), { mode: 0o600 });
  return readFileSync(layout.tokenKey, "utf8").trim();
}

/** Simulated nodes: what was asked for, else what the state was last started with, else 3. Remembered unless ephemeral. */
export function nodeCount(layout: Layout, options: { nodes: number | undefined; ephemeral: boolean }): number {
  const saved = options.ephemeral || !existsSync(layout.nodes) ? undefined : Number(readFileSync(layout.nodes, "utf8"));
  const count = options.nodes ?? saved ?? 3;
  if (!options.ephemeral && count !== saved) writeFileSync(layout.nodes, String(count));
  return count;
}
