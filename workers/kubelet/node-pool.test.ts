import { afterEach, describe, expect, it } from "vitest";
import { formatTime } from "../apimachinery/clock.ts";
import type { KubeObject } from "../apimachinery/meta.ts";
import { leasesResource, nodesResource, PoolFixture, podsResource, statesOf } from "./testing/pool-fixture.ts";

let fixture: PoolFixture;

afterEach(async () => {
  await fixture.stop();
  expect(fixture.errors).toEqual([]);
});

describe("nodes", () => {
  it("register ready, with leases that are renewed together every ten seconds", async () => {
    fixture = new PoolFixture();
    await fixture.start({ nodes: { count: 3 } });
    const nodes = fixture.client.all(nodesResource);
    expect(nodes.map((node) => node.metadata.name)).toEqual(["node-0", "node-1", "node-2"]);
    expect(nodes[1]!.metadata.labels!["kubernetes.io/hostname"]).toBe("node-1");
    expect(nodes[1]!.status.addresses[0]).toEqual({ type: "InternalIP", address: "172.18.0.3" });
    expect(nodes[0]!.status.conditions.map((one: any) => `${one.type}=${one.status} ${one.reason}`)).toEqual([
      "MemoryPressure=False KubeletHasSufficientMemory",
      "DiskPressure=False KubeletHasNoDiskPressure",
      "PIDPressure=False KubeletHasSufficientPID",
      "Ready=True KubeletReady",
    ]);
    const leases = fixture.client.all(leasesResource);
    expect(leases.map((lease) => [lease.metadata.name, lease.spec.leaseDurationSeconds])).toEqual([
      ["node-0", 40],
      ["node-1", 40],
      ["node-2", 40],
    ]);
    expect(leases[0]!.metadata.ownerReferences![0]!.uid).toBe(nodes[0]!.metadata.uid);

    fixture.client.actions.length = 0;
    await fixture.elapse(60_000, 1000);
    expect(fixture.client.writes.length).toBe(18);
    expect(new Set(fixture.client.writes.map(({ gvr }) => gvr.resource))).toEqual(new Set(["leases"]));
    expect(fixture.pool.pending).toBe(0);
  });

  it("report their status every five minutes", async () => {
    fixture = new PoolFixture();
    await fixture.start();
    fixture.client.actions.length = 0;
    await fixture.elapse(301_000, 1000);
    const reports = fixture.client.writes.filter(({ gvr }) => gvr.resource === "nodes");
    expect(reports.map(({ name }) => name)).toEqual(["node-0", "node-1"]);
  });

  it("put a status right that someone else changed", async () => {
    fixture = new PoolFixture();
    await fixture.start();
    const conditions = [{ type: "Ready", status: "Unknown", reason: "NodeStatusUnknown" }];
    await fixture.client.patch(
      nodesResource,
      undefined,
      "node-1",
      "application/strategic-merge-patch+json",
      { status: { conditions } },
      "status",
    );
    await fixture.elapse(11_000, 1000);
    const node = fixture.client.all(nodesResource)[1]!;
    expect(node.status.conditions.find((one: any) => one.type === "Ready")).toMatchObject({
      status: "True",
      reason: "KubeletReady",
    });
  });

  it("say how they are when they start, and when they are cordoned", async () => {
    fixture = new PoolFixture();
    await fixture.start();
    const said = (): string[] =>
      fixture.nodeEvents
        .splice(0)
        .filter(({ about, host }) => about === "node-0" && host === "node-0")
        .map(({ reason, message }) => `${reason}: ${message}`);
    expect(said()).toEqual([
      "Starting: Starting kubelet.",
      "NodeHasSufficientMemory: Node node-0 status is now: NodeHasSufficientMemory",
      "NodeHasNoDiskPressure: Node node-0 status is now: NodeHasNoDiskPressure",
      "NodeHasSufficientPID: Node node-0 status is now: NodeHasSufficientPID",
      "NodeAllocatableEnforced: Updated Node Allocatable limit across pods",
      "NodeReady: Node node-0 status is now: NodeReady",
    ]);
    const cordon = async (unschedulable: boolean): Promise<void> => {
      const patch = { spec: { unschedulable } };
      await fixture.client.patch(nodesResource, undefined, "node-0", "application/merge-patch+json", patch);
      await fixture.elapse(10);
    };
    await cordon(true);
    expect(said()).toEqual(["NodeNotSchedulable: Node node-0 status is now: NodeNotSchedulable"]);
    await fixture.stop();
    await fixture.start();
    expect(said()).toEqual([]);
    await cordon(false);
    expect(said()).toEqual(["NodeSchedulable: Node node-0 status is now: NodeSchedulable"]);
  });

  it("stay silent while heartbeats are paused and renew all at once after", async () => {
    fixture = new PoolFixture();
    await fixture.start();
    fixture.pool.pauseHeartbeats();
    expect(fixture.pool.nextDue()).toBeUndefined();
    fixture.client.actions.length = 0;
    await fixture.elapse(600_000, 10_000);
    expect(fixture.client.writes).toEqual([]);
    fixture.pool.resumeHeartbeats();
    await fixture.elapse(10);
    const renewed = fixture.client.all(leasesResource).map((lease) => lease.spec.renewTime.slice(0, 19) + "Z");
    expect(renewed).toEqual([formatTime(fixture.clock.now()), formatTime(fixture.clock.now())]);
  });

  it("get a lease back that someone deleted, at the next renewal", async () => {
    fixture = new PoolFixture();
    await fixture.start();
    const lease = (): KubeObject | undefined => fixture.client.all(leasesResource)[0];
    await fixture.client.delete(leasesResource, "kube-node-lease", "node-0");
    await fixture.elapse(10_000, 1000);
    expect(lease()!.metadata.name).toBe("node-0");

    await fixture.stop();
    await fixture.client.delete(leasesResource, "kube-node-lease", "node-0");
    await fixture.start();
    expect(lease()!.metadata.name).toBe("node-0");
  });

  it("are not created again after someone deleted them", async () => {
    fixture = new PoolFixture();
    await fixture.start();
    await fixture.client.delete(nodesResource, undefined, "node-0");
    await fixture.client.delete(leasesResource, "kube-node-lease", "node-0");
    await fixture.elapse(20_000, 1000);
    expect(fixture.client.all(nodesResource).map((node) => node.metadata.name)).toEqual(["node-1"]);
    expect(fixture.client.all(leasesResource).map((lease) => lease.metadata.name)).toEqual(["node-1"]);
  });
});

