import { spawn } from "node:child_process";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually, TestCluster } from "../support/cluster.ts";
import { kubectlPath } from "../support/tools.ts";

/** The main job with real kubectl, in the order in which a user would try it. */
let cluster: TestCluster;

beforeAll(async () => {
  cluster = await TestCluster.start({ nodes: 3 });
  await eventually("three nodes are Ready", async () => {
    const nodes = await cluster.kubectl("get", "nodes", "--no-headers");
    return (nodes.match(/ Ready /g) ?? []).length === 3;
  });
});
afterAll(() => cluster?.stop());

const kubectl = (...args: string[]) => cluster.kubectl(...args);

describe("what kubectl asks first", () => {
  test("version names the server", async () => {
    const version = JSON.parse(await kubectl("version", "-o", "json"));
    expect(version.serverVersion).toMatchObject({ major: "1", minor: "36" });
  });

  test("api-resources lists every kind with short names and scope", async () => {
    const resources = await kubectl("api-resources");
    expect(resources).toMatch(/^pods +po +v1 +true +Pod$/m);
    expect(resources).toMatch(/^deployments +deploy +apps\/v1 +true +Deployment$/m);
    expect(resources).toMatch(/^nodes +no +v1 +false +Node$/m);
    expect(resources.split("\n").length).toBeGreaterThan(60);
  });

  test("explain pod.spec --recursive shows fields with types", async () => {
    const explained = await kubectl("explain", "pod.spec", "--recursive");
    expect(explained).toMatch(/containers\t<\[\]Container> -required-/);
    expect(explained).toMatch(/ {6}containerPort\t<integer> -required-/);
    expect(await kubectl("explain", "deployment.spec.strategy")).toContain("rollingUpdate");
  });
});

