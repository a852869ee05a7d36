import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { eventually, TestCluster } from "../support/cluster.ts";
import { helmPath } from "../support/tools.ts";

let cluster: TestCluster;
let chart: string;
beforeAll(async () => {
  cluster = await TestCluster.start({ nodes: 2 });
  chart = join(cluster.directory, "chart");
  mkdirSync(join(chart, "templates"), { recursive: true });
  writeFileSync(join(chart, "Chart.yaml"), "apiVersion: v2\nname: shop\nversion: 0.1.0\nappVersion: '1'\n");
  writeFileSync(join(chart, "values.yaml"), "replicas: 2\nimage: shop:1\n");
  writeFileSync(
    join(chart, "templates", "all.yaml"),
    `apiVersion: v1
kind: Service
metadata: {name: {{ .Release.Name }}, labels: {app: {{ .Release.Name }}}}
spec: {selector: {app: {{ .Release.Name }}}, ports: [{name: http, port: 80, targetPort: 8080}]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: {{ .Release.Name }}}
spec:
  replicas: {{ .Values.replicas }}
  selector: {matchLabels: {app: {{ .Release.Name }}}}
  template:
    metadata: {labels: {app: {{ .Release.Name }}}}
    spec: {containers: [{name: main, image: {{ .Values.image }}}]}
---
apiVersion: v1
kind: Pod
metadata:
  name: {{ .Release.Name }}-hook
  annotations: {helm.sh/hook: post-install, helm.sh/hook-delete-policy: hook-succeeded}
spec: {restartPolicy: Never, containers: [{name: main, image: busybox, command: [sh, -c, exit 0]}]}
`,
  );
});
afterAll(() => cluster?.stop());

function helm(...args: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(
      helmPath(),
      args,
      { env: { ...process.env, KUBECONFIG: cluster.kubeconfig, HOME: cluster.directory }, timeout: 90_000 },
      (error, stdout, stderr) =>
        error === null ? resolve(stdout) : reject(new Error(`helm ${args.join(" ")}: ${stdout}${stderr}`)),
    );
  });
}

test("helm installs, upgrades, rolls back and uninstalls a chart with a hook", async () => {
  expect(await helm("install", "shop", chart, "--wait", "--timeout", "60s")).toContain("STATUS: deployed");
  expect(await cluster.kubectl("get", "deployment", "shop", "-o", "jsonpath={.status.availableReplicas}")).toBe("2");
  expect((await cluster.run(["get", "pod", "shop-hook"])).stderr).toContain("not found");
  await helm("upgrade", "shop", chart, "--set", "replicas=3,image=shop:2", "--wait", "--timeout", "60s");
  expect(
    await cluster.kubectl(
      "get",
      "deployment",
      "shop",
      "-o",
      "jsonpath={.spec.replicas} {.spec.template.spec.containers[0].image}",
    ),
  ).toBe("3 shop:2");
  await helm("rollback", "shop", "1", "--wait", "--timeout", "60s");
  expect(
    await cluster.kubectl(
      "get",
      "deployment",
      "shop",
      "-o",
      "jsonpath={.spec.replicas} {.spec.template.spec.containers[0].image}",
    ),
  ).toBe("2 shop:1");
  expect(await helm("history", "shop")).toMatch(/^3\s.*Rollback to 1/m);
  await helm("uninstall", "shop", "--wait");
  await eventually(
    "nothing is left",
    async () => (await cluster.kubectl("get", "all", "-l", "app=shop", "-o", "name")) === "",
  );
});
