import type { ServerProcess } from "./server-process.ts";

/** Requests that the server has answered so far by verb and resource, loops' own included, from its metrics. */
export async function requestCounts(server: ServerProcess): Promise<Map<string, number>> {
  const text = (await server.request("GET", "/metrics")).body.toString();
  const counts = new Map<string, number>();
  for (const [, labels, value] of text.matchAll(/^apiserver_request_total\{(.*)\} (\S+)$/gm)) {
    const label = (name: string) => new RegExp(`(?:^|,)${name}="([^"]*)"`).exec(labels!)?.[1] ?? "";
    const subresource = label("subresource");
    const key = `${label("verb")} ${label("resource")}${subresource === "" ? "" : `/${subresource}`} ${label("code")}`;
    counts.set(key, (counts.get(key) ?? 0) + Number(value));
  }
  return counts;
}

/** What came since, most first. */
export function countsSince(before: Map<string, number>, after: Map<string, number>): [string, number][] {
  return [...after]
    .map(([key, value]): [string, number] => [key, value - (before.get(key) ?? 0)])
    .filter(([, value]) => value > 0)
    .toSorted((a, b) => b[1] - a[1]);
}
