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

/** Upstream asks each component's health port; here they run wherever there is something to do, and the store answers or nothing does. */
const messages: Record<string, string> = { scheduler: "ok", "controller-manager": "ok", "etcd-0": "ok" };

const deprecation = "v1 ComponentStatus is deprecated in v1.19+";

/** GET of componentstatuses, one or all. Mirrors pkg/registry/core/componentstatus/rest.go (1.36). */
export async function componentStatusHandler(c: AppContext, resource: ResourceInfo): Promise<Response> {
  const { name, verb } = c.get("info");
  const form = negotiate(c.req.header("Accept"), verb === "get" ? "object" : "list");
  c.get("warnings").push(deprecation);
  const statuses = Object.entries(messages).map(([component, message]) => componentStatus(component, message));
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

function componentStatus(name: string, message: string): KubeObject {
  return { metadata: { name }, conditions: [{ type: "Healthy", status: "True", message }] };
}