describe("a plain pod", () => {
  it("goes from bound over ContainerCreating to Running", async () => {
    fixture = new PoolFixture();
    await fixture.start();
    fixture.bind("web");
    expect(await statesOf(fixture, "web", 300)).toEqual([
      "Pending",
      "Pending main=waiting:ContainerCreating",
      "Running main=running",
    ]);
    const { status, metadata } = fixture.pod("web")!;
    expect(status.conditions.map((one: any) => `${one.type}=${one.status}`)).toEqual([
      "PodScheduled=True",
      "PodReadyToStartContainers=True",
      "Initialized=True",
      "Ready=True",
      "ContainersReady=True",
    ]);
    expect(status).toMatchObject({
      observedGeneration: metadata.generation,
      hostIP: "172.18.0.2",
      hostIPs: [{ ip: "172.18.0.2" }],
      podIP: "10.244.0.2",
      podIPs: [{ ip: "10.244.0.2" }],
      qosClass: "BestEffort",
    });
    expect(status.containerStatuses[0]).toMatchObject({
      name: "main",
      ready: true,
      started: true,
      restartCount: 0,
      image: "docker.io/library/nginx:latest",
    });
    expect(status.containerStatuses[0].containerID).toMatch(/^containerd:\/\/[0-9a-f]{64}$/);
    expect(status.containerStatuses[0].imageID).toMatch(/^docker.io\/library\/nginx@sha256:[0-9a-f]{64}$/);
    expect(
      fixture.events.map(({ reason, message }) => `${reason}: ${message.replace(/size: \d+/, "size: N")}`),
    ).toEqual([
      'Pulling: Pulling image "nginx"',
      'Pulled: Successfully pulled image "nginx" in 40ms (40ms including waiting). Image size: N bytes.',
      "Created: Container created",
      "Started: Container started",
    ]);
    expect(fixture.events[0]).toMatchObject({ host: "node-0", fieldPath: "spec.containers{main}" });
    expect(fixture.podWrites().length).toBe(2);
    expect(fixture.pool.pending).toBe(0);
  });

  it("sends its conditions in upstream's order", async () => {
    fixture = new PoolFixture();
    await fixture.start();
    fixture.bind("web");
    await fixture.elapse(300);
    const patch = fixture.podWrites()[0]!.patch as any;
    expect(patch.metadata).toEqual({ uid: "uid-web" });
    expect(patch.status["$setElementOrder/conditions"].map((one: any) => one.type)).toEqual([
      "PodReadyToStartContainers",
      "Initialized",
      "Ready",
      "ContainersReady",
      "PodScheduled",
    ]);
  });

  it("needs no pull where the image is present", async () => {
    fixture = new PoolFixture();
    await fixture.start();
    fixture.bind("first");
    await fixture.elapse(300);
    fixture.events.length = 0;
    fixture.bind("second");
    await fixture.elapse(300);
    expect(fixture.events[0]!.message).toBe(
      'Container image "nginx" already present on machine and can be accessed by the pod',
    );
    expect(fixture.pod("second")!.status.podIP).toBe("10.244.0.3");
  });

  it("is deleted gracefully: containers end, the status says so, then the object goes", async () => {
    fixture = new PoolFixture();
    await fixture.start();
    fixture.bind("web");
    await fixture.elapse(300);
    fixture.client.actions.length = 0;
    fixture.events.length = 0;
    await fixture.client.delete(podsResource, "default", "web");
    await fixture.elapse(500);
    expect(fixture.pod("web")).toBeUndefined();
    expect(fixture.events.map(({ reason, message }) => `${reason}: ${message}`)).toEqual([
      "Killing: Stopping container main",
    ]);
    const [status, last] = fixture.podWrites().slice(-2);
    expect(status!.patch).toMatchObject({
      status: { phase: "Failed", containerStatuses: [{ state: { terminated: { exitCode: 143, reason: "Error" } } }] },
    });
    expect(last).toMatchObject({
      verb: "delete",
      options: { gracePeriodSeconds: 0, preconditions: { uid: "uid-web" } },
    });
    expect(fixture.pool.pending).toBe(0);
  });

  it("gives its address back when it has ended", async () => {
    fixture = new PoolFixture();
    await fixture.client.create(nodesResource, undefined, {
      apiVersion: "v1",
      kind: "Node",
      metadata: { name: "node-0" },
      spec: { podCIDR: "10.9.8.0/29" },
    });
    await fixture.start();
    for (let index = 0; index < 5; index++) fixture.bind(`pod-${index}`);
    await fixture.elapse(300);
    const addresses = fixture.client.all(podsResource).map((pod) => pod.status.podIP);
    expect(addresses).toEqual(["10.9.8.2", "10.9.8.3", "10.9.8.4", "10.9.8.5", "10.9.8.6"]);
    await fixture.client.delete(podsResource, "default", "pod-3");
    await fixture.elapse(300);
    fixture.bind("next");
    await fixture.elapse(300);
    expect(fixture.pod("next")!.status.podIP).toBe("10.9.8.5");
  });

  it("leaves nothing behind when its object vanishes", async () => {
    fixture = new PoolFixture();
    await fixture.start();
    fixture.bind("web");
    await fixture.elapse(300);
    fixture.client.actions.length = 0;
    await fixture.client.delete(podsResource, "default", "web", { gracePeriodSeconds: 0 });
    await fixture.elapse(300);
    expect(fixture.podWrites().length).toBe(1);
    expect(fixture.pool.pending).toBe(0);
  });

  it("gets back a status that someone else overwrote", async () => {
    fixture = new PoolFixture();
    await fixture.start();
    fixture.bind("web");
    await fixture.elapse(300);
    const conditions = [{ type: "Ready", status: "False" }];
    const type = "application/strategic-merge-patch+json";
    await fixture.client.patch(podsResource, "default", "web", type, { status: { conditions } }, "status");
    await fixture.elapse(300);
    expect(fixture.condition("web", "Ready")!.status).toBe("True");
    expect(fixture.podWrites().length).toBe(4);
  });
});
