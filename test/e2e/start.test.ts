import { spawn, spawnSync } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { projectRoot } from "../../scripts/lib/layout.ts";
import { kubectlPath } from "../support/tools.ts";

/** `npm start` as a user meets it: what it prints, what it refuses, how it ends. */
let directory: string;
const running = new Set<ChildProcess>();

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "edgeplane-start-"));
});
afterAll(() => {
  for (const child of running) child.kill("SIGKILL");
  rmSync(directory, { recursive: true, force: true, maxRetries: 3 });
});

function launch(...args: string[]) {
  const child = spawn(process.execPath, [join(projectRoot, "scripts", "run.mjs"), ...args], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  running.add(child);
  let output = "";
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  const serving = new Promise<void>((resolve, reject) => {
    const collect = (chunk: Buffer) => {
      output += chunk.toString();
      if (output.includes("Ctrl-C stops it.")) resolve();
    };
    child.stdout.on("data", collect);
    child.stderr.on("data", collect);
    void ended.then((code) => reject(new Error(`ended with ${code}: ${output}`)));
  });
  serving.catch(() => {});
  return { child, ended, serving, output: () => output };
}

const kubeconfig = () => join(directory, "kubeconfig");
const port = () => new URL(JSON.parse(readFileSync(kubeconfig(), "utf8")).clusters[0].cluster.server as string).port;
const kubectl = (...args: string[]) =>
  spawnSync(kubectlPath(), args, { encoding: "utf8", env: { ...process.env, KUBECONFIG: kubeconfig() } }).stdout;

test("it prints the two commands to type, keeps its state, refuses a second one, and ends cleanly", async () => {
  const first = launch("start", "--port", "0", "--nodes", "1", "--state", directory);
  await first.serving;
  expect(first.output()).toContain(`\n  export KUBECONFIG=${kubeconfig()}\n  kubectl get nodes\n`);
  expect(statSync(kubeconfig()).mode & 0o077).toBe(0);
  expect(kubectl("create", "configmap", "kept", "-n", "default")).toContain("created");

  const sameState = launch("start", "--port", "0", "--state", directory);
  expect(await sameState.ended).toBe(1);
  expect(sameState.output()).toContain(`edgeplane: ${directory} is in use by another Edgeplane (process `);

  const other = mkdtempSync(join(tmpdir(), "edgeplane-start-"));
  const samePort = launch("start", "--port", port(), "--state", other);
  expect(await samePort.ended).toBe(1);
  expect(samePort.output()).toContain(
    `edgeplane: port ${port()} is in use by another program: stop it, or take another port with --port PORT (0 picks a free one).\n`,
  );
  expect(samePort.output()).not.toContain("    at ");
  rmSync(other, { recursive: true, force: true });

  first.child.kill("SIGINT");
  expect(await first.ended).toBe(0);
  expect(first.output()).toContain("Stopping …");
});

test("killed without a chance to clean up, it leaves the port and the state to the next start", async () => {
  const before = port();
  const launcher = spawn(
    process.execPath,
    [join(projectRoot, "scripts", "start.ts"), "--port", before, "--state", directory],
    { stdio: ["ignore", "pipe", "ignore"], env: { ...process.env, NODE_NO_WARNINGS: "1" } },
  );
  running.add(launcher);
  await new Promise((resolve) => launcher.stdout.once("data", resolve));
  // workerd has the pipe too: it closes when both have ended.
  const ended = new Promise((resolve) => launcher.once("close", resolve));
  launcher.kill("SIGKILL");
  await ended;
  const next = launch("start", "--port", before, "--state", directory);
  await next.serving;
  expect(kubectl("get", "configmaps", "-n", "default", "-o", "name")).toContain("configmap/kept");
  // As many nodes as it was first started with.
  expect(kubectl("get", "nodes", "-o", "name")).toBe("node/node-0\n");
  const ca = JSON.parse(readFileSync(kubeconfig(), "utf8")).clusters[0].cluster["certificate-authority-data"] as string;
  expect(JSON.parse(kubectl("get", "configmap", "kube-root-ca.crt", "-n", "default", "-o", "json")).data).toEqual({
    "ca.crt": Buffer.from(ca, "base64").toString(),
  });
  const printed = launch("kubeconfig", "--cluster", "pr-42", "--state", directory);
  expect(await printed.ended).toBe(0);
  expect(JSON.parse(printed.output()).clusters[0].cluster.server).toBe(`https://127.0.0.1:${before}/clusters/pr-42`);
  next.child.kill("SIGTERM");
  expect(await next.ended).toBe(0);
});

test.each([
  [["start", "--port", "x"], "--port: not a port: x\nUsage: npm start"],
  [["start", "--bogus"], "Unknown option '--bogus'"],
  [["dev", "--nodes", "x"], "--nodes: not a number up to 5000: x"],
  [["kubeconfig", "--cluster", "A"], "--cluster: not a DNS label: A\nUsage: npm run"],
])("%j says what is wrong", async (args, message) => {
  const command = launch(...args);
  expect(await command.ended).toBe(2);
  expect(command.output()).toContain(message);
  expect(command.output()).not.toContain("    at ");
});
