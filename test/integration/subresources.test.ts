import "reflect-metadata";
import { Pkcs10CertificateRequestGenerator } from "@peculiar/x509";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TestCluster } from "../support/cluster.ts";

/** Eviction, approval, ephemeral containers and resize. Messages are those of kube-apiserver 1.36. */
let cluster: TestCluster;
beforeAll(async () => {
  cluster = await TestCluster.start({ nodes: 0 });
});
afterAll(() => cluster?.stop());

const merge = { "Content-Type": "application/merge-patch+json" };
const strategic = { "Content-Type": "application/strategic-merge-patch+json" };
const requests = { cpu: "100m", memory: "64Mi" };

/** A namespace of its own for each test: budgets see only its pods. */
let count = 0;
async function namespace() {
  const name = `own-${count++}`;
  await cluster.request("POST", "/api/v1/namespaces", { metadata: { name } });
  const path = `/api/v1/namespaces/${name}`;
  const pod = async (podName: string, status: object, spec: object = {}) => {
    const created = await cluster.request("POST", `${path}/pods`, {
      metadata: { name: podName, labels: { app: "a" } },
      spec: { containers: [{ name: "c", image: "i", resources: { requests } }], ...spec },
    });
    expect(created.json).toMatchObject({ kind: "Pod" });
    const patched = await cluster.request("PATCH", `${path}/pods/${podName}/status`, { status }, merge);
    expect(patched.status).toBe(200);
  };
  const budgets = `/apis/policy/v1/namespaces/${name}/poddisruptionbudgets`;
  const budget = async (budgetName: string, spec: object, status: object) => {
    const created = await cluster.request("POST", budgets, {
      metadata: { name: budgetName },
      spec: { selector: { matchLabels: { app: "a" } }, maxUnavailable: 1, ...spec },
    });
    expect(created.json).toMatchObject({ kind: "PodDisruptionBudget" });
    const full = {
      observedGeneration: 1,
      currentHealthy: 3,
      desiredHealthy: 2,
      expectedPods: 3,
      disruptionsAllowed: 1,
      ...status,
    };
    expect((await cluster.request("PATCH", `${budgets}/${budgetName}/status`, { status: full }, merge)).status).toBe(
      200,
    );
  };
  return {
    path,
    pod,
    budget,
    budgetStatus: async (budgetName: string) => (await cluster.request("GET", `${budgets}/${budgetName}`)).json.status,
    evict: (podName: string, body: object = {}, query = "") =>
      cluster.request("POST", `${path}/pods/${podName}/eviction${query}`, { metadata: { name: podName }, ...body }),
    exists: async (podName: string) => (await cluster.request("GET", `${path}/pods/${podName}`)).status === 200,
  };
}

const running = { phase: "Running", conditions: [{ type: "Ready", status: "True" }] };
const unready = { phase: "Running", conditions: [{ type: "Ready", status: "False" }] };

