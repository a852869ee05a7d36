import type { AppContext, Filter } from "../request/context.ts";
import { jsonType } from "../responses.ts";
import { prettyPrinter } from "../negotiation/pretty-printer.ts";

/** Indents the JSON of an API for people. Mirrors isPrettyPrint of k8s.io/apiserver pkg/endpoints/handlers/negotiation (1.36). */
export const prettyPrint: Filter = async (c, next) => {
  await next();
  if (c.env.loopbackUser !== undefined || !wantsPretty(c)) return;
  const { path, verb } = c.get("info");
  const negotiated = path.startsWith("/api/") || path.startsWith("/apis/") || path === "/api" || path === "/apis";
  const { body, headers } = c.res;
  if (!negotiated || verb === "watch" || body === null || headers.get("Content-Type") !== jsonType) return;
  const pretty = new Response(body.pipeThrough(prettyPrinter()), c.res);
  pretty.headers.delete("Content-Length");
  c.res = undefined;
  c.res = pretty;
};

const people = ["curl", "Wget", "Mozilla/5.0"];

function wantsPretty(c: AppContext): boolean {
  const asked = c.req.url.includes("pretty") ? c.req.query("pretty") : undefined;
  if (asked) return ["1", "t", "T", "TRUE", "true", "True"].includes(asked);
  const agent = c.req.header("User-Agent") ?? "";
  return people.some((prefix) => agent.startsWith(prefix));
}
