import { afterEach, describe, expect, it } from "vitest";
import { PoolFixture, podsResource, statesOf } from "./testing/pool-fixture.ts";

let fixture: PoolFixture;

afterEach(async () => {
  await fixture.stop();
  expect(fixture.errors).toEqual([]);
});

const shell = (script: string): { command: string[] } => ({ command: ["sh", "-c", script] });

describe("init containers", () => {
  it("run one after another before the others", async () => {
    fixture = new PoolFixture();
    await fixture.start();
    fixture.bind("web", {
      initContainers: [
        { name: "one", image: "busybox", ...shell("sleep 1") },
        { name: "two", image: "busybox", ...shell("sleep 1") },
      ],
    });
    expect(await statesOf(fixture, "web", 4000)).toEqual([
      "Pending",
      "Pending one=waiting:PodInitializing two=waiting:PodInitializing main=waiting:PodInitializing",
      "Pending one=running two=waiting:PodInitializing main=waiting:PodInitializing",
      "Pending one=terminated:0 two=running main=waiting:PodInitializing",
      "Pending one=terminated:0 two=terminated:0 main=waiting:PodInitializing",
      "Running one=terminated:0 two=terminated:0 main=running",
    ]);
    expect(fixture.condition("web", "Initialized")).toMatchObject({ status: "True" });
  });

  it("that fail for good fail the pod", async () => {
    fixture = new PoolFixture();
    await fixture.start();
    fixture.bind("job", {
      restartPolicy: "Never",
      initContainers: [{ name: "check", image: "busybox", command: ["false"] }],
    });
    await fixture.elapse(1000);
    const { status } = fixture.pod("job")!;
    expect(status.phase).toBe("Failed");
    expect(status.containerStatuses[0].state).toEqual({ waiting: { reason: "PodInitializing" } });
    expect(fixture.condition("job", "Initialized")).toMatchObject({
      status: "False",
      reason: "ContainersNotInitialized",
      message: "containers with incomplete status: [check]",
    });
  });

  it("that restart (sidecars) start first, keep running, and end with the others", async () => {
    fixture = new PoolFixture();
    await fixture.start();
    fixture.bind("batch", {
      restartPolicy: "Never",
      initContainers: [
        { name: "proxy", image: "envoy", restartPolicy: "Always", startupProbe: { initialDelaySeconds: 2 } },
      ],
      containers: [{ name: "main", image: "busybox", ...shell("sleep 3") }],
    });
    expect(await statesOf(fixture, "batch", 8000)).toEqual([
      "Pending",
      "Pending proxy=waiting:PodInitializing main=waiting:PodInitializing",
      "Pending proxy=running main=waiting:PodInitializing",
      "Running proxy=running main=running",
      "Succeeded proxy=terminated:143 main=terminated:0",
    ]);
  });
});

