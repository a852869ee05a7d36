import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { projectRoot } from "./layout.ts";

/** What miniflare needs to run the Worker: made from wrangler.toml, kept beside the bundle. */
export interface BuiltWorker {
  directory: string;
  /** Worker options of miniflare in their JSON form. */
  options: Record<string, unknown>;
}

const sources = ["workers", "durable-objects", "migrations", ".generated", "wrangler.toml", "package-lock.json"];

/** The newest modification below the sources, and their number: when both are the same the bundle is up to date. */
function fingerprint(config: string): string {
  let newest = 0;
  let count = 0;
  const visit = (path: string) => {
    const stat = statSync(path);
    if (stat.isDirectory()) for (const entry of readdirSync(path)) visit(join(path, entry));
    else if (!path.endsWith(".test.ts")) {
      count++;
      newest = Math.max(newest, stat.mtimeMs);
    }
  };
  for (const source of [...sources, config])
    if (existsSync(join(projectRoot, source))) visit(join(projectRoot, source));
  return `${count}:${newest}`;
}

/** Bundles the Worker with wrangler if its sources changed since the last time. */
export async function buildWorker(directory: string, config = "wrangler.toml"): Promise<BuiltWorker> {
  const stamp = join(directory, "stamp.json");
  const print = fingerprint(config);
  if (existsSync(stamp)) {
    const kept = JSON.parse(readFileSync(stamp, "utf8")) as { print: string; options: Record<string, unknown> };
    if (kept.print === print) return { directory, options: kept.options };
  }
  console.error("edgeplane: bundling the Worker …");
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  const wrangler = join(projectRoot, "node_modules", "wrangler", "bin", "wrangler.js");
  const result = spawnSync(
    process.execPath,
    [wrangler, "deploy", "--dry-run", "--config", join(projectRoot, config), "--outdir", directory],
    {
      cwd: projectRoot,
      encoding: "utf8",
    },
  );
  if (result.status !== 0) throw new Error(`bundling the Worker failed:\n${result.stdout}${result.stderr}`);
  const { unstable_getMiniflareWorkerOptions } = await import("wrangler");
  const { workerOptions, main } = unstable_getMiniflareWorkerOptions(join(projectRoot, config));
  const options: Record<string, unknown> = JSON.parse(JSON.stringify(workerOptions));
  options.name ??= "edgeplane";
  options.modules = modulesOf(directory, main ?? "main.ts");
  delete options.modulesRules;
  writeFileSync(stamp, JSON.stringify({ print, options }));
  return { directory, options };
}

function modulesOf(directory: string, main: string): { type: string; path: string }[] {
  const entry = `${main.split("/").at(-1)!.replace(/\.ts$/, "")}.js`;
  const modules = [{ type: "ESModule", path: join(directory, entry) }];
  const visit = (path: string) => {
    for (const name of readdirSync(path)) {
      const full = join(path, name);
      if (statSync(full).isDirectory()) visit(full);
      else if (name.endsWith(".sql") || name.endsWith(".txt")) modules.push({ type: "Text", path: full });
      else if (name.endsWith(".js") && name !== entry) modules.push({ type: "ESModule", path: full });
    }
  };
  visit(directory);
  return modules;
}

export function moduleRoot(worker: BuiltWorker): string {
  return relative(process.cwd(), dirname(worker.directory)) || ".";
}
