import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { projectRoot } from "./lib/layout.ts";

/** A bundle above this does not fit every plan. */
const maximumBytes = 3 * 1024 * 1024;

const directory = mkdtempSync(join(tmpdir(), "edgeplane-deploy-"));
const result = spawnSync("wrangler", ["deploy", "--outdir", directory, ...process.argv.slice(2)], {
  cwd: projectRoot,
  stdio: "inherit",
});
const bytes = readdirSync(directory, { recursive: true, encoding: "utf8" })
  .map((name) => join(directory, name))
  .filter((path) => statSync(path).isFile() && !path.endsWith(".map") && !path.endsWith("README.md"))
  .reduce((sum, path) => sum + gzipSync(readFileSync(path)).length, 0);
rmSync(directory, { recursive: true, force: true });
console.log(`bundle: ${(bytes / 1024).toFixed(0)} KiB gzip of at most ${maximumBytes / 1024} KiB`);
process.exit(result.status !== 0 || bytes > maximumBytes ? 1 : 0);
