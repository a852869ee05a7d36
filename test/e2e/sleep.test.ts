import { afterAll, beforeAll, expect, test } from "vitest";
import { eventually, TestCluster } from "../support/cluster.ts";

let cluster: TestCluster;
beforeAll(async () => {
  cluster = await TestCluster.start({ nodes: 2, variables: { EDGEPLANE_IDLE_SECONDS: "1" } });
});
afterAll(() => cluster?.stop());

const renewals = async () => {
  const { items } = (await cluster.request("GET", "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases"))
    .json;
  return items.map((lease: { spec: { renewTime: string } }) => lease.spec.renewTime).join();
};

test("G2: a cluster in which nothing happens falls asleep, heartbeats included, and an event wakes it before any node is judged stale", async () => {
  await eventually(
    "nodes are Ready",
    async () => (await cluster.kubectl("get", "nodes")).match(/ Ready /g)?.length === 2,
  );
  // Kubelets renew every ten seconds; asleep is when two in a row are missing. The last word of the controller manager keeps them up for half a minute.
  let last = await renewals();
  let since = Date.now();
  await eventually(
    "heartbeats have ended",
    async () => {
      const now = await renewals();
      if (now !== last) since = Date.now();
      last = now;
      return Date.now() - since > 22_000;
    },
    120,
  );
  await cluster.kubectl("create", "deployment", "web", "--image=nginx", "--replicas=3");
  await cluster.kubectl("rollout", "status", "deployment/web", "--timeout=20s");
  expect(await renewals()).not.toBe(last);
  expect((await cluster.kubectl("get", "nodes")).match(/ Ready /g)).toHaveLength(2);
  const events = await cluster.kubectl("get", "events", "-A");
  expect(events).not.toContain("NodeNotReady");
}, 240_000);
