import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { TestCluster } from "../support/cluster.ts";

/** Commands of the kubectl reference that the other files do not use. */
let cluster: TestCluster;
beforeAll(async () => {
  cluster = await TestCluster.start({ nodes: 3 });
});
afterAll(() => cluster?.stop());

const kubectl = (...args: string[]) => cluster.kubectl(...args);

const deployment = (replicas: number, image: string) => `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, labels: {app: web}}
spec:
  replicas: ${replicas}
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: main, image: ${image}, ports: [{containerPort: 80}]}]}
`;

test("diff shows what an apply would change, client-side and server-side", async () => {
  await cluster.apply(deployment(1, "web:1"));
  const same = await cluster.run(["diff", "-f", "-"], deployment(1, "web:1"));
  expect(same).toMatchObject({ code: 0, stdout: "" });
  const changed = await cluster.run(["diff", "-f", "-"], deployment(1, "web:2"));
  expect(changed.code).toBe(1);
  expect(changed.stdout).toMatch(/^- +- image: web:1$/m);
  expect(changed.stdout).toMatch(/^\+ +- image: web:2$/m);
  const server = await cluster.run(["diff", "--server-side", "--force-conflicts", "-f", "-"], deployment(2, "web:1"));
  expect(server.code).toBe(1);
  expect(server.stdout).toMatch(/^\+ +replicas: 2$/m);
});

test("replace, replace --force, edit with an editor", async () => {
  const path = join(cluster.directory, "web.yaml");
  writeFileSync(path, deployment(2, "web:3"));
  expect(await kubectl("replace", "-f", path)).toContain("replaced");
  const uid = await kubectl("get", "deployment", "web", "-o", "jsonpath={.metadata.uid}");
  expect(await kubectl("replace", "--force", "-f", path)).toContain("replaced");
  expect(await kubectl("get", "deployment", "web", "-o", "jsonpath={.metadata.uid}")).not.toBe(uid);
  await kubectl("rollout", "status", "deployment/web", "--timeout=30s");
});

test("get with custom columns, jsonpath, go-template, sort-by, chunk-size, label columns, several kinds", async () => {
  for (const name of ["c", "a", "b"])
    await kubectl(
      "create",
      "configmap",
      name,
      `--from-literal=value=${name}`,
      `--from-literal=rank=${200 - name.charCodeAt(0)}`,
    );
  await kubectl("label", "configmap", "a", "tier=front");
  expect(
    await kubectl("get", "configmaps", "a", "b", "c", "-o", "custom-columns=NAME:.metadata.name,VALUE:.data.value"),
  ).toMatch(/^NAME +VALUE\na +a\nb +b\nc +c\n$/);
  expect(await kubectl("get", "configmaps", "-l", "tier=front", "-o", "jsonpath={.items[*].data.value}")).toBe("a");
  expect(await kubectl("get", "configmap", "b", "-o", "go-template={{.data.value}}")).toBe("b");
  expect(await kubectl("get", "configmaps", "a", "b", "c", "--sort-by=.data.rank", "-o", "name")).toBe(
    "configmap/c\nconfigmap/b\nconfigmap/a\n",
  );
  const chunked = await kubectl("get", "configmaps", "--chunk-size=2", "-o", "name");
  expect(chunked).toBe(await kubectl("get", "configmaps", "-o", "name"));
  expect(await kubectl("get", "configmap", "a", "-L", "tier")).toMatch(/TIER\na .* front/);
  expect(await kubectl("get", "deployments,configmaps", "--no-headers")).toMatch(
    /deployment.apps\/web[^]*configmap\/a/,
  );
  expect(await kubectl("get", "--raw", "/apis/apps/v1/namespaces/default/deployments/web/scale")).toContain(
    '"kind":"Scale"',
  );
  expect(await kubectl("get", "deployment", "web", "--subresource=status", "-o", "name")).toBe("deployment.apps/web\n");
  expect(await kubectl("get", "configmap", "a", "--show-labels")).toContain("tier=front");
});