describe("eviction", () => {
  test("without a budget the pod goes; a missing pod is not found", async () => {
    const { pod, evict, exists } = await namespace();
    await pod("a", running);
    const answer = await evict("a");
    expect(answer.json).toMatchObject({ kind: "Status", status: "Success" });
    expect(answer.status).toBe(201);
    expect(await exists("a")).toBe(false);
    expect((await evict("a")).status).toBe(404);
  });

  test("a budget without room refuses with its cause", async () => {
    const { pod, budget, evict, exists } = await namespace();
    await pod("a", running);
    await budget("b", {}, { disruptionsAllowed: 0, currentHealthy: 2 });
    const answer = await evict("a");
    expect(answer.status).toBe(429);
    expect(answer.json).toMatchObject({
      reason: "TooManyRequests",
      message: "Cannot evict pod as it would violate the pod's disruption budget.",
      details: {
        causes: [
          { reason: "DisruptionBudget", message: "The disruption budget b needs 2 healthy pods and has 2 currently" },
        ],
      },
    });
    expect(await exists("a")).toBe(true);
  });

  test("concurrent evictions take no more than the budget allows", async () => {
    const { pod, budget, evict, budgetStatus } = await namespace();
    const names = Array.from({ length: 12 }, (_, index) => `p${index}`);
    await Promise.all(names.map((name) => pod(name, running)));
    await budget("b", {}, { disruptionsAllowed: 5, currentHealthy: 12, desiredHealthy: 7 });
    const codes = (await Promise.all(names.map((name) => evict(name)))).map(({ status }) => status);
    expect(codes.filter((code) => code === 201)).toHaveLength(5);
    expect(codes.filter((code) => code === 429)).toHaveLength(7);
    const status = await budgetStatus("b");
    expect(status.disruptionsAllowed).toBe(0);
    expect(Object.keys(status.disruptedPods)).toHaveLength(5);
    expect(status.conditions).toMatchObject([
      { type: "DisruptionAllowed", status: "False", reason: "InsufficientPods" },
    ]);
  });

  test("a budget that its controller has not seen asks to come again", async () => {
    const { pod, budget, evict } = await namespace();
    await pod("a", running);
    await budget("b", {}, { observedGeneration: 0 });
    const answer = await evict("a");
    expect(answer.headers["retry-after"]).toBe("10");
    expect(answer.json.details.causes[0].message).toBe(
      "The disruption budget b is still being processed by the server.",
    );
  });

  test("two budgets are one too many", async () => {
    const { pod, budget, evict } = await namespace();
    await pod("a", running);
    await budget("b", {}, {});
    await budget("c", {}, {});
    const answer = await evict("a");
    expect(answer.status).toBe(500);
    expect(answer.json.message).toBe(
      "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.",
    );
  });

  test("pending and finished pods, and unhealthy ones where the policy has it so, go without asking", async () => {
    const { pod, budget, evict, budgetStatus } = await namespace();
    await pod("pending", { phase: "Pending" });
    await pod("done", { phase: "Succeeded" });
    await pod("sick", unready);
    await budget("b", {}, { disruptionsAllowed: 0, currentHealthy: 1 });
    expect((await evict("pending")).status).toBe(201);
    expect((await evict("done")).status).toBe(201);
    expect((await evict("sick")).status).toBe(429);
    const always = { spec: { unhealthyPodEvictionPolicy: "AlwaysAllow" } };
    const path = `/apis/policy/v1/namespaces/own-${count - 1}/poddisruptionbudgets/b`;
    expect((await cluster.request("PATCH", path, always, merge)).status).toBe(200);
    expect((await evict("sick")).status).toBe(201);
    expect((await budgetStatus("b")).disruptedPods ?? {}).toEqual({});
  });

  test("a dry run takes nothing", async () => {
    const { pod, budget, evict, exists, budgetStatus } = await namespace();
    await pod("a", running);
    await budget("b", {}, {});
    expect((await evict("a", { deleteOptions: { dryRun: ["All"] } })).status).toBe(201);
    expect((await evict("a", {}, "?dryRun=All")).status).toBe(201);
    expect(await exists("a")).toBe(true);
    expect((await budgetStatus("b")).disruptionsAllowed).toBe(1);
  });
});

describe("approval of certificate signing requests", () => {
  const path = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
  const spec: Record<string, unknown> = { signerName: "kubernetes.io/kube-apiserver-client", usages: ["client auth"] };

  beforeAll(async () => {
    const signingAlgorithm = { name: "ECDSA", hash: "SHA-256" };
    const generated = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, false, [
      "sign",
      "verify",
    ]);
    const keys = generated as CryptoKeyPair;
    const request = await Pkcs10CertificateRequestGenerator.create({ name: "CN=someone", keys, signingAlgorithm });
    spec["request"] = Buffer.from(request.toString("pem")).toString("base64");
  });

  test("the requester is recorded; approve and deny exclude each other, and stay", async () => {
    const created = await cluster.request("POST", path, {
      metadata: { name: "r" },
      spec: { ...spec, username: "someone-else" },
    });
    expect(created.json).toMatchObject({ kind: "CertificateSigningRequest" });
    expect(created.json.spec.username).not.toBe("someone-else");
    const approve = {
      status: { conditions: [{ type: "Approved", status: "True", reason: "ByHand", message: "fine" }] },
    };
    const onStatus = await cluster.request("PATCH", `${path}/r/status`, approve, merge);
    expect(onStatus.json.message).toContain(
      'status.conditions: Forbidden: updates may not add a condition of type "Approved"',
    );
    const approved = await cluster.request(
      "PATCH",
      `${path}/r/approval`,
      { ...approve, spec: { usages: ["signing"] } },
      merge,
    );
    expect(approved.status).toBe(200);
    expect(approved.json.spec.usages).toEqual(["client auth"]);
    expect(approved.json.status.conditions[0]).toMatchObject({
      type: "Approved",
      lastUpdateTime: expect.any(String),
      lastTransitionTime: expect.any(String),
    });
    const both = [...approve.status.conditions, { type: "Denied", status: "True", reason: "x" }];
    expect(
      (await cluster.request("PATCH", `${path}/r/approval`, { status: { conditions: both } }, merge)).json.message,
    ).toContain('status.conditions: Invalid value: "Denied": Approved and Denied conditions are mutually exclusive');
    expect(
      (await cluster.request("PATCH", `${path}/r/approval`, { status: { conditions: [] } }, merge)).json.message,
    ).toContain('updates may not remove a condition of type "Approved"');
    expect((await cluster.request("GET", `${path}/r/approval`)).json.metadata.name).toBe("r");
  });

  test("kubectl certificate approve and deny", async () => {
    await cluster.request("POST", path, { metadata: { name: "k" }, spec });
    expect(await cluster.kubectl("certificate", "approve", "k")).toContain("approved");
    expect(await cluster.kubectl("get", "csr", "k")).toContain("Approved");
  });

  test.each([
    [{ request: Buffer.from("nothing").toString("base64") }, "PEM block type must be CERTIFICATE REQUEST"],
    [{ signerName: "nobody" }, "must be a fully qualified domain and path"],
    [{ usages: ["flying"] }, 'spec.usages[0]: Unsupported value: "flying"'],
    [
      { expirationSeconds: 60 },
      "spec.expirationSeconds: Invalid value: 60: may not specify a duration less than 600 seconds (10 minutes)",
    ],
  ])("%j is refused", async (change, message) => {
    const answer = await cluster.request("POST", path, { metadata: { name: "wrong" }, spec: { ...spec, ...change } });
    expect(answer.status).toBe(422);
    expect(answer.json.message).toContain(message);
  });
});

