import { Counter, Gauge, Histogram, Registry } from "prom-client";
import { inFlight } from "./filters/max-in-flight.ts";
import type { Filter } from "./request/context.ts";

/** Metrics of this isolate, under upstream's names (k8s.io/apiserver pkg/endpoints/metrics, 1.36). */
const registry = new Registry();

const requestTotal = new Counter({
  name: "apiserver_request_total",
  help: "Counter of apiserver requests broken out for each verb, dry run value, group, version, resource, scope, component, and HTTP response code.",
  labelNames: ["verb", "dry_run", "group", "version", "resource", "subresource", "scope", "component", "code"],
  registers: [registry],
});

const requestDuration = new Histogram({
  name: "apiserver_request_duration_seconds",
  help: "Response latency distribution in seconds for each verb, group, version, resource, subresource, scope and component.",
  labelNames: ["verb", "group", "version", "resource", "subresource", "scope", "component"],
  buckets: [0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60],
  registers: [registry],
});

const currentInFlight = new Gauge({
  name: "apiserver_current_inflight_requests",
  help: "Maximal number of currently used inflight request limit of this apiserver per request kind in last second.",
  labelNames: ["request_kind"],
  registers: [registry],
  collect() {
    this.set({ request_kind: "mutating" }, inFlight().mutating);
    this.set({ request_kind: "readOnly" }, inFlight().readOnly);
  },
});
void currentInFlight;

/** Counts resource requests and their duration. */
export const requestMetrics: Filter = async (c, next) => {
  const begun = c.env.clock.now();
  try {
    await next();
  } finally {
    const info = c.get("info");
    if (info?.isResourceRequest) {
      const labels = {
        verb: info.verb.toUpperCase(),
        group: info.apiGroup,
        version: info.apiVersion,
        resource: info.resource,
        subresource: info.subresource,
        scope: info.name !== "" ? "resource" : info.namespace !== "" ? "namespace" : "cluster",
        component: "apiserver",
      };
      requestTotal.inc({ ...labels, dry_run: c.req.query("dryRun") ?? "", code: String(c.res.status) });
      if (info.verb !== "watch") requestDuration.observe(labels, (c.env.clock.now() - begun) / 1_000);
    }
  }
};

export async function metricsResponse(): Promise<Response> {
  return new Response(await registry.metrics(), { headers: { "Content-Type": registry.contentType } });
}