test("wait for jsonpath, for deletion, and with a time-out", async () => {
  expect(
    await kubectl("wait", "--for=jsonpath={.status.readyReplicas}=2", "deployment/web", "--timeout=30s"),
  ).toContain("condition met");
  expect(await kubectl("wait", "--for=create", "configmap/a", "--timeout=5s")).toContain("condition met");
  const late = await cluster.run([
    "wait",
    "--for=jsonpath={.status.readyReplicas}=7",
    "deployment/web",
    "--timeout=1s",
  ]);
  expect(late.stderr).toContain("timed out waiting for the condition");
  const gone = kubectl("wait", "--for=delete", "configmap/c", "--timeout=20s");
  await kubectl("delete", "configmap", "c", "--wait=false");
  await gone;
});

test("api-versions, explain of every depth, auth, cluster-info, config", async () => {
  const versions = await kubectl("api-versions");
  for (const version of ["apps/v1", "autoscaling/v1", "autoscaling/v2", "batch/v1", "v1"])
    expect(versions.split("\n")).toContain(version);
  expect(await kubectl("explain", "ingress.spec.rules.http.paths.pathType")).toContain("<string>");
  expect(await kubectl("explain", "hpa", "--api-version=autoscaling/v1")).toContain("VERSION:    v1");
  expect(await kubectl("auth", "can-i", "create", "deployments")).toBe("yes\n");
  expect((await cluster.run(["auth", "can-i", "create", "deployments", "--as", "nobody"])).stdout).toBe("no\n");
  expect(await kubectl("auth", "whoami", "-o", "jsonpath={.status.userInfo.username}")).toBe("kubernetes-admin");
  expect(await kubectl("cluster-info")).toContain("Kubernetes control plane");
  expect(await kubectl("get", "componentstatuses")).toContain("scheduler");
});

test("taint, drain, expose, autoscale, create of every simple kind, delete --all", async () => {
  await kubectl("taint", "nodes", "node-0", "dedicated=gpu:NoSchedule");
  expect(await kubectl("describe", "node", "node-0")).toContain("dedicated=gpu:NoSchedule");
  await kubectl("taint", "nodes", "node-0", "dedicated-");
  await kubectl("expose", "deployment", "web", "--port=80", "--type=NodePort");
  expect(await kubectl("get", "service", "web")).toMatch(/NodePort +10\.96\.\d+\.\d+ +<none> +80:3\d{4}\/TCP/);
  await kubectl("autoscale", "deployment", "web", "--min=2", "--max=4", "--cpu-percent=80");
  expect(await kubectl("get", "hpa", "web")).toMatch(/Deployment\/web/);
  await kubectl("create", "secret", "generic", "s", "--from-literal=a=b");
  await kubectl("create", "serviceaccount", "robot");
  await kubectl("create", "role", "reader", "--verb=get,list", "--resource=pods");
  await kubectl("create", "rolebinding", "reader", "--role=reader", "--serviceaccount=default:robot");
  await kubectl("create", "clusterrole", "viewer", "--verb=get", "--resource=nodes");
  await kubectl("create", "clusterrolebinding", "viewer", "--clusterrole=viewer", "--user=ann");
  await kubectl("create", "quota", "q", "--hard=pods=10");
  await kubectl("create", "poddisruptionbudget", "web", "--selector=app=web", "--min-available=1");
  await kubectl("create", "priorityclass", "high", "--value=1000");
  await kubectl("create", "ingress", "web", "--rule=shop.example/*=web:80");
  await kubectl("create", "cronjob", "nightly", "--image=busybox", "--schedule=0 1 * * *", "--", "true");
  expect(await kubectl("get", "sa,role,rolebinding,quota,pdb,ingress,cronjob", "-o", "name")).toMatch(
    /serviceaccount\/robot[^]*role.rbac.authorization.k8s.io\/reader[^]*cronjob.batch\/nightly/,
  );
  await kubectl("delete", "pdb", "web");
  await kubectl("drain", "node-1", "--ignore-daemonsets", "--force", "--delete-emptydir-data", "--timeout=60s");
  expect(await kubectl("get", "pods", "-A", "--field-selector", "spec.nodeName=node-1", "-o", "name")).toBe("");
  await kubectl("uncordon", "node-1");
  await kubectl("delete", "configmaps", "--all");
  await kubectl("delete", "deployment,service,hpa,ingress", "web");
  expect(await kubectl("get", "deployments,hpa,ingress", "-o", "name")).toBe("");
});
