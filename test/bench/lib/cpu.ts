import { existsSync, readdirSync, readFileSync } from "node:fs";

/** Ticks of /proc per second: fixed at 100 on Linux. */
const ticks = 100;

/** The processes that a process has started (Linux; none elsewhere). */
export function childrenOf(pid: number): number[] {
  const path = `/proc/${pid}/task`;
  if (!existsSync(path)) return [];
  return readdirSync(path).flatMap((task) =>
    readFileSync(`${path}/${task}/children`, "utf8").trim().split(/\s+/).filter(Boolean).map(Number),
  );
}

/**
 * Seconds of CPU that processes have used so far; undefined where /proc does not tell. Unlike a rate it hardly depends on
 * what else the machine does.
 */
export function cpuSeconds(pids: readonly number[]): number | undefined {
  let sum = 0;
  for (const pid of pids) {
    const path = `/proc/${pid}/stat`;
    if (!existsSync(path)) return undefined;
    const stat = readFileSync(path, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    sum += (Number(fields[11]) + Number(fields[12])) / ticks;
  }
  return pids.length === 0 ? undefined : sum;
}

/** Memory that processes have in use now, in 10⁶ bytes; undefined where /proc does not tell. */
export function residentMegabytes(pids: readonly number[]): number | undefined {
  let kibibytes = 0;
  for (const pid of pids) {
    const path = `/proc/${pid}/status`;
    if (!existsSync(path)) return undefined;
    kibibytes += Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(path, "utf8"))?.[1] ?? 0);
  }
  return pids.length === 0 ? undefined : (kibibytes * 1_024) / 1e6;
}
