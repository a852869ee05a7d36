import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TestCluster } from "../support/cluster.ts";

/** Cluster IPs and node ports: no two services have the same, and nothing is lost. Messages are those of kube-apiserver 1.36. */
let cluster: TestCluster;
beforeAll(async () => {
  cluster = await TestCluster.start({ nodes: 0 });
  await cluster.request("POST", "/api/v1/namespaces", { metadata: { name: "first" } });
});
afterAll(() => cluster?.stop());

const path = "/api/v1/namespaces/default/services";
const ports = [{ port: 80 }];
const create = (name: string, spec: object, query = "") =>
  cluster.request("POST", `${path}${query}`, { metadata: { name }, spec: { selector: { app: "a" }, ports, ...spec } });
const patch = (name: string, spec: object) =>
  cluster.request("PATCH", `${path}/${name}`, { spec }, { "Content-Type": "application/merge-patch+json" });
const remove = (name: string) => cluster.request("DELETE", `${path}/${name}`);
const addresses = async () =>
  new Set(
    (await cluster.request("GET", "/apis/networking.k8s.io/v1/ipaddresses")).json.items.map(
      (item: any) => item.metadata.name,
    ),
  );

async function created(name: string, spec: object) {
  const response = await create(name, spec);
  expect(response.json).toMatchObject({ kind: "Service" });
  return response.json.spec;
}

describe("under concurrency", () => {
  test("200 NodePort services get 200 addresses and 200 ports, and deleting them gives all back", async () => {
    const before = await addresses();
    const names = Array.from({ length: 200 }, (_, index) => `many-${index}`);
    const specs = await Promise.all(names.map((name) => created(name, { type: "NodePort" })));
    expect(new Set(specs.map((spec) => spec.clusterIP)).size).toBe(200);
    const nodePorts = specs.map((spec) => spec.ports[0].nodePort);
    expect(new Set(nodePorts).size).toBe(200);
    for (const port of nodePorts) expect(port).toSatisfy((value: number) => value >= 30_086 && value <= 32_767);
    const [address, port] = [specs[0].clusterIP, nodePorts[0]];
    expect((await create("again", { clusterIP: address })).json.message).toBe(
      `Service "again" is invalid: spec.clusterIPs: Invalid value: ["${address}"]: failed to allocate IP ${address}: provided IP is already allocated`,
    );
    expect((await create("again", { type: "NodePort", ports: [{ port: 80, nodePort: port }] })).json.message).toBe(
      `Service "again" is invalid: spec.ports[0].nodePort: Invalid value: ${port}: provided port is already allocated`,
    );
    await Promise.all(names.map(remove));
    expect(await addresses()).toEqual(before);
    expect(
      await created("again", { type: "NodePort", clusterIP: address, ports: [{ port: 80, nodePort: port }] }),
    ).toMatchObject({
      clusterIP: address,
      ports: [{ nodePort: port }],
    });
    await remove("again");
  });

  test("of many that ask for one port, one gets it", async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        create(`same-${index}`, { type: "NodePort", ports: [{ port: 80, nodePort: 30_007 }] }),
      ),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 422)).toHaveLength(19);
    const winner = answers.find(({ status }) => status === 201)!.json;
    expect([...(await addresses())].length).toBe(2);
    await remove(winner.metadata.name);
  });
});