describe("a deployment from creation to deletion", () => {
  test("ten replicas come to run, while get -w streams", async () => {
    const watch = spawn(kubectlPath(), ["get", "pods", "-o", "wide", "-w"], {
      env: { ...process.env, KUBECONFIG: cluster.kubeconfig, HOME: cluster.directory },
    });
    let streamed = "";
    watch.stdout.on("data", (chunk: Buffer) => (streamed += chunk.toString()));
    const begun = Date.now();
    await kubectl("create", "deployment", "web", "--image=nginx", "--replicas=10");
    await eventually("ten pods are Running", async () => {
      const pods = await kubectl("get", "pods", "-l", "app=web", "--no-headers");
      return (pods.match(/ 1\/1 +Running /g) ?? []).length === 10;
    });
    console.log(`ten replicas Running ${Date.now() - begun} ms after kubectl create was started`);
    await eventually(
      "the watch has shown the pods running",
      async () => new Set(streamed.match(/^web-\S+ +1\/1 +Running/gm)).size >= 10,
    );
    expect(streamed).toMatch(/^NAME +READY +STATUS +RESTARTS +AGE +IP +NODE +NOMINATED NODE +READINESS GATES/m);
    expect(streamed).toMatch(/^web-\S+ +0\/1 +(Pending|ContainerCreating)/m);
    watch.kill();
  });

  test("rollout status, scale, set image, history and undo", async () => {
    expect(await kubectl("rollout", "status", "deployment/web", "--timeout=30s")).toContain(
      'deployment "web" successfully rolled out',
    );
    await kubectl("scale", "deployment/web", "--replicas=4");
    await eventually("four replicas are left", async () => {
      const deployment = JSON.parse(await kubectl("get", "deployment", "web", "-o", "json"));
      return deployment.status.replicas === 4 && deployment.status.readyReplicas === 4;
    });
    await kubectl("set", "image", "deployment/web", "nginx=nginx:1.27");
    await kubectl("rollout", "status", "deployment/web", "--timeout=30s");
    expect(await kubectl("get", "deployment", "web", "-o", "wide")).toContain("nginx:1.27");
    expect(await kubectl("rollout", "history", "deployment/web")).toMatch(/^1 .*\n2 /m);
    await kubectl("rollout", "undo", "deployment/web");
    await kubectl("rollout", "status", "deployment/web", "--timeout=30s");
    expect(await kubectl("get", "deployment", "web", "-o", "jsonpath={.spec.template.spec.containers[0].image}")).toBe(
      "nginx",
    );
    expect(await kubectl("rollout", "history", "deployment/web")).toMatch(/^2 .*\n3 /m);
    const sets = JSON.parse(await kubectl("get", "rs", "-l", "app=web", "-o", "json"));
    expect(sets.items).toHaveLength(2);
  });

  test("pause, resume and restart", async () => {
    await kubectl("rollout", "pause", "deployment/web");
    await kubectl("set", "image", "deployment/web", "nginx=nginx:1.28");
    const paused = JSON.parse(await kubectl("get", "deployment", "web", "-o", "json"));
    expect(paused.spec.paused).toBe(true);
    await kubectl("rollout", "resume", "deployment/web");
    await kubectl("rollout", "status", "deployment/web", "--timeout=30s");
    await kubectl("rollout", "restart", "deployment/web");
    await kubectl("rollout", "status", "deployment/web", "--timeout=30s");
  });

  test("wait, describe, events", async () => {
    expect(await kubectl("wait", "--for=condition=Available", "deployment/web", "--timeout=30s")).toContain(
      "condition met",
    );
    const events = await kubectl("get", "events");
    for (const reason of [
      "Scheduled",
      "Pulling",
      "Pulled",
      "Created",
      "Started",
      "SuccessfulCreate",
      "ScalingReplicaSet",
      "Killing",
    ]) {
      expect(events).toContain(reason);
    }
    const pod = (await kubectl("get", "pods", "-l", "app=web", "-o", "name")).split("\n")[0]!;
    const described = await kubectl("describe", pod);
    expect(described).toMatch(/^Status: +Running$/m);
    expect(described).toMatch(/^Node: +node-\d\//m);
    expect(described).toMatch(/^IP: +10\.244\./m);
    expect(described).toMatch(/Normal +Scheduled .*Successfully assigned default\/web-/);
    const node = await kubectl("describe", "node", "node-0");
    expect(node).toMatch(/^ +Ready +True .*KubeletReady +kubelet is posting ready status$/m);
    expect(node).toMatch(/^Allocatable:/m);
    const deployment = await kubectl("describe", "deployment", "web");
    expect(deployment).toMatch(/Available +True +MinimumReplicasAvailable/);
    expect(deployment).toMatch(/Progressing +True +NewReplicaSetAvailable/);
    expect(deployment).toMatch(/ScalingReplicaSet/);
  });

  test("label, annotate, patch of every type, edit", async () => {
    await kubectl("label", "deployment", "web", "tier=front");
    await kubectl("annotate", "deployment", "web", "note=hello");
    expect(await kubectl("get", "deployments", "-l", "tier=front", "-o", "name")).toBe("deployment.apps/web\n");
    expect(await kubectl("get", "deployments", "-l", "tier in (back)", "-o", "name")).toBe("");
    await kubectl(
      "patch",
      "deployment",
      "web",
      "-p",
      '{"spec":{"template":{"spec":{"containers":[{"name":"nginx","env":[{"name":"A","value":"1"}]}]}}}}',
    );
    await kubectl(
      "patch",
      "deployment",
      "web",
      "--type=json",
      "-p",
      '[{"op":"add","path":"/metadata/labels/zone","value":"a"}]',
    );
    await kubectl("patch", "deployment", "web", "--type=merge", "-p", '{"spec":{"minReadySeconds":0,"replicas":3}}');
    const deployment = JSON.parse(await kubectl("get", "deployment", "web", "-o", "json"));
    expect(deployment.metadata.labels).toMatchObject({ app: "web", tier: "front", zone: "a" });
    expect(deployment.metadata.annotations.note).toBe("hello");
    expect(deployment.spec.template.spec.containers).toHaveLength(1);
    expect(deployment.spec.template.spec.containers[0]).toMatchObject({
      image: "nginx:1.28",
      env: [{ name: "A", value: "1" }],
    });
    const editor = await cluster.run(["edit", "deployment", "web"]);
    expect(editor.stdout + editor.stderr).toContain("Edit cancelled, no changes made");
    await kubectl("rollout", "status", "deployment/web", "--timeout=30s");
  });

  test("deletion takes replica sets and pods with it", async () => {
    expect(await kubectl("delete", "deployment", "web")).toContain('deployment.apps "web" deleted');
    await eventually(
      "nothing is left of the deployment",
      async () => (await kubectl("get", "rs,pods", "-l", "app=web", "-o", "name")) === "",
    );
  });
});

describe("apply", () => {
  const manifest = (image: string) => `
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {mode: "${image}"}
---
apiVersion: v1
kind: Secret
metadata: {name: password}
stringData: {word: hidden}
---
apiVersion: v1
kind: Service
metadata: {name: front}
spec:
  selector: {app: front}
  ports: [{name: http, port: 80, targetPort: 8080}]
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: front}
spec:
  replicas: 2
  selector: {matchLabels: {app: front}}
  template:
    metadata: {labels: {app: front}}
    spec:
      containers:
      - name: main
        image: ${image}
        ports: [{containerPort: 8080}]
        resources: {requests: {cpu: 100m, memory: 64Mi}}
        volumeMounts: [{name: settings, mountPath: /etc/settings}]
      volumes:
      - name: settings
        configMap: {name: settings}
`;

  test("several kinds, twice, then with a change", async () => {
    expect(await cluster.apply(manifest("front:1"))).toMatch(
      /configmap\/settings created\nsecret\/password created\nservice\/front created\ndeployment.apps\/front created/,
    );
    expect(await cluster.apply(manifest("front:1"))).toMatch(
      /configmap\/settings unchanged\nsecret\/password (unchanged|configured)\nservice\/front unchanged\ndeployment.apps\/front unchanged/,
    );
    expect(await cluster.apply(manifest("front:2"))).toMatch(
      /configmap\/settings configured\nsecret\/password (unchanged|configured)\nservice\/front unchanged\ndeployment.apps\/front configured/,
    );
    await kubectl("rollout", "status", "deployment/front", "--timeout=30s");
    const service = JSON.parse(await kubectl("get", "service", "front", "-o", "json"));
    expect(service.spec.clusterIP).toMatch(/^10\.96\.\d+\.\d+$/);
    expect(
      Buffer.from(JSON.parse(await kubectl("get", "secret", "password", "-o", "json")).data.word, "base64").toString(),
    ).toBe("hidden");
    await cluster.run(["delete", "-f", "-"], manifest("front:2"));
  });

  test("unknown fields are refused by validation and named", async () => {
    const { code, stderr } = await cluster.run(
      ["apply", "-f", "-"],
      "apiVersion: v1\nkind: Pod\nmetadata: {name: bad}\nspec: {containers: [{name: a, image: b, imagee: c}]}\n",
    );
    expect(code).toBe(1);
    expect(stderr).toContain('unknown field "spec.containers[0].imagee"');
  });
});

describe("nodes and namespaces", () => {
  test("cordon keeps pods away, uncordon lets them in", async () => {
    for (const node of ["node-0", "node-1", "node-2"]) await kubectl("cordon", node);
    expect(await kubectl("get", "node", "node-0")).toContain("Ready,SchedulingDisabled");
    await kubectl("run", "lonely", "--image=nginx");
    await eventually("the scheduler has said why", async () => {
      const events = await kubectl(
        "get",
        "events",
        "--field-selector",
        "involvedObject.name=lonely,reason=FailedScheduling",
      );
      return /0\/3 nodes are available: 3 node\(s\) were unschedulable/.test(events);
    });
    expect(await kubectl("get", "pod", "lonely")).toMatch(/Pending/);
    await kubectl("uncordon", "node-1");
    await kubectl("wait", "--for=condition=Ready", "pod/lonely", "--timeout=30s");
    expect(await kubectl("get", "pod", "lonely", "-o", "jsonpath={.spec.nodeName}")).toBe("node-1");
    await kubectl("uncordon", "node-0");
    await kubectl("uncordon", "node-2");
    await kubectl("delete", "pod", "lonely");
  });

  test("a namespace takes its contents with it", async () => {
    await kubectl("create", "namespace", "team");
    await eventually("the default account exists", async () =>
      (await kubectl("get", "serviceaccount", "-n", "team", "-o", "name")).includes("default"),
    );
    await kubectl("create", "deployment", "inner", "--image=nginx", "--replicas=2", "-n", "team");
    await kubectl("create", "configmap", "data", "--from-literal=a=b", "-n", "team");
    await kubectl("rollout", "status", "deployment/inner", "-n", "team", "--timeout=30s");
    await kubectl("delete", "namespace", "team", "--timeout=60s");
    expect((await cluster.run(["get", "namespace", "team"])).stderr).toContain('namespaces "team" not found');
    expect(await kubectl("get", "all,configmaps", "-n", "team", "-o", "name")).toBe("");
  });
});
