import { existsSync, readFileSync } from "node:fs";
import { SourceMap } from "node:module";
import { samplingMicros } from "./profiler.ts";
import type { Profile, ProfileNode } from "./profiler.ts";

interface Cost {
  name: string;
  self: number;
  total: number;
}

/**
 * Where the time went: functions by self time, functions by time with what they call, and self time by source folder.
 * Positions are mapped back to the sources through the bundle's map.
 */
export function profileReport(profile: Profile, sourceMapPath: string, count: number): string {
  const map = existsSync(sourceMapPath) ? new SourceMap(JSON.parse(readFileSync(sourceMapPath, "utf8"))) : undefined;
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]));
  const self = new Map<number, number>();
  // The sampler stands still while nothing runs; what is beyond the interval would fall to the function seen last.
  for (const [index, id] of profile.samples.entries()) {
    const micros = Math.min(2 * samplingMicros, Math.max(0, profile.timeDeltas[index]!));
    self.set(id, (self.get(id) ?? 0) + micros);
  }
  const costs = new Map<string, Cost>();
  const folders = new Map<string, number>();
  const place = (node: ProfileNode) => placeOf(node, map);
  const visit = (node: ProfileNode, above: ReadonlySet<string>): number => {
    const { name, folder } = place(node);
    const own = self.get(node.id) ?? 0;
    const inside = above.has(name) ? above : new Set(above).add(name);
    let total = own;
    for (const child of node.children ?? []) total += visit(nodes.get(child)!, inside);
    const cost = costs.get(name) ?? { name, self: 0, total: 0 };
    cost.self += own;
    // A function that calls itself counts once.
    if (!above.has(name)) cost.total += total;
    costs.set(name, cost);
    folders.set(folder, (folders.get(folder) ?? 0) + own);
    return total;
  };
  visit(profile.nodes[0]!, new Set());
  const all = [...costs.values()].filter(({ name }) => name !== "(root)");
  const idle = costs.get("(idle)")?.self ?? 0;
  const whole = [...folders.values()].reduce((sum, value) => sum + value, 0);
  const busy = whole - idle;
  const line = (value: number, name: string) =>
    `  ${((100 * value) / busy).toFixed(1).padStart(5)} %  ${(value / 1_000).toFixed(0).padStart(6)} ms  ${name}`;
  const working = all.filter(({ name }) => name !== "(idle)");
  return [
    `${((profile.endTime - profile.startTime) / 1e6).toFixed(1)} s recorded, sampled busy for ${(busy / 1e6).toFixed(1)} s of which these are shares`,
    "self time:",
    ...working
      .toSorted((a, b) => b.self - a.self)
      .slice(0, count)
      .map((cost) => line(cost.self, cost.name)),
    "with callees:",
    ...working
      .toSorted((a, b) => b.total - a.total)
      .slice(0, count * 2)
      .map((cost) => line(cost.total, cost.name)),
    "self time by folder:",
    ...[...folders]
      .filter(([name]) => name !== "(idle)")
      .toSorted((a, b) => b[1] - a[1])
      .slice(0, count)
      .map(([name, value]) => line(value, name)),
  ].join("\n");
}

function placeOf({ callFrame }: ProfileNode, map: SourceMap | undefined): { name: string; folder: string } {
  const { functionName, lineNumber, columnNumber, url } = callFrame;
  if (lineNumber < 0 || url === "")
    return { name: functionName || "(native)", folder: functionName.startsWith("(") ? functionName : "(native)" };
  const entry = map?.findEntry(lineNumber, columnNumber);
  const source = entry !== undefined && "originalSource" in entry ? entry.originalSource : undefined;
  if (source === undefined)
    return { name: `${functionName || "(anonymous)"} ${url.split("/").at(-1)}:${lineNumber + 1}`, folder: "(bundle)" };
  const file = source.replace(/^.*?(?=(workers|durable-objects|node_modules|\.generated|migrations)\/)/, "");
  const line = entry !== undefined && "originalLine" in entry ? entry.originalLine + 1 : 0;
  return { name: `${functionName || "(anonymous)"} ${file}:${line}`, folder: file.split("/").slice(0, 3).join("/") };
}
