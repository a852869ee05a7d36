import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { layoutOf, nodeCount } from "./layout.ts";
import { lockState } from "./state-lock.ts";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "edgeplane-state-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

test("a state is served by one process at a time", () => {
  const layout = layoutOf(directory);
  const unlock = lockState(layout);
  expect(() => lockState(layout)).toThrow(
    `${directory} is in use by another Edgeplane (process ${process.pid}): stop it, or take another directory with --state DIR.`,
  );
  unlock();
  lockState(layout)();
});

test("a state remembers how many nodes it was started with", () => {
  const layout = layoutOf(directory);
  expect(nodeCount(layout, { nodes: undefined, ephemeral: false })).toBe(3);
  expect(nodeCount(layout, { nodes: 7, ephemeral: false })).toBe(7);
  expect(nodeCount(layout, { nodes: undefined, ephemeral: false })).toBe(7);
  expect(nodeCount(layout, { nodes: 2, ephemeral: true })).toBe(2);
  expect(nodeCount(layout, { nodes: undefined, ephemeral: true })).toBe(3);
  expect(nodeCount(layout, { nodes: undefined, ephemeral: false })).toBe(7);
});

test("what is no directory is said so", () => {
  const file = join(directory, "file");
  writeFileSync(file, "");
  expect(() => layoutOf(file)).toThrow(`${file} cannot be used as a directory`);
});

test("the runtime does not outlive a launcher that is killed", async () => {
  const launcher = `
    const { spawn } = await import("node:child_process");
    const { endWithThisProcess } = await import(${JSON.stringify(new URL("orphans.ts", import.meta.url).href)});
    const runtime = spawn("sleep", ["600"], { stdio: ["ignore", "inherit", "ignore"] });
    endWithThisProcess((command) => command.includes("sleep"));
    process.stdout.write("ready");
    setInterval(() => {}, 1_000);`;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", launcher], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, NODE_NO_WARNINGS: "1" },
  });
  await new Promise((resolve) => child.stdout.once("data", resolve));
  // The runtime has the other end of the pipe too: it ends when both have ended.
  const ended = new Promise((resolve) => child.stdout.once("close", resolve));
  child.stdout.resume();
  child.kill("SIGKILL");
  await ended;
});