describe("restarts", () => {
  it("back off ten seconds, doubling, with the reason in the status", async () => {
    fixture = new PoolFixture();
    await fixture.start();
    fixture.bind("crash", { containers: [{ name: "main", image: "busybox", ...shell("sleep 1; exit 3") }] });
    const states = await statesOf(fixture, "crash", 20_000, 100);
    expect(states).toEqual([
      "Pending main=waiting:ContainerCreating",
      "Running main=running",
      "Running main=running/1",
      "Running main=terminated:3/1",
      "Running main=waiting:CrashLoopBackOff/1",
      "Running main=running/2",
      "Running main=terminated:3/2",
      "Running main=waiting:CrashLoopBackOff/2",
    ]);
    const status = fixture.pod("crash")!.status.containerStatuses[0];
    expect(status.state.waiting.message).toBe(
      "back-off 20s restarting failed container=main pod=crash_default(uid-crash)",
    );
    expect(status.lastState.terminated).toMatchObject({ exitCode: 3, reason: "Error" });
    expect(fixture.events.find(({ reason }) => reason === "BackOff")).toMatchObject({
      type: "Warning",
      message: "Back-off restarting failed container main in pod crash_default(uid-crash)",
    });
  });

  it("never wait longer than five minutes, and need no timer but their own", async () => {
    fixture = new PoolFixture();
    await fixture.start();
    fixture.pool.pauseHeartbeats();
    fixture.bind("crash", { containers: [{ name: "main", image: "busybox", command: ["false"] }] });
    await fixture.elapse(3_600_000, 1000);
    const { restartCount, state } = fixture.pod("crash")!.status.containerStatuses[0];
    expect(state.waiting.message).toContain("back-off 5m0s restarting");
    // 10+20+40+80+160 seconds take the first six, then one in five minutes.
    expect(restartCount).toBeGreaterThanOrEqual(15);
    expect(restartCount).toBeLessThanOrEqual(18);
    expect(fixture.pool.nextDue()! - fixture.clock.now()).toBeLessThanOrEqual(300_000);
    expect(fixture.pool.pending).toBe(0);
    expect(fixture.clock.pending).toBe(1);
  });

  it("follow the policy: OnFailure ends at success, Never at once", async () => {
    fixture = new PoolFixture();
    await fixture.start();
    const containers = (script: string): object => ({
      containers: [{ name: "main", image: "busybox", ...shell(script) }],
    });
    fixture.bind("good", { ...containers("echo hi"), restartPolicy: "OnFailure" });
    fixture.bind("bad", { ...containers("exit 1"), restartPolicy: "OnFailure" });
    fixture.bind("once", { ...containers("exit 1"), restartPolicy: "Never" });
    await fixture.elapse(1000);
    expect(fixture.pod("good")!.status.phase).toBe("Succeeded");
    expect(fixture.pod("once")!.status.phase).toBe("Failed");
    expect(fixture.pod("bad")!.status).toMatchObject({ phase: "Running", containerStatuses: [{ restartCount: 1 }] });
    expect(fixture.condition("good", "Ready")).toMatchObject({ status: "False", reason: "PodCompleted" });
    expect(fixture.condition("good", "PodReadyToStartContainers")).toMatchObject({ status: "False" });
    expect(fixture.pod("good")!.status.podIP).toBe("10.244.0.2");
  });
});

describe("images", () => {
  it("that cannot be pulled are tried again after a back-off", async () => {
    fixture = new PoolFixture();
    await fixture.start();
    fixture.bind("web", { containers: [{ name: "main", image: "registry.example/does-not-exist:1" }] });
    expect(await statesOf(fixture, "web", 12_000, 20)).toEqual([
      "Pending",
      "Pending main=waiting:ContainerCreating",
      "Pending main=waiting:ErrImagePull",
      "Pending main=waiting:ImagePullBackOff",
      "Pending main=waiting:ErrImagePull",
      "Pending main=waiting:ImagePullBackOff",
    ]);
    const cause =
      'rpc error: code = NotFound desc = failed to pull and unpack image "registry.example/does-not-exist:1": ' +
      'failed to resolve reference "registry.example/does-not-exist:1": registry.example/does-not-exist:1: not found';
    expect(fixture.pod("web")!.status.containerStatuses[0].state.waiting.message).toBe(
      `Back-off pulling image "registry.example/does-not-exist:1": ErrImagePull: ${cause}`,
    );
    expect(fixture.events.slice(0, 5).map(({ type, reason, message }) => `${type} ${reason} ${message}`)).toEqual([
      'Normal Pulling Pulling image "registry.example/does-not-exist:1"',
      `Warning Failed Failed to pull image "registry.example/does-not-exist:1": ${cause}`,
      "Warning Failed Error: ErrImagePull",
      'Normal BackOff Back-off pulling image "registry.example/does-not-exist:1"',
      "Warning Failed Error: ImagePullBackOff",
    ]);
  });

  it("that are no references or must not be pulled are reported as such", async () => {
    fixture = new PoolFixture();
    await fixture.start();
    fixture.bind("invalid", { containers: [{ name: "main", image: "Nginx" }] });
    fixture.bind("never", { containers: [{ name: "main", image: "absent", imagePullPolicy: "Never" }] });
    await fixture.elapse(2000);
    expect(fixture.pod("invalid")!.status.containerStatuses[0].state.waiting).toEqual({
      reason: "InvalidImageName",
      message:
        'Failed to apply default image tag "Nginx": couldn\'t parse image name "Nginx": ' +
        "invalid reference format: repository name (library/Nginx) must be lowercase",
    });
    expect(fixture.pod("never")!.status.containerStatuses[0].state.waiting).toEqual({
      reason: "ErrImageNeverPull",
      message: 'Container image "absent" is not present with pull policy of Never',
    });
  });

  it("that change restart their container only", async () => {
    fixture = new PoolFixture();
    await fixture.start();
    fixture.bind("web", {
      containers: [
        { name: "a", image: "nginx:1" },
        { name: "b", image: "nginx:1" },
      ],
    });
    await fixture.elapse(300);
    const patch = { spec: { containers: [{ name: "a", image: "nginx:2" }] } };
    await fixture.client.patch(podsResource, "default", "web", "application/strategic-merge-patch+json", patch);
    await fixture.elapse(500);
    const statuses = fixture.pod("web")!.status.containerStatuses;
    expect(statuses.map((one: any) => [one.name, one.image, one.restartCount, one.ready])).toEqual([
      ["a", "docker.io/library/nginx:2", 1, true],
      ["b", "docker.io/library/nginx:1", 0, true],
    ]);
    expect(fixture.events.some(({ message }) => message === "Container a definition changed, will be restarted")).toBe(
      true,
    );
  });
});

