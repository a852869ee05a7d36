import { bodyToForward } from "../request/body.ts";
import type { AppContext } from "../request/context.ts";
import { proxyHeaders } from "./auth-proxy-headers.ts";

/** Headers of an answer that end here; CORS is this server's own affair. */
const removed = [
  "Connection",
  "Keep-Alive",
  "Proxy-Authenticate",
  "Trailer",
  "Transfer-Encoding",
  "Upgrade",
  "Alt-Svc",
];
const removedPrefix = "access-control-allow-";

/** Answers that come bit by bit, and must not wait for each other. */
const streamedSubresources = new Set(["attach", "exec", "portforward", "proxy", "log"]);

/**
 * Passes a request on to an aggregated server, and its answer back, both as streams; WebSocket upgrades too. A redirect is not
 * passed on. Throws what fetch throws when there is no answer.
 * Mirrors kube-aggregator pkg/apiserver/handler_proxy.go and k8s.io/apimachinery pkg/util/proxy/upgradeaware.go (1.36).
 */
export async function proxyRequest(c: AppContext, base: string): Promise<Response> {
  const info = c.get("info");
  const user = c.get("user");
  const request = c.req.raw;
  const { search } = new URL(request.url);
  const answer = await fetch(`${base}${info.path}${search}`, {
    method: request.method,
    headers: proxyHeaders(request, info.path, user),
    body: bodyToForward(request),
    redirect: "manual",
    signal: request.signal,
  });
  if (answer.status >= 300 && answer.status <= 399 && answer.headers.has("Location")) {
    await answer.body?.cancel();
    return new Response("the backend attempted to redirect this request, which is not permitted", { status: 502 });
  }
  const headers = new Headers(answer.headers);
  for (const name of removed) headers.delete(name);
  for (const name of [...headers.keys()]) if (name.startsWith(removedPrefix)) headers.delete(name);
  if (answer.webSocket !== null && answer.webSocket !== undefined) {
    return new Response(null, { status: 101, webSocket: answer.webSocket, headers });
  }
  if ((info.verb === "watch" || streamedSubresources.has(info.subresource)) && !headers.has("Content-Encoding")) {
    // Compressed streams would be held back until they end.
    headers.set("Content-Encoding", "identity");
    headers.set("Cache-Control", "no-cache, private, no-transform");
  }
  const hasBody = answer.status !== 204 && answer.status !== 205 && answer.status !== 304;
  return new Response(hasBody ? answer.body : null, { status: answer.status, statusText: answer.statusText, headers });
}

/** A plain text, as http.Error writes it; not a Status. */
export function proxyError(message: string, code: number): Response {
  return new Response(`${message}\n`, {
    status: code,
    headers: { "Content-Type": "text/plain; charset=utf-8", "X-Content-Type-Options": "nosniff" },
  });
}
