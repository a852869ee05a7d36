// Bootstrap without dependencies: everything that `npm start`, `npm test` and the others need is brought about here, from a
// clone with nothing installed. Runs on any Node since 18; the commands themselves run on Node 22.12 or newer.
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const [command, ...args] = process.argv.slice(2);
const commands = ["start", "dev", "test", "check", "bench", "build", "deploy", "kubeconfig"];

function fail(message) {
  console.error(`\nedgeplane: ${message}`);
  process.exit(1);
}

/** Installs from the lockfile when node_modules is missing or was made from another lockfile. */
function install() {
  const lock = createHash("sha256")
    .update(readFileSync(join(root, "package-lock.json")))
    .digest("hex");
  const stamp = join(root, "node_modules", ".edgeplane-lock");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === lock) return;
  console.error("edgeplane: installing dependencies (about half a minute, only this once) …");
  const npm = process.platform === "win32" ? "npm.cmd" : "npm";
  const result = spawnSync(npm, ["ci"], { cwd: root, stdio: ["ignore", 2, 2] });
  if (result.error?.code === "ENOENT") fail("npm is not on the PATH. Install Node.js with npm, and try again.");
  if (result.status !== 0) {
    fail("`npm ci` failed. Check that the npm registry can be reached, delete node_modules and try again.");
  }
  writeFileSync(stamp, lock);
}

function isNewEnough(version) {
  const [major, minor] = version.replace(/^v/, "").split(".").map(Number);
  return major > 22 || (major === 22 && minor >= 18);
}

/** This Node if it is new enough, else the one that the lockfile brings. */
function nodePath() {
  if (isNewEnough(process.version)) return process.execPath;
  const bundled = join(root, "node_modules", `node-${process.platform}-${process.arch}`, "bin", "node");
  if (existsSync(bundled)) return bundled;
  return fail(
    `Node ${process.version} is too old, and none is bundled for ${process.platform}-${process.arch}: install Node 22.18 or newer.`,
  );
}

if (!commands.includes(command)) fail(`unknown command ${command}; one of: ${commands.join(", ")}`);
install();
const node = nodePath();
const path = [dirname(node), join(root, "node_modules", ".bin"), process.env.PATH].join(
  process.platform === "win32" ? ";" : ":",
);
const environment = { ...process.env, PATH: path, NODE_NO_WARNINGS: "1", WRANGLER_SEND_METRICS: "false" };

const generated = spawnSync(node, [join(root, "scripts", "generate", "main.mjs")], {
  cwd: root,
  stdio: ["ignore", 2, 2],
  env: environment,
});
if (generated.status !== 0) fail("generating the schema failed. Delete .generated and node_modules, and try again.");

const child = spawn(node, [join(root, "scripts", `${command}.ts`), ...args], { stdio: "inherit", env: environment });
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.on(signal, () => {
    // A terminal signals the whole group itself; others reach only this process.
    if (!process.stdin.isTTY || signal !== "SIGINT") child.kill(signal);
  });
}
child.on("exit", (code, signal) => process.exit(code ?? (signal === "SIGINT" ? 130 : 1)));