describe("readiness", () => {
  it("comes when the probes succeed", async () => {
    fixture = new PoolFixture();
    await fixture.start();
    fixture.bind("web", {
      containers: [
        {
          name: "main",
          image: "nginx",
          startupProbe: { initialDelaySeconds: 2 },
          readinessProbe: { initialDelaySeconds: 5 },
        },
      ],
    });
    await fixture.elapse(1000);
    const seen: [boolean, boolean, string | undefined][] = [];
    for (let second = 0; second < 6; second += 2) {
      const { started, ready } = fixture.pod("web")!.status.containerStatuses[0];
      seen.push([started, ready, fixture.condition("web", "Ready")!.message]);
      await fixture.elapse(2500);
    }
    const message = "containers with unready status: [main]";
    expect(seen).toEqual([
      [false, false, message],
      [true, false, message],
      [true, true, undefined],
    ]);
  });

  it("waits for readiness gates", async () => {
    fixture = new PoolFixture();
    await fixture.start();
    fixture.bind("web", { readinessGates: [{ conditionType: "example.com/lb" }] });
    await fixture.elapse(300);
    expect(fixture.condition("web", "ContainersReady")!.status).toBe("True");
    expect(fixture.condition("web", "Ready")).toMatchObject({
      status: "False",
      reason: "ReadinessGatesNotReady",
      message: 'corresponding condition of pod readiness gate "example.com/lb" does not exist.',
    });
    const conditions = [{ type: "example.com/lb", status: "True" }];
    const type = "application/strategic-merge-patch+json";
    await fixture.client.patch(podsResource, "default", "web", type, { status: { conditions } }, "status");
    await fixture.elapse(300);
    const ready = fixture.condition("web", "Ready")!;
    expect(ready.status).toBe("True");
    expect(ready.message).toBeUndefined();
    expect(fixture.condition("web", "example.com/lb")!.status).toBe("True");
  });
});

describe("an end", () => {
  it("comes with the active deadline", async () => {
    fixture = new PoolFixture();
    await fixture.start();
    fixture.bind("job", { activeDeadlineSeconds: 5, restartPolicy: "Never" });
    await fixture.elapse(7000, 100);
    expect(fixture.pod("job")!.status).toMatchObject({
      phase: "Failed",
      reason: "DeadlineExceeded",
      message: "Pod was active on the node longer than the specified deadline",
    });
  });

  it("can come in the middle of a pull", async () => {
    fixture = new PoolFixture();
    await fixture.start({ delays: { pull: 60_000 } });
    fixture.bind("web");
    await fixture.elapse(1000);
    await fixture.client.delete(podsResource, "default", "web");
    await fixture.elapse(300);
    expect(fixture.pod("web")).toBeUndefined();
    expect(fixture.pool.pending).toBe(0);
  });

  it("shows how the containers ended, also those that waited for a restart", async () => {
    fixture = new PoolFixture();
    await fixture.start();
    fixture.bind("crash", { containers: [{ name: "main", image: "busybox", command: ["false"] }] });
    await fixture.elapse(5000, 100);
    expect(fixture.pod("crash")!.status.containerStatuses[0].state.waiting.reason).toBe("CrashLoopBackOff");
    await fixture.client.delete(podsResource, "default", "crash");
    await fixture.elapse(300);
    expect(fixture.podWrites().at(-2)!.patch).toMatchObject({
      status: { phase: "Failed", containerStatuses: [{ state: { terminated: { exitCode: 1 } } }] },
    });
  });

  it("stops sidecars after the containers, the last one first", async () => {
    fixture = new PoolFixture();
    await fixture.start();
    const sidecar = (name: string): object => ({ name, image: "envoy", restartPolicy: "Always" });
    fixture.bind("web", { initContainers: [sidecar("one"), sidecar("two")] });
    await fixture.elapse(500);
    await fixture.client.delete(podsResource, "default", "web");
    await fixture.elapse(500);
    const killed = fixture.events.filter(({ reason }) => reason === "Killing").map(({ fieldPath }) => fieldPath);
    expect(killed).toEqual(["spec.containers{main}", "spec.initContainers{two}", "spec.initContainers{one}"]);
  });

  it("waits for a stop that takes longer, and kills at the end of the grace period", async () => {
    fixture = new PoolFixture();
    await fixture.start();
    const annotations = { "simulation.edgeplane.dev/stop-delay": "60s" };
    fixture.bind("slow", { terminationGracePeriodSeconds: 5 }, { annotations });
    await fixture.elapse(300);
    await fixture.client.delete(podsResource, "default", "slow");
    await fixture.elapse(4500, 100);
    expect(fixture.pod("slow")!.status.phase).toBe("Running");
    await fixture.elapse(1000, 100);
    expect(fixture.pod("slow")).toBeUndefined();
    expect(JSON.stringify(fixture.podWrites().at(-2)!.patch)).toContain('"exitCode":137');
  });
});

