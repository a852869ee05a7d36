import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually, TestCluster } from "../support/cluster.ts";

/** One deployment serves many clusters; a cluster is a name before the path. */
let cluster: TestCluster;
let root: string;

beforeAll(async () => {
  cluster = await TestCluster.start({ nodes: 0, cluster: "blue" });
  root = new URL(cluster.server).origin;
});
afterAll(() => cluster?.stop());

const at = (name: string, path: string) => (name === "default" ? `${root}${path}` : `${root}/clusters/${name}${path}`);
const ask = (name: string, path: string, token = cluster.token, method = "GET", body?: object) =>
  cluster.requestUrl(method, at(name, path), body === undefined ? undefined : JSON.stringify(body), {
    ...(token === "" ? {} : { Authorization: `Bearer ${token}` }),
    ...(body === undefined ? {} : { "Content-Type": "application/json" }),
  });

describe("a cluster by its name", () => {
  test("the kubeconfig leads into it", async () => {
    expect(new URL(cluster.server).pathname).toBe("/clusters/blue");
    expect(await cluster.kubectl("get", "--raw", "/healthz")).toBe("ok");
  });

  test("the first write brings it into being: namespaces, the kubernetes service, its controllers", async () => {
    await cluster.kubectl("create", "configmap", "first");
    const namespaces = (await cluster.request("GET", "/api/v1/namespaces")).json.items.map(
      ({ metadata }: any) => metadata.name,
    );
    expect(namespaces).toEqual(["default", "kube-node-lease", "kube-public", "kube-system"]);
    expect((await cluster.request("GET", "/api/v1/namespaces/default/services/kubernetes")).json.spec.clusterIP).toBe(
      "10.96.0.1",
    );
    await eventually(
      "its controllers run",
      async () => (await cluster.request("GET", "/api/v1/namespaces/default/serviceaccounts/default")).status === 200,
    );
    await cluster.kubectl("get", "configmap", "first");
  });

  test.each(["UPPER", "-a", "a-", "a_b", "a.b", "x".repeat(64), "a%2fb", "a%00", ""])("%j is no name", async (name) => {
    const response = await cluster.requestUrl("GET", `${root}/clusters/${name}/api/v1/pods`, undefined, {
      Authorization: `Bearer ${cluster.token}`,
    });
    expect(response.status).toBe(404);
  });
});

describe("clusters are apart", () => {
  test("its token opens no other one", async () => {
    for (const name of ["default", "green", "blue-2", "blu"]) {
      for (const path of ["/api/v1/namespaces/default/configmaps", "/version", "/api"]) {
        const response = await ask(name, path);
        expect(response.status).toBe(401);
        expect(response.json).toMatchObject({ kind: "Status", reason: "Unauthorized" });
      }
    }
    expect((await ask("blue", "/api/v1/namespaces/default/configmaps")).status).toBe(200);
  });

  test("nor does a batch, a path that climbs, or a name in a query", async () => {
    const requests = [
      "/clusters/green/api/v1/namespaces",
      "/../green/api/v1/namespaces",
      "/../../api/v1/namespaces",
    ].map((path) => ({ method: "GET", path }));
    const { responses } = (await cluster.request("POST", "/apis/edgeplane.dev/v1/batch", { requests })).json;
    for (const { code } of responses) expect(code).toBe(400);
    const climbing = await cluster.requestUrl(
      "GET",
      `${root}/clusters/blue/%2e%2e/green/api/v1/namespaces`,
      undefined,
      { Authorization: `Bearer ${cluster.token}` },
    );
    expect(climbing.status).not.toBe(200);
  });

  test("health and version of any are public, and create nothing", async () => {
    for (const name of ["default", "untouched"]) {
      expect((await ask(name, "/readyz", "")).text).toBe("ok");
      expect((await ask(name, "/version", "")).json.major).toBe("1");
      expect((await ask(name, "/api/v1/pods", "")).status).toBe(401);
    }
  });
});