describe("IP families", () => {
  test("the cluster's ServiceCIDR is ready", async () => {
    const { spec, status } = (await cluster.request("GET", "/apis/networking.k8s.io/v1/servicecidrs/kubernetes")).json;
    expect(spec.cidrs).toEqual(["10.96.0.0/16", "fd00:10:96::/112"]);
    expect(status.conditions).toMatchObject([{ type: "Ready", status: "True" }]);
  });

  test("single stack unless asked otherwise; dual stack both ways", async () => {
    expect(await created("single", {})).toMatchObject({ ipFamilyPolicy: "SingleStack", ipFamilies: ["IPv4"] });
    const dual = await created("dual", { ipFamilyPolicy: "PreferDualStack" });
    expect(dual.ipFamilies).toEqual(["IPv4", "IPv6"]);
    expect(dual.clusterIPs[1]).toMatch(/^fd00:10:96::[0-9a-f]{1,4}$/);
    expect(dual.clusterIPs[0]).toBe(dual.clusterIP);
    const six = await created("six", { ipFamilies: ["IPv6"] });
    expect(six).toMatchObject({ ipFamilyPolicy: "SingleStack", ipFamilies: ["IPv6"] });
    expect(six.clusterIP).toMatch(/^fd00:10:96::/);
    const held = await addresses();
    for (const ip of [...dual.clusterIPs, six.clusterIP]) expect(held).toContain(ip);
    const reference = (await cluster.request("GET", `/apis/networking.k8s.io/v1/ipaddresses/${dual.clusterIPs[1]}`))
      .json;
    expect(reference.spec.parentRef).toEqual({ resource: "services", namespace: "default", name: "dual" });
    expect(reference.metadata.labels["ipaddress.kubernetes.io/ip-family"]).toBe("IPv6");
    await Promise.all(["single", "dual", "six"].map(remove));
  });

  test("headless without a selector is dual stack and has no address", async () => {
    const spec = await created("headless", { clusterIP: "None", selector: undefined });
    expect(spec).toMatchObject({
      clusterIP: "None",
      clusterIPs: ["None"],
      ipFamilyPolicy: "RequireDualStack",
      ipFamilies: ["IPv4", "IPv6"],
    });
    await remove("headless");
  });

  test("upgrade and downgrade", async () => {
    const { clusterIP } = await created("grows", {});
    const up = (await patch("grows", { ipFamilyPolicy: "RequireDualStack" })).json.spec;
    expect(up.clusterIPs).toEqual([clusterIP, expect.stringMatching(/^fd00/)]);
    expect(await addresses()).toContain(up.clusterIPs[1]);
    const down = (await patch("grows", { ipFamilyPolicy: "SingleStack" })).json.spec;
    expect(down).toMatchObject({ clusterIPs: [clusterIP], ipFamilies: ["IPv4"] });
    expect(await addresses()).not.toContain(up.clusterIPs[1]);
    await remove("grows");
  });

  test.each([
    [
      { ipFamilyPolicy: "SingleStack", ipFamilies: ["IPv4", "IPv6"] },
      `spec.ipFamilyPolicy: Invalid value: "SingleStack": must be 'RequireDualStack' or 'PreferDualStack' when multiple IP families are specified`,
    ],
    [
      { clusterIP: "192.168.1.1" },
      `spec.clusterIPs: Invalid value: ["192.168.1.1"]: failed to allocate IP 192.168.1.1: the provided network does not match the current range`,
    ],
    [
      { type: "NodePort", ports: [{ port: 80, nodePort: 80 }] },
      "spec.ports[0].nodePort: Invalid value: 80: provided port is not in the valid range. The range of valid ports is 30000-32767",
    ],
  ])("%j is refused and leaves nothing", async (spec, message) => {
    const before = await addresses();
    const answer = await create("wrong", spec);
    expect(answer.json.message).toBe(`Service "wrong" is invalid: ${message}`);
    expect(answer.status).toBe(422);
    expect(await addresses()).toEqual(before);
  });
});

describe("changes of type", () => {
  test("ClusterIP → NodePort → ExternalName → LoadBalancer → gone", async () => {
    const before = await addresses();
    const { clusterIP } = await created("moves", {});
    const nodePort = (await patch("moves", { type: "NodePort" })).json.spec.ports[0].nodePort;
    expect(nodePort).toBeGreaterThanOrEqual(30_086);
    expect((await patch("moves", { sessionAffinity: "ClientIP" })).json.spec.ports[0].nodePort).toBe(nodePort);
    const external = (
      await patch("moves", { type: "ExternalName", externalName: "example.com", clusterIP: null, clusterIPs: null })
    ).json;
    expect(external.spec).toMatchObject({ type: "ExternalName" });
    expect(external.spec.ports[0].nodePort).toBeUndefined();
    expect(external.spec.clusterIP).toBeUndefined();
    expect(await addresses()).toEqual(before);
    // Both are free again.
    await created("other", { type: "NodePort", clusterIP, ports: [{ port: 80, nodePort }] });
    const balancer = (
      await patch("moves", { type: "LoadBalancer", externalName: null, externalTrafficPolicy: "Local" })
    ).json.spec;
    expect(balancer.clusterIP).toMatch(/^10\.96\./);
    expect(balancer.healthCheckNodePort).toBeGreaterThanOrEqual(30_086);
    expect(balancer.healthCheckNodePort).not.toBe(balancer.ports[0].nodePort);
    const taken = await create("third", {
      type: "NodePort",
      ports: [{ port: 80, nodePort: balancer.healthCheckNodePort }],
    });
    expect(taken.json.message).toContain("provided port is already allocated");
    await Promise.all(["moves", "other"].map(remove));
    expect(await addresses()).toEqual(before);
    await created("third", { type: "NodePort", ports: [{ port: 80, nodePort: balancer.healthCheckNodePort }] });
    await remove("third");
  });

  test("TCP and UDP of one port share the node port", async () => {
    const spec = await created("dns", {
      type: "NodePort",
      ports: [
        { name: "tcp", port: 53, protocol: "TCP" },
        { name: "udp", port: 53, protocol: "UDP" },
      ],
    });
    expect(spec.ports[0].nodePort).toBe(spec.ports[1].nodePort);
    await remove("dns");
  });

  test("what fails or is only tried reserves nothing", async () => {
    const before = await addresses();
    await created("there", { type: "NodePort" });
    const held = await addresses();
    expect((await create("there", { type: "NodePort", ports: [{ port: 80, nodePort: 30_011 }] })).status).toBe(409);
    expect(
      (await create("tried", { type: "NodePort", ports: [{ port: 80, nodePort: 30_012 }] }, "?dryRun=All")).status,
    ).toBe(201);
    expect(await addresses()).toEqual(held);
    await created("next", {
      type: "NodePort",
      ports: [
        { name: "a", port: 80, nodePort: 30_011 },
        { name: "b", port: 81, nodePort: 30_012 },
      ],
    });
    await Promise.all(["there", "next"].map(remove));
    expect(await addresses()).toEqual(before);
  });
});
