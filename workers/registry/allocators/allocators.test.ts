import { describe, expect, test } from "vitest";
import { seededRandom } from "../../../test/support/random.ts";
import { FakeClock } from "../../apimachinery/clock.ts";
import type { GroupResource } from "../../apimachinery/gvk.ts";
import type { KubeObject } from "../../apimachinery/meta.ts";
import { encodeObject } from "../../storage/encode-object.ts";
import type { Storage } from "../../storage/interfaces.ts";
import { listPrefix, objectKey } from "../../storage/keys.ts";
import { MemoryStorage } from "../../storage/memory/memory-storage.ts";
import type { RequestScope } from "../strategy.ts";
import { initIpFamilyFields } from "./init-ip-families.ts";
import { IpAllocator, ipAddresses } from "./ip-allocator.ts";
import { formatIp, parseIpRange, readIp } from "./ip-range.ts";
import { NodePortOperation, nodePorts } from "./node-port-allocator.ts";
import { allocateCreate } from "./service-allocators.ts";

const owner = { namespace: "default", name: "a" };
const services = { group: "", resource: "services" };

function fixture() {
  const clock = new FakeClock();
  const stores = new Map<string, Storage>();
  const storage = {
    cluster: "default",
    for({ group, resource }: GroupResource) {
      const key = `${group}/${resource}`;
      if (!stores.has(key)) stores.set(key, new MemoryStorage(clock));
      return stores.get(key)!;
    },
  };
  const scope = {
    storage,
    clock,
    random: seededRandom(7),
    namespace: "default",
    dryRun: false,
  } as unknown as RequestScope;
  const names = async (gr: GroupResource) => {
    const list = await storage.for(gr).list({ prefix: listPrefix(gr) });
    return (JSON.parse(`[${await list.text()}]`) as KubeObject[]).map((object) => object.metadata.name);
  };
  return { scope, clock, names, storage };
}

const service = (spec: object): KubeObject => ({
  metadata: { namespace: "default", name: "a" },
  spec: { type: "ClusterIP", selector: { app: "a" }, ports: [{ port: 80 }], ...spec },
});

describe("ranges", () => {
  test.each([
    ["10.96.0.0/16", "10.96.0.1", "10.96.255.254", "10.96.1.1"],
    ["192.168.0.0/28", "192.168.0.1", "192.168.0.14", "192.168.0.1"],
    ["192.168.0.0/26", "192.168.0.1", "192.168.0.62", "192.168.0.17"],
    ["fd00:10:96::/112", "fd00:10:96::1", "fd00:10:96::ffff", "fd00:10:96::101"],
  ])("%s", (cidr, first, last, dynamicFirst) => {
    const range = parseIpRange(cidr)!;
    const text = (address: bigint) => formatIp(range.family, address);
    expect([text(range.first), text(range.last), text(range.dynamicFirst)]).toEqual([first, last, dynamicFirst]);
  });

  test.each([
    ["FD00:0010:0096:0:0:0:0:1", "fd00:10:96::1"],
    ["::", "::"],
    ["1:0:0:2:0:0:0:3", "1:0:0:2::3"],
    ["1:0:2:3:4:5:6:7", "1:0:2:3:4:5:6:7"],
    ["::ffff:1.2.3.4", "::ffff:102:304"],
  ])("%s is written %s", (text, canonical) => {
    const { family, address } = readIp(text)!;
    expect(formatIp(family, address)).toBe(canonical);
  });
});

describe("cluster IPs", () => {
  test("a reservation that no service holds is taken over after a minute, one that is held is not", async () => {
    const { scope, clock, storage } = fixture();
    const ips = new IpAllocator(scope);
    await ips.allocate("10.96.0.10", { namespace: "default", name: "gone" });
    await expect(ips.allocate("10.96.0.10", owner)).rejects.toThrow("provided IP is already allocated");
    await clock.advance(61_000);
    await ips.allocate("10.96.0.10", owner);
    await storage
      .for(services)
      .create(objectKey(services, "default", "a"), encodeObject(service({ clusterIPs: ["10.96.0.10"] })));
    await clock.advance(61_000);
    await expect(ips.allocate("10.96.0.10", { namespace: "default", name: "b" })).rejects.toThrow(
      "provided IP is already allocated",
    );
  });

  test("only its owner gives an address back", async () => {
    const { scope, names } = fixture();
    const ips = new IpAllocator(scope);
    await ips.allocate("10.96.0.10", owner);
    await ips.release("10.96.0.10", { namespace: "default", name: "other" });
    expect(await names(ipAddresses)).toEqual(["10.96.0.10"]);
    await ips.release("10.96.0.10", owner);
    expect(await names(ipAddresses)).toEqual([]);
  });

  test("a further ServiceCIDR serves what the cluster's own ranges do not have", async () => {
    const { scope, storage } = fixture();
    const ips = new IpAllocator(scope);
    await expect(ips.allocate("10.200.0.5", owner)).rejects.toThrow(
      "the provided network does not match the current range",
    );
    const cidrs = { group: "networking.k8s.io", resource: "servicecidrs" };
    const more = { metadata: { name: "more" }, spec: { cidrs: ["10.200.0.0/24"] } } as KubeObject;
    await storage.for(cidrs).create(objectKey(cidrs, undefined, "more"), encodeObject(more));
    await ips.allocate("10.200.0.5", owner);
  });
});

