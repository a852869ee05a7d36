import { afterAll, beforeAll, expect, test } from "vitest";
import { eventually, TestCluster } from "../support/cluster.ts";

let cluster: TestCluster;
beforeAll(async () => {
  cluster = await TestCluster.start({ nodes: 3, persistent: true });
});
afterAll(() => cluster?.stop());

interface Pod {
  metadata: { name: string; uid: string };
  status: {
    phase: string;
    podIP: string;
    startTime: string;
    containerStatuses: { restartCount: number; containerID: string }[];
  };
}

const pods = async () => JSON.parse(await cluster.kubectl("get", "pods", "-l", "app=web", "-o", "json")).items as Pod[];

test("a cluster that was killed goes on: same pods, no restarts, and the loops work", async () => {
  await cluster.kubectl("create", "deployment", "web", "--image=nginx", "--replicas=6");
  await cluster.kubectl("rollout", "status", "deployment/web", "--timeout=30s");
  const before = await pods();
  expect(before).toHaveLength(6);

  await cluster.crash();
  await cluster.start();

  const identity = ({ metadata, status }: Pod) => [
    metadata.name,
    metadata.uid,
    status.podIP,
    status.startTime,
    status.containerStatuses[0]!.containerID,
  ];
  expect((await pods()).map(identity)).toEqual(before.map(identity));
  await cluster.kubectl("scale", "deployment/web", "--replicas=9");
  await cluster.kubectl("rollout", "status", "deployment/web", "--timeout=30s");
  const after = await pods();
  expect(after).toHaveLength(9);
  expect(
    after.every(({ status }) => status.phase === "Running" && status.containerStatuses[0]!.restartCount === 0),
  ).toBe(true);
  expect(new Set(after.map(({ status }) => status.podIP)).size).toBe(9);
  const survivors = new Map(after.map((pod) => [pod.metadata.name, identity(pod)]));
  for (const pod of before) expect(survivors.get(pod.metadata.name)).toEqual(identity(pod));
});

test("killed in the middle of a rollout, it ends the rollout", async () => {
  await cluster.kubectl("set", "image", "deployment/web", "nginx=nginx:2");
  await cluster.crash();
  await cluster.start();
  await cluster.kubectl("rollout", "status", "deployment/web", "--timeout=60s");
  await eventually("only the new pods are left", async () => (await pods()).length === 9);
  await cluster.kubectl("delete", "deployment", "web");
  await cluster.crash();
  await cluster.start();
  await eventually(
    "the garbage collector has finished",
    async () => (await cluster.kubectl("get", "rs,pods", "-o", "name")) === "",
    60,
  );
});
