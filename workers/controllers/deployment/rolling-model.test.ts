import { expect, test } from "vitest";
import type { KubeObject } from "../../apimachinery/meta.ts";
import { deploymentsResource, replicaSetsResource } from "../gvrs.ts";
import { isPodReady } from "../pod-utils.ts";
import { newReplicaSetController } from "../replicaset/replica-set.ts";
import { ControllerHarness, seededRandom } from "../testing/controller-harness.ts";
import { livePods, makeAllReady, setPodReady } from "../testing/pod-simulator.ts";
import { newDeploymentController } from "./deployment-controller.ts";
import { maxSurge, maxUnavailable, replicaCount } from "./rollout-math.ts";

function randomDeployment(random: () => number): KubeObject {
  const replicas = 1 + Math.floor(random() * 14);
  const amount = (): number | string => (random() < 0.5 ? Math.floor(random() * 4) : `${Math.floor(random() * 60)}%`);
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web", namespace: "default" },
    spec: {
      replicas,
      strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: amount(), maxUnavailable: amount() } },
      selector: { matchLabels: { app: "web" } },
      template: { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "c", image: "v0" }] } },
    },
  };
}

/**
 * Random sizes, limits and rollouts (some overtaking others), pods becoming ready in random order: no request may ever
 * find fewer ready pods than allowed, nor more wanted pods.
 */
test.each(Array.from({ length: 40 }, (_, index) => index + 1))(
  "rolling update keeps its limits, seed %i",
  async (seed) => {
    const random = seededRandom(seed);
    const harness = new ControllerHarness(seed);
    const deployment = randomDeployment(random);
    harness.client.seed([deployment]);
    await harness.start(newDeploymentController(harness.context), newReplicaSetController(harness.context));
    await makeAllReady(harness);

    const { replicas } = deployment.spec;
    const least = replicas - maxUnavailable(deployment);
    const most = replicas + maxSurge(deployment);
    const check = (): void => {
      expect(livePods(harness).filter(isPodReady).length).toBeGreaterThanOrEqual(least);
      expect(replicaCount(harness.client.all(replicaSetsResource))).toBeLessThanOrEqual(most);
    };
    let violation: unknown;
    harness.client.reactors.push(() => {
      try {
        check();
      } catch (error) {
        violation ??= error;
      }
    });
    for (let rollout = 1; rollout <= 3; rollout++) {
      const containers = [{ name: "c", image: `v${rollout}` }];
      await harness.client.patch(deploymentsResource, "default", "web", "application/merge-patch+json", {
        spec: { template: { spec: { containers } } },
      });
      await harness.settle();
      for (let step = 0; step < 200; step++) {
        const waiting = livePods(harness).filter((pod) => !isPodReady(pod));
        if (waiting.length === 0) break;
        await setPodReady(harness, waiting[Math.floor(random() * waiting.length)]!, true);
        if (random() < 0.6) await harness.settle();
        if (rollout < 3 && random() < 0.1) break;
      }
    }
    for (let round = 0; round < 30; round++) {
      await makeAllReady(harness);
      await harness.advance(1000);
    }
    check();
    if (violation !== undefined) throw violation;
    const { status } = harness.client.all(deploymentsResource)[0]!;
    expect(status).toMatchObject({ replicas, updatedReplicas: replicas, availableReplicas: replicas });
    expect(livePods(harness).map((pod) => pod.spec.containers[0].image)).toEqual(Array(replicas).fill("v3"));
    await harness.stop();
  },
);
