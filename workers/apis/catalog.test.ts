import { describe, expect, it } from "vitest";
import { apiServicePriority, catalog, isStable, newCatalog } from "./catalog.ts";
import { schemaTable } from "./schema-table.ts";

const everyResource = catalog
  .groups()
  .flatMap(({ group, versions }) => versions.flatMap((version) => catalog.resources(group, version)));

describe("catalog", () => {
  it("lists groups in upstream's order", () => {
    expect(
      newCatalog((_, version) => isStable(version))
        .groups()
        .map(({ group }) => group),
    ).toEqual([
      "",
      "apiregistration.k8s.io",
      "apps",
      "events.k8s.io",
      "authentication.k8s.io",
      "authorization.k8s.io",
      "autoscaling",
      "batch",
      "certificates.k8s.io",
      "networking.k8s.io",
      "policy",
      "rbac.authorization.k8s.io",
      "storage.k8s.io",
      "admissionregistration.k8s.io",
      "apiextensions.k8s.io",
      "scheduling.k8s.io",
      "coordination.k8s.io",
      "node.k8s.io",
      "discovery.k8s.io",
      "resource.k8s.io",
      "flowcontrol.apiserver.k8s.io",
    ]);
  });

  it("has a struct for every kind, list kind and subresource kind", () => {
    for (const info of everyResource) {
      const kinds = info.verbs.includes("list") ? [info.kind, info.listKind] : [info.kind];
      for (const kind of kinds) expect(schemaTable.structOfKind(info.group, info.version, kind), kind).toBeDefined();
      for (const { kind } of info.subresources)
        expect(schemaTable.structOfKind(kind.group, kind.version, kind.kind), kind.kind).toBeDefined();
    }
    expect(everyResource.length).toBeGreaterThan(90);
  });

  it("prefers autoscaling/v2 and stores in it", () => {
    expect(catalog.groups().find(({ group }) => group === "autoscaling")).toMatchObject({
      versions: ["v2", "v1"],
      preferred: "v2",
    });
    expect(catalog.find("autoscaling", "v1", "horizontalpodautoscalers")?.storageVersion).toBe("v2");
    expect(catalog.versionsOf("autoscaling", "horizontalpodautoscalers").map(({ version }) => version)).toEqual([
      "v2",
      "v1",
    ]);
  });

  it("stores one version per resource", () => {
    for (const info of everyResource)
      for (const other of catalog.versionsOf(info.group, info.resource))
        expect(other.storageVersion).toBe(info.storageVersion);
  });

  it("knows pods", () => {
    const pods = catalog.find("", "v1", "pods");
    expect(pods).toMatchObject({
      singular: "pod",
      namespaced: true,
      shortNames: ["po"],
      categories: ["all"],
      verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
      persisted: true,
    });
    expect(pods?.subresources.map(({ name }) => name)).toEqual([
      "attach",
      "binding",
      "ephemeralcontainers",
      "eviction",
      "exec",
      "log",
      "portforward",
      "proxy",
      "resize",
      "status",
    ]);
    expect(pods?.subresources.find(({ name }) => name === "eviction")?.kind).toEqual({
      group: "policy",
      version: "v1",
      kind: "Eviction",
    });
    expect(catalog.findKind("", "v1", "Pod")).toBe(pods);
  });

  it("marks what is not stored", () => {
    const transient = everyResource.filter(({ persisted }) => !persisted).map(({ resource }) => resource);
    expect(transient.sort()).toEqual([
      "bindings",
      "componentstatuses",
      "localsubjectaccessreviews",
      "selfsubjectaccessreviews",
      "selfsubjectreviews",
      "selfsubjectrulesreviews",
      "subjectaccessreviews",
      "tokenreviews",
    ]);
    expect(catalog.find("events.k8s.io", "v1", "events")?.storageGroup).toBe("");
    expect(catalog.find("", "v1", "namespaces")?.verbs).not.toContain("deletecollection");
  });

  it("gives the priorities of APIServices", () => {
    expect(apiServicePriority("apps", "v1")).toEqual({ group: 17800, version: 15 });
    expect(apiServicePriority("example.com", "v1")).toBeUndefined();
  });
});