describe("a restart of the host", () => {
  it("does not restart containers and writes nothing", async () => {
    fixture = new PoolFixture();
    await fixture.start();
    fixture.bind("web");
    fixture.bind("host", { hostNetwork: true, nodeName: "node-1" });
    fixture.bind("done", {
      restartPolicy: "Never",
      containers: [{ name: "main", image: "busybox", command: ["true"] }],
    });
    fixture.bind("upgraded", { containers: [{ name: "main", image: "nginx:1" }] });
    await fixture.elapse(1000);
    const patch = { spec: { containers: [{ name: "main", image: "nginx:2" }] } };
    await fixture.client.patch(podsResource, "default", "upgraded", "application/strategic-merge-patch+json", patch);
    await fixture.elapse(1000);
    const before = fixture.client.all(podsResource);
    expect(fixture.pod("upgraded")!.status.containerStatuses[0].lastState.terminated).toMatchObject({ exitCode: 143 });
    await fixture.stop();

    fixture.client.actions.length = 0;
    fixture.events.length = 0;
    await fixture.elapse(5000, 1000);
    await fixture.start();
    await fixture.elapse(5000, 100);
    expect(fixture.client.writes.filter(({ gvr }) => gvr.resource !== "leases")).toEqual([]);
    expect(fixture.events).toEqual([]);
    expect(fixture.client.all(podsResource)).toEqual(before);

    fixture.bind("next");
    await fixture.elapse(300);
    expect(fixture.pod("next")!.status.podIP).not.toBe(fixture.pod("web")!.status.podIP);
    await fixture.client.delete(podsResource, "default", "web");
    await fixture.client.delete(podsResource, "default", "done");
    await fixture.elapse(300);
    expect(fixture.pod("web")).toBeUndefined();
    expect(fixture.pod("done")).toBeUndefined();
  });

  it("catches up on what ended meanwhile", async () => {
    fixture = new PoolFixture();
    await fixture.start();
    fixture.bind("job", {
      restartPolicy: "Never",
      containers: [{ name: "main", image: "busybox", command: ["sleep", "30"] }],
    });
    await fixture.elapse(1000);
    const { startedAt } = fixture.pod("job")!.status.containerStatuses[0].state.running;
    await fixture.stop();
    await fixture.elapse(60_000, 10_000);
    await fixture.start();
    await fixture.elapse(300);
    const { phase, containerStatuses } = fixture.pod("job")!.status;
    expect(phase).toBe("Succeeded");
    expect(Date.parse(containerStatuses[0].state.terminated.finishedAt) - Date.parse(startedAt)).toBe(30_000);
  });

  it("keeps the back-off of a crash loop", async () => {
    fixture = new PoolFixture();
    await fixture.start();
    fixture.bind("crash", { containers: [{ name: "main", image: "busybox", command: ["false"] }] });
    await fixture.elapse(200_000, 500);
    const before = fixture.pod("crash")!.status.containerStatuses[0];
    expect(before.state.waiting.message).toContain("back-off 2m40s");
    await fixture.stop();
    await fixture.start();
    await fixture.elapse(60_000, 500);
    expect(fixture.pod("crash")!.status.containerStatuses[0]).toEqual(before);
    await fixture.elapse(120_000, 500);
    expect(fixture.pod("crash")!.status.containerStatuses[0].restartCount).toBe(before.restartCount + 1);
  });

  it("does not pull a missing image more often", async () => {
    fixture = new PoolFixture();
    await fixture.start();
    fixture.bind("web", { containers: [{ name: "main", image: "does-not-exist" }] });
    await fixture.elapse(120_000, 100);
    const before = fixture.pod("web")!.status;
    expect(before.containerStatuses[0].state.waiting.reason).toBe("ImagePullBackOff");
    fixture.events.length = 0;
    for (let restart = 0; restart < 5; restart++) {
      await fixture.stop();
      await fixture.start();
      expect(await statesOf(fixture, "web", 3000)).toEqual(["Pending main=waiting:ImagePullBackOff"]);
    }
    expect(fixture.pod("web")!.status).toEqual(before);
    expect(fixture.events.filter(({ reason }) => reason === "Pulling")).toEqual([]);
    await fixture.elapse(200_000, 1000);
    expect(fixture.events.some(({ reason }) => reason === "Pulling")).toBe(true);
  });

  it("takes up a pod that was being deleted", async () => {
    fixture = new PoolFixture();
    await fixture.start();
    fixture.bind("web");
    await fixture.elapse(300);
    await fixture.stop();
    await fixture.client.delete(podsResource, "default", "web");
    expect(fixture.pod("web")).toBeDefined();
    await fixture.start();
    await fixture.elapse(300);
    expect(fixture.pod("web")).toBeUndefined();
  });
});

