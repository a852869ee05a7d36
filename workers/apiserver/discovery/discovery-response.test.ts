import { describe, expect, it } from "vitest";
import { catalog } from "../../apis/catalog.ts";
import type { ResourceInfo } from "../../apis/resource-info.ts";
import { negotiateAggregated } from "./aggregated.ts";
import { discoveryResponse } from "./discovery-response.ts";
import type { ExtraResources } from "./groups.ts";
import { compareKubeAwareVersions } from "./kube-version.ts";

const kubectlAccept =
  "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList," +
  "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json";

function get(path: string, headers: Record<string, string> = {}, extra?: ExtraResources) {
  return discoveryResponse(new Request(`https://cluster.test:6443${path}`, { headers }), path, extra);
}

const json = async (path: string, headers?: Record<string, string>, extra?: ExtraResources): Promise<any> =>
  get(path, headers, extra)?.json();

const widget = (version: string): ResourceInfo => ({
  group: "example.com",
  version,
  resource: "widgets",
  singular: "widget",
  kind: "Widget",
  listKind: "WidgetList",
  namespaced: true,
  shortNames: ["wd"],
  categories: ["all"],
  verbs: ["get", "list"],
  subresources: [],
  storageVersion: "v1",
  persisted: true,
});
const extra: ExtraResources = {
  versions: ["v1alpha1", "v1", "v1beta1"].map((version) => ({
    group: "example.com",
    version,
    resources: [widget(version)],
  })),
};

describe("unaggregated discovery", () => {
  it("answers /api with the address that the client used", async () => {
    expect(await json("/api")).toEqual({
      kind: "APIVersions",
      versions: ["v1"],
      serverAddressByClientCIDRs: [{ clientCIDR: "0.0.0.0/0", serverAddress: "cluster.test:6443" }],
    });
  });

  it("lists groups with their preferred versions, added ones last", async () => {
    const { groups } = await json("/apis", {}, extra);
    expect(groups[0].name).toBe("apiregistration.k8s.io");
    expect(groups[1]).toEqual({
      name: "apps",
      versions: [{ groupVersion: "apps/v1", version: "v1" }],
      preferredVersion: { groupVersion: "apps/v1", version: "v1" },
    });
    expect(groups.at(-1).versions.map(({ version }: { version: string }) => version)).toEqual([
      "v1",
      "v1beta1",
      "v1alpha1",
    ]);
    expect(groups.some(({ name }: { name: string }) => name === "")).toBe(false);
    expect(await json("/apis/autoscaling")).toMatchObject({
      kind: "APIGroup",
      apiVersion: "v1",
      preferredVersion: { groupVersion: "autoscaling/v2" },
    });
  });

  it("lists resources and subresources with upstream's storage version hashes", async () => {
    const core = await json("/api/v1/");
    expect(core.groupVersion).toBe("v1");
    expect("apiVersion" in core).toBe(false);
    const byName = Object.fromEntries(core.resources.map((resource: { name: string }) => [resource.name, resource]));
    expect(byName.pods).toEqual({
      name: "pods",
      singularName: "pod",
      namespaced: true,
      kind: "Pod",
      verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
      shortNames: ["po"],
      categories: ["all"],
      storageVersionHash: "xPOwRZ+Yhw8=",
    });
    expect(byName["pods/eviction"]).toEqual({
      name: "pods/eviction",
      singularName: "",
      namespaced: true,
      group: "policy",
      version: "v1",
      kind: "Eviction",
      verbs: ["create"],
    });
    expect(byName["pods/exec"].verbs).toEqual(["create", "get"]);
    expect(byName.bindings.storageVersionHash).toBeUndefined();
    const apps = await json("/apis/apps/v1");
    expect(apps.apiVersion).toBe("v1");
    expect(apps.resources.map(({ name }: { name: string }) => name)).toContain("deployments/scale");
    const hash = async (path: string, name: string) =>
      (await json(path)).resources.find((resource: { name: string }) => resource.name === name).storageVersionHash;
    expect(await hash("/apis/events.k8s.io/v1", "events")).toBe("r2yiGXH7wu8=");
    expect(await hash("/apis/autoscaling/v1", "horizontalpodautoscalers")).toBe("qwQve8ut294=");
  });

  it("leaves other paths and methods to others", () => {
    for (const path of ["/", "/api/v2", "/apis/nope", "/apis/apps/v2", "/api/v1/pods", "/apis/apps/v1/deployments"])
      expect(get(path)).toBeUndefined();
    const post = new Request("https://cluster.test/apis", { method: "POST" });
    expect(discoveryResponse(post, "/apis")).toBeUndefined();
  });
});

describe("aggregated discovery", () => {
  it("is chosen by the first clause of Accept that can be served", () => {
    expect(negotiateAggregated(kubectlAccept)).toBe("v2");
    expect(negotiateAggregated(`application/json,${kubectlAccept}`)).toBeUndefined();
    expect(negotiateAggregated("application/json;as=APIGroupDiscoveryList;v=v2beta1;g=apidiscovery.k8s.io")).toBe(
      "v2beta1",
    );
    expect(
      negotiateAggregated("application/json;g=apidiscovery.k8s.io;v=v3;as=APIGroupDiscoveryList,*/*"),
    ).toBeUndefined();
    expect(negotiateAggregated(null)).toBeUndefined();
  });

  it("holds every version and resource once", async () => {
    const response = get("/apis", { Accept: kubectlAccept }, extra);
    expect(response?.headers.get("Content-Type")).toBe(
      "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
    );
    const { kind, apiVersion, items } = JSON.parse((await response?.text()) ?? "");
    expect([kind, apiVersion]).toEqual(["APIGroupDiscoveryList", "apidiscovery.k8s.io/v2"]);
    expect(items).toHaveLength(catalog.groups().length);
    const apps = items.find((item: { metadata: { name: string } }) => item.metadata.name === "apps");
    const deployments = apps.versions[0].resources.find(
      (item: { resource: string }) => item.resource === "deployments",
    );
    expect(deployments).toMatchObject({
      responseKind: { group: "apps", version: "v1", kind: "Deployment" },
      scope: "Namespaced",
      singularResource: "deployment",
      subresources: [
        { subresource: "scale", responseKind: { group: "autoscaling", version: "v1", kind: "Scale" } },
        { subresource: "status", verbs: ["get", "patch", "update"] },
      ],
    });
    const core = await json("/api", { Accept: kubectlAccept });
    expect(core.items).toHaveLength(1);
    expect(core.items[0].metadata).toEqual({});
  });

  it("answers 304 to the entity that the client has", () => {
    const etag = get("/apis", { Accept: kubectlAccept })?.headers.get("ETag") ?? "";
    expect(etag).toMatch(/^"[0-9A-F]{128}"$/);
    expect(get("/apis", { Accept: kubectlAccept, "If-None-Match": etag })?.status).toBe(304);
    expect(get("/apis", { Accept: kubectlAccept, "If-None-Match": etag }, extra)?.status).toBe(200);
    expect(get("/apis", { "If-None-Match": etag })?.status).toBe(200);
  });
});

describe("compareKubeAwareVersions", () => {
  it("orders as upstream documents it", () => {
    const versions = ["foo1", "v1", "v3beta1", "v11alpha2", "v10", "v12alpha1", "v2", "foo10", "v11beta2", "v10beta3"];
    expect(versions.sort(compareKubeAwareVersions)).toEqual([
      "v10",
      "v2",
      "v1",
      "v11beta2",
      "v10beta3",
      "v3beta1",
      "v12alpha1",
      "v11alpha2",
      "foo1",
      "foo10",
    ]);
  });
});
