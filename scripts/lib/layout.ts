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
  build: string;
}

export function layoutOf(directory: string | undefined): Layout {
  const root = directory === undefined ? join(projectRoot, ".edgeplane") : resolve(directory);
  mkdirSync(root, { recursive: true });
  return {
    root,
    state: join(root, "state"),
    pki: join(root, "pki"),
    kubeconfig: join(root, "kubeconfig"),
    tokenKey: join(root, "token-key"),
    build: join(projectRoot, ".edgeplane", "build"),
  };
}

/** The key that all tokens derive from, made once. */
export function readTokenKey(layout: Layout): string {
  if (!existsSync(layout.tokenKey))
    writeFileSync(layout.tokenKey, randomBytes(32).toString("base64url"), { mode: 0o600 });
  return readFileSync(layout.tokenKey, "utf8").trim();
}