describe("a running pod", () => {
  it("becomes unready and ready again as its annotation says", async () => {
    fixture = new PoolFixture();
    await fixture.start();
    fixture.bind("web");
    await fixture.elapse(300);
    const annotate = async (ready: string | null): Promise<void> => {
      const patch = { metadata: { annotations: { "simulation.edgeplane.dev/ready": ready } } };
      await fixture.client.patch(podsResource, "default", "web", "application/merge-patch+json", patch);
      await fixture.elapse(200);
    };
    await annotate("false");
    expect(fixture.condition("web", "Ready")).toMatchObject({ status: "False", reason: "ContainersNotReady" });
    await annotate(null);
    expect(fixture.condition("web", "Ready")).toMatchObject({ status: "True" });
  });

  it("takes ephemeral containers in, which do not concern its readiness", async () => {
    fixture = new PoolFixture();
    await fixture.start();
    fixture.bind("web");
    await fixture.elapse(300);
    const patch = { spec: { ephemeralContainers: [{ name: "debug", image: "busybox", command: ["sleep", "5"] }] } };
    const type = "application/strategic-merge-patch+json";
    await fixture.client.patch(podsResource, "default", "web", type, patch, "ephemeralcontainers");
    await fixture.elapse(300);
    const { status } = fixture.pod("web")!;
    expect(status.ephemeralContainerStatuses[0].state.running).toBeDefined();
    expect(status.containerStatuses[0].restartCount).toBe(0);
    await fixture.elapse(6000, 100);
    expect(fixture.pod("web")!.status.ephemeralContainerStatuses[0].state.terminated.exitCode).toBe(0);
    expect(fixture.condition("web", "Ready")!.status).toBe("True");
    expect(fixture.events.find(({ fieldPath }) => fieldPath === "spec.ephemeralContainers{debug}")).toBeDefined();
  });

  it("ends sooner when its grace period is cut short", async () => {
    fixture = new PoolFixture();
    await fixture.start();
    fixture.bind("slow", {}, { annotations: { "simulation.edgeplane.dev/stop-delay": "10m" } });
    await fixture.elapse(300);
    await fixture.client.delete(podsResource, "default", "slow", { gracePeriodSeconds: 300 });
    await fixture.elapse(1000, 100);
    await fixture.client.delete(podsResource, "default", "slow", { gracePeriodSeconds: 3 });
    await fixture.elapse(2500, 100);
    expect(fixture.pod("slow")).toBeDefined();
    await fixture.elapse(1000, 100);
    expect(fixture.pod("slow")).toBeUndefined();
  });
});
