import { newPathNotFound } from "../apimachinery/status-errors.ts";
import type { AppContext } from "./request/context.ts";

type Check = (c: AppContext) => Promise<void>;

const ping: Check = async () => {};

/** The store answers: the namespaces shard tells its revision. */
const storage: Check = async (c) => {
  await c.get("storage").for({ group: "", resource: "namespaces" }).currentRevision();
};

/**
 * Only what can fail is listed. Upstream's poststarthook checks are deliberately absent: nothing here starts once and could be
 * found not to have started, and some of what they name (RBAC bootstrap, priority and fairness) is not built.
 */
const checks: Record<string, Record<string, Check>> = {
  healthz: { ping, etcd: storage },
  livez: { ping, etcd: storage },
  readyz: { ping, etcd: storage, "etcd-readiness": storage },
};

/** Every path that {@link healthResponse} answers. */
export function healthPaths(): string[] {
  return Object.entries(checks).flatMap(([endpoint, named]) => [
    `/${endpoint}`,
    ...Object.keys(named).map((name) => `/${endpoint}/${name}`),
  ]);
}

/** /healthz, /livez, /readyz with `verbose` and `exclude`, and each check by its name. Mirrors k8s.io/apiserver pkg/server/healthz (1.36). */
export async function healthResponse(c: AppContext): Promise<Response | undefined> {
  const [, endpoint = "", ...rest] = c.get("info").path.split("/");
  const all = checks[endpoint];
  if (all === undefined) return undefined;
  const name = rest.length === 0 ? undefined : rest.join("/");
  if (name !== undefined && name !== "" && !Object.hasOwn(all, name)) throw newPathNotFound();
  const url = new URL(c.req.url);
  const excluded = new Set(url.searchParams.getAll("exclude"));
  const lines: string[] = [];
  let healthy = true;
  for (const [check, run] of Object.entries(all)) {
    if (name && check !== name) continue;
    if (excluded.delete(check)) {
      lines.push(`[+]${check} excluded: ok`);
      continue;
    }
    try {
      await run(c);
      lines.push(`[+]${check} ok`);
    } catch {
      healthy = false;
      lines.push(`[-]${check} failed: reason withheld`);
    }
  }
  if (excluded.size > 0) {
    lines.push(
      `warn: some health checks cannot be excluded: no matches for ${[...excluded].map((text) => JSON.stringify(text)).join(",")}`,
    );
  }
  const headers = { "Content-Type": "text/plain; charset=utf-8", "X-Content-Type-Options": "nosniff" };
  if (!healthy) return new Response(`${lines.join("\n")}\n${endpoint} check failed\n`, { status: 500, headers });
  const verbose = url.searchParams.has("verbose") && name === undefined;
  return new Response(verbose ? `${lines.join("\n")}\n${endpoint} check passed\n` : "ok", { headers });
}
