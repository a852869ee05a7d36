import { spawn, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";

/**
 * workerd outlives a launcher that is killed (SIGKILL, out of memory), and would go on holding the port and the state. A
 * shell that waits for the end of a pipe from this process ends it then. Returns what calls the shell off.
 */
export function endWithThisProcess(isRuntime = (command: string) => command.includes("workerd")): () => void {
  if (process.platform === "win32") return () => {};
  const runtimes = children().filter((pid) => isRuntime(commandOf(pid)));
  if (runtimes.length === 0) return () => {};
  const shell = spawn("sh", ["-c", 'read -r _; kill -9 "$@"', "sh", ...runtimes.map(String)], {
    stdio: ["pipe", "ignore", "ignore"],
    // Not in the terminal's group: Ctrl-C is for the launcher.
    detached: true,
  });
  shell.on("error", () => {});
  shell.unref();
  return () => shell.kill("SIGKILL");
}

function children(): number[] {
  const text = attempt(
    () => readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, "utf8"),
    () => spawnSync("pgrep", ["-P", String(process.pid)], { encoding: "utf8" }).stdout,
  );
  return text.split(/\s+/).filter(Boolean).map(Number);
}

function commandOf(pid: number): string {
  return attempt(
    () => readFileSync(`/proc/${pid}/cmdline`, "utf8"),
    () => spawnSync("ps", ["-p", String(pid), "-o", "command="], { encoding: "utf8" }).stdout,
  );
}

/** Linux tells in /proc, others by a command. */
function attempt(...ways: (() => string | null)[]): string {
  for (const way of ways) {
    try {
      return way() ?? "";
    } catch {
      // The next one.
    }
  }
  return "";
}
