import { describe, expect, it } from "vitest";
import type { KubeObject } from "../../apimachinery/meta.ts";
import { PodInfo } from "../framework/pod-info.ts";
import { makeNode, makePod } from "../testing/builders.ts";
import { Fixture } from "../testing/fixture.ts";
import { seededRandom } from "../testing/harness.ts";
import { names } from "./names.ts";

const apps = ["web", "db", "cache"];

/** A pod with random affinities and spreading, all over the same few labels and domains. */
function randomPod(name: string, random: () => number): KubeObject {
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)]!;
  const labelSelector = () => ({ matchLabels: { app: pick(apps) } });
  const topologyKey = () => pick(["zone", "kubernetes.io/hostname"]);
  const term = () => ({ labelSelector: labelSelector(), topologyKey: topologyKey() });
  const terms = () => ({
    requiredDuringSchedulingIgnoredDuringExecution: random() < 0.3 ? [term()] : [],
    preferredDuringSchedulingIgnoredDuringExecution:
      random() < 0.3 ? [{ weight: 1 + Math.floor(random() * 100), podAffinityTerm: term() }] : [],
  });
  return makePod(name, {
    labels: { app: pick(apps) },
    spec: {
      ...(random() < 0.6 ? { affinity: { podAffinity: terms(), podAntiAffinity: terms() } } : {}),
      ...(random() < 0.5
        ? {
            topologySpreadConstraints: [
              {
                maxSkew: 1 + Math.floor(random() * 2),
                topologyKey: topologyKey(),
                whenUnsatisfiable: pick(["DoNotSchedule", "ScheduleAnyway"]),
                labelSelector: labelSelector(),
              },
            ],
          }
        : {}),
    },
  });
}

describe("affinity and spreading", () => {
  it.each([1, 2, 3])("what is remembered per node never changes an answer (seed %i)", (seed) => {
    const random = seededRandom(seed);
    const nodes = new Map(
      Array.from({ length: 6 }, (_, i) => [`n${i}`, makeNode(`n${i}`, { labels: i < 5 ? { zone: `z${i % 3}` } : {} })]),
    );
    const placed = new Map<string, KubeObject>();
    const lasting = new Fixture({ nodes: [...nodes.values()] });
    for (let step = 0; step < 300; step++) {
      const pod = randomPod(`p${step}`, random);
      const fresh = new Fixture({ nodes: [...nodes.values()], pods: [...placed.values()] });
      lasting.cache.updateSnapshot(lasting.snapshot);
      const answer = lasting.filter(pod);
      expect(answer).toEqual(fresh.filter(pod));
      for (const plugin of [names.interPodAffinity, names.podTopologySpread]) {
        expect(lasting.score(pod, plugin)).toEqual(fresh.score(pod, plugin));
      }
      const fitting = Object.keys(answer).filter((name) => answer[name] === "");
      const change = random();
      if (change < 0.1) {
        const name = `n${Math.floor(random() * 5)}`;
        const node = makeNode(name, { labels: { zone: `z${Math.floor(random() * 3)}` } });
        nodes.set(name, node);
        lasting.cache.addOrUpdateNode(node);
      } else if (change < 0.35 && placed.size > 0) {
        const gone = [...placed.values()][Math.floor(random() * placed.size)]!;
        placed.delete(gone.metadata.name!);
        lasting.cache.removePod(gone.metadata.uid!);
      } else if (fitting.length > 0) {
        const nodeName = fitting[Math.floor(random() * fitting.length)]!;
        const bound = { ...pod, spec: { ...pod.spec, nodeName } };
        placed.set(pod.metadata.name!, bound);
        lasting.cache.addPod(new PodInfo(bound));
      }
    }
    expect(placed.size).toBeGreaterThan(20);
  });
});
