import { apiVersionOf } from "../../apimachinery/gvk.ts";
import type { KubeObject } from "../../apimachinery/meta.ts";
import { newNotFound } from "../../apimachinery/status-errors.ts";
import { printerFor } from "../../apis/printers/printers.ts";
import type { ResourceInfo } from "../../apis/resource-info.ts";
import { negotiate } from "../negotiation/negotiate.ts";
import { partialMetadata, tableOf } from "../negotiation/table.ts";
import { writeObject } from "../negotiation/write-object.ts";
import type { AppContext } from "../request/context.ts";
import { parseListOptions } from "../request/list-options.ts";
import { includeObjectOf } from "./get.ts";
import { queryOf } from "./scope.ts";

/** Asks a component how it is; rejects when it does not answer. */
export type Probe = () => Promise<string>;

/** Upstream asks each component's health port; here the object that hosts it, which answers without being woken, and the store. */
function probesOf(c: AppContext): Record<string, Probe> {
  const { env } = c.env;
  const { cluster } = c.get("info");
  return {
    scheduler: () => env.SCHEDULER.get(env.SCHEDULER.idFromName(cluster)).healthz(),
    "controller-manager": () => env.CONTROLLER_MANAGER.get(env.CONTROLLER_MANAGER.idFromName(cluster)).healthz(),
    "etcd-0": async () => {
      await c.get("storage").for({ group: "", resource: "namespaces" }).currentRevision();
      return "ok";
    },
  };
}

const deprecation = "v1 ComponentStatus is deprecated in v1.19+";

/** GET of componentstatuses, one or all. Mirrors pkg/registry/core/componentstatus/rest.go (1.36). */
export async function componentStatusHandler(c: AppContext, resource: ResourceInfo): Promise<Response> {
  const { name, verb } = c.get("info");
  const form = negotiate(c.req.header("Accept"), verb === "get" ? "object" : "list");
  c.get("warnings").push(deprecation);
  const statuses = await Promise.all(
    Object.entries(probesOf(c)).map(([component, probe]) => componentStatus(component, probe)),
  );
  const metadata = {};
  const tableOptions = () => ({
    version: form.version,
    includeObject: includeObjectOf(c),
    metadata,
    columns: true,
    now: c.env.clock.now(),
  });
  const typed = (status: KubeObject): KubeObject => ({
    kind: resource.kind,
    apiVersion: apiVersionOf(resource),
    ...status,
  });
  if (verb === "get") {
    const status = statuses.find((candidate) => candidate.metadata.name === name);
    if (status === undefined) throw newNotFound(resource, name);
    if (form.as === "table")
      return writeObject(tableOf([typed(status)], printerFor("", resource.resource), tableOptions()), form);
    return writeObject(form.as === "object" ? typed(status) : partialMetadata(status, form.version), form);
  }
  const options = parseListOptions(queryOf(c), resource, false);
  const items = statuses.filter(
    (status) =>
      options.labelSelector.matches(undefined) &&
      options.fieldSelector.matches((field) => (field === "metadata.name" ? (status.metadata.name ?? "") : "")),
  );
  switch (form.as) {
    case "table":
      return writeObject(tableOf(items.map(typed), printerFor("", resource.resource), tableOptions()), form);
    case "object":
      return writeObject({ kind: resource.listKind, apiVersion: apiVersionOf(resource), metadata, items }, form);
    default:
      return writeObject(
        {
          kind: "PartialObjectMetadataList",
          apiVersion: `meta.k8s.io/${form.version}`,
          metadata,
          items: items.map((status) => partialMetadata(status, form.version)),
        },
        form,
      );
  }
}

export async function componentStatus(name: string, probe: Probe): Promise<KubeObject> {
  const condition = await probe().then(
    (message) => ({ type: "Healthy", status: "True", message }),
    (error: unknown) => ({
      type: "Healthy",
      status: "False",
      error: error instanceof Error ? error.message : String(error),
    }),
  );
  return { metadata: { name }, conditions: [condition] };
}