describe("ephemeral containers", () => {
  test("are added, never changed, and nothing else changes", async () => {
    const { path, pod } = await namespace();
    await pod("a", running);
    const add = (containers: object[], extra: object = {}) =>
      cluster.request(
        "PATCH",
        `${path}/pods/a/ephemeralcontainers`,
        { spec: { ephemeralContainers: containers, ...extra } },
        strategic,
      );
    const added = await add([{ name: "debug", image: "busybox", targetContainerName: "c" }], { hostname: "other" });
    expect(added.status).toBe(200);
    expect(added.json.spec.hostname).toBeUndefined();
    expect(added.json.spec.ephemeralContainers).toMatchObject([
      { name: "debug", image: "busybox", imagePullPolicy: "Always" },
    ]);
    expect(added.json.metadata.generation).toBe(2);
    expect((await add([{ name: "debug", image: "other" }])).json.message).toContain(
      'existing ephemeral containers "debug" may not be changed',
    );
    expect((await add([{ name: "c", image: "x" }])).json.message).toContain("Duplicate value");
    expect((await add([{ name: "more", image: "x" }])).json.spec.ephemeralContainers).toHaveLength(2);
    const gone = await cluster.request(
      "PATCH",
      `${path}/pods/a/ephemeralcontainers`,
      { spec: { ephemeralContainers: null } },
      merge,
    );
    expect(gone.json.message).toContain('existing ephemeral containers "debug" may not be removed');
    expect((await cluster.request("GET", `${path}/pods/a/ephemeralcontainers`)).json.kind).toBe("Pod");
  });
});

describe("resize", () => {
  test("cpu and memory change in place; the class of service, names and everything else do not", async () => {
    const { path, pod } = await namespace();
    await pod("a", running, {
      containers: [
        { name: "c", image: "i", resources: { requests } },
        { name: "d", image: "i", resources: { requests } },
      ],
    });
    const resize = (body: object) => cluster.request("PATCH", `${path}/pods/a/resize`, body, strategic);
    const one = (name: string, resources: object) => ({ spec: { containers: [{ name, resources }] } });
    const resized = await resize({ ...one("c", { requests: { cpu: "200m" } }), metadata: { labels: { more: "x" } } });
    expect(resized.status).toBe(200);
    expect(resized.json.spec.containers[0].resources.requests).toEqual({ cpu: "200m", memory: "64Mi" });
    expect(resized.json.metadata.labels).toEqual({ app: "a" });
    expect(resized.json.metadata.generation).toBe(2);
    const guaranteed = await resize(one("c", { requests: { cpu: null, memory: null } }));
    expect(guaranteed.json.message).toContain(
      "spec.containers[0].resources.requests: Forbidden: resource requests cannot be removed",
    );
    const storage = await resize(one("c", { requests: { "ephemeral-storage": "1Gi" } }));
    expect(storage.json.message).toContain("spec: Forbidden: only cpu and memory resources are mutable");
    const [c, d] = resized.json.spec.containers;
    const swapped = await cluster.request("PATCH", `${path}/pods/a/resize`, { spec: { containers: [d, c] } }, merge);
    expect(swapped.json.message).toContain(
      "spec.containers[0].name: Forbidden: containers may not be renamed or reordered on resize",
    );
  });

  test("a pod without requests stays BestEffort", async () => {
    const { path, pod } = await namespace();
    await pod("a", running, { containers: [{ name: "c", image: "i" }] });
    const body = { spec: { containers: [{ name: "c", resources: { requests } }] } };
    expect((await cluster.request("PATCH", `${path}/pods/a/resize`, body, strategic)).json.message).toContain(
      'spec: Invalid value: "BestEffort": Pod QOS Class may not change as a result of resizing',
    );
  });
});