describe("node ports", () => {
  test("the static band is used when the dynamic one is full, and then there are none", async () => {
    const { scope } = fixture();
    const operation = new NodePortOperation(scope, owner);
    const [last, band] = [32_767, Array.from({ length: 86 }, (_, index) => 30_000 + index)];
    for (let port = 30_086; port < last; port++) await operation.allocate(port);
    expect(await operation.allocateNext()).toBe(last);
    const ports: number[] = [];
    for (const _ of band) ports.push(await operation.allocateNext());
    expect(new Set(ports)).toEqual(new Set(band));
    await expect(operation.allocateNext()).rejects.toThrow("range is full");
  });

  test("a rollback gives back what the operation took, a commit what it replaced", async () => {
    const { scope, names } = fixture();
    const first = new NodePortOperation(scope, owner);
    await first.allocate(30_001);
    await first.commit();
    const second = new NodePortOperation(scope, owner);
    await second.allocate(30_002);
    second.releaseDeferred(30_001);
    await second.rollback();
    expect(await names(nodePorts)).toEqual(["30001"]);
    await second.commit();
    expect(await names(nodePorts)).toEqual([]);
  });
});

describe("a service", () => {
  test("that cannot have all it asks for has nothing", async () => {
    const { scope, names } = fixture();
    await new NodePortOperation(scope, { namespace: "x", name: "y" }).allocate(30_005);
    const ports = [
      { port: 80, nodePort: 30_004 },
      { port: 81, nodePort: 30_005 },
    ];
    await expect(
      allocateCreate(service({ type: "NodePort", ipFamilyPolicy: "RequireDualStack", ports }), scope),
    ).rejects.toThrow(
      'Service "a" is invalid: spec.ports[1].nodePort: Invalid value: 30005: provided port is already allocated',
    );
    expect(await names(ipAddresses)).toEqual([]);
    expect(await names(nodePorts)).toEqual(["30005"]);
  });
});

describe("IP families", () => {
  const settle = (spec: object, previous?: object, configured: ("IPv4" | "IPv6")[] = ["IPv4", "IPv6"]) => {
    const object = service(spec);
    const causes = initIpFamilyFields(object, previous === undefined ? undefined : service(previous), configured);
    return causes.length > 0
      ? causes.map(({ field, message }) => `${field}: ${message}`)
      : [object.spec.ipFamilyPolicy, object.spec.ipFamilies];
  };
  const two = {
    ipFamilyPolicy: "RequireDualStack",
    ipFamilies: ["IPv4", "IPv6"],
    clusterIPs: ["10.96.1.1", "fd00::1"],
    clusterIP: "10.96.1.1",
  };

  test.each([
    [{}, ["SingleStack", ["IPv4"]]],
    [{ clusterIPs: ["fd00::1"], clusterIP: "fd00::1" }, ["SingleStack", ["IPv6"]]],
    [{ ipFamilyPolicy: "PreferDualStack", ipFamilies: ["IPv6"] }, ["PreferDualStack", ["IPv6", "IPv4"]]],
    [{ clusterIP: "None", clusterIPs: ["None"] }, ["SingleStack", ["IPv4"]]],
    [{ clusterIP: "None", clusterIPs: ["None"], selector: {} }, ["RequireDualStack", ["IPv4", "IPv6"]]],
    [
      { clusterIPs: ["10.96.1.1", "fd00::1"], clusterIP: "10.96.1.1" },
      [
        `spec.ipFamilyPolicy: Invalid value: "SingleStack": must be 'RequireDualStack' or 'PreferDualStack' when multiple cluster IPs are specified`,
      ],
    ],
  ])("%j", (spec, expected) => expect(settle(spec)).toEqual(expected));

  test("the second address goes only with SingleStack", () => {
    expect(settle({ ...two, ipFamilies: ["IPv4"] }, two)).toEqual([
      `spec.ipFamilyPolicy: Invalid value: "RequireDualStack": must be 'SingleStack' to release the secondary IP family`,
    ]);
    expect(settle({ ...two, ipFamilyPolicy: "SingleStack" }, two)).toEqual(["SingleStack", ["IPv4"]]);
  });

  test("a cluster of one family refuses to be of two", () => {
    expect(settle({ ipFamilyPolicy: "RequireDualStack" }, undefined, ["IPv4"])).toEqual([
      'spec.ipFamilyPolicy: Invalid value: "RequireDualStack": this cluster is not configured for dual-stack services',
    ]);
    expect(settle({ ipFamilies: ["IPv6"] }, undefined, ["IPv4"])).toEqual([
      'spec.ipFamilies[0]: Invalid value: "IPv6": not configured on this cluster',
    ]);
  });
});
