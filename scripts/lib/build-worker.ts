import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join, relative } from "node:path";
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
  return `${config}:${count}:${newest}`;
}

/** Bundles that nobody has started for so long are removed. */
const keepMilliseconds = 60 * 60 * 1_000;

/**
 * Bundles the Worker with wrangler if its sources changed since the last time. Each state of the sources has a directory of
 * its own below `base`, which appears whole or not at all: several processes may build and start at the same time.
 */
export async function buildWorker(base: string, config = "wrangler.toml"): Promise<BuiltWorker> {
  const print = fingerprint(config);
  const directory = join(base, createHash("sha256").update(print).digest("hex").slice(0, 16));
  const stamp = join(directory, "stamp.json");
  if (existsSync(stamp)) {
    utimesSync(directory, new Date(), new Date());
    return { directory, options: JSON.parse(readFileSync(stamp, "utf8")) as Record<string, unknown> };
  }
  console.error("edgeplane: bundling the Worker …");
  mkdirSync(base, { recursive: true });
  removeOld(base);
  const partial = mkdtempSync(join(base, "partial-"));
  const wrangler = join(projectRoot, "node_modules", "wrangler", "bin", "wrangler.js");
  const result = spawnSync(
    process.execPath,
    [wrangler, "deploy", "--dry-run", "--config", join(projectRoot, config), "--outdir", partial],
    { cwd: projectRoot, encoding: "utf8" },
  );
  if (result.status !== 0) throw new Error(`bundling the Worker failed:\n${result.stdout}${result.stderr}`);
  const { unstable_getMiniflareWorkerOptions } = await import("wrangler");
  const { workerOptions, main } = unstable_getMiniflareWorkerOptions(join(projectRoot, config));
  const options: Record<string, unknown> = JSON.parse(JSON.stringify(workerOptions));
  options.name ??= "edgeplane";
  options.modules = modulesOf(partial, main ?? "main.ts").map(({ type, path }) => ({
    type,
    path: join(directory, relative(partial, path)),
  }));
  delete options.modulesRules;
  writeFileSync(join(partial, "stamp.json"), JSON.stringify(options));
  try {
    renameSync(partial, directory);
  } catch (error) {
    // Another process was faster; its bundle is as good.
    rmSync(partial, { recursive: true, force: true });
    if (!existsSync(stamp)) throw error;
  }
  return { directory, options };
}

function removeOld(base: string): void {
  for (const name of readdirSync(base)) {
    const path = join(base, name);
    if (Date.now() - statSync(path).mtimeMs > keepMilliseconds) rmSync(path, { recursive: true, force: true });
  }
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
