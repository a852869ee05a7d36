import { afterAll, beforeAll, expect, test } from "vitest";
import { eventually, TestCluster } from "../../support/cluster.ts";
import { seededRandom } from "../../support/random.ts";
import { FollowingWatcher } from "../../support/watcher.ts";

/** Of all files together. */
const rounds = Math.ceil(Number(process.env.EDGEPLANE_CRASH_ROUNDS ?? 200) / 2);
const path = "/api/v1/namespaces/default/configmaps";

interface Acknowledged {
  revision: number;
  type: "ADDED" | "MODIFIED" | "DELETED";
  name: string;
  value: string;
}

/** Two files run half of the rounds each, at the same time. */
export function crashTest(seed: number): void {
  let cluster: TestCluster;
  beforeAll(async () => {
    cluster = await TestCluster.start({ nodes: 0, persistent: true });
  });
  afterAll(() => cluster?.stop());

  test(`S1, W1, A15: ${rounds} rounds of kill -9 lose no acknowledged write, and every watcher goes on without a gap, a duplicate or a relist (seed ${seed})`, async () => {
    const random = seededRandom(seed);
    const begin = (await cluster.request("GET", path)).json.metadata.resourceVersion as string;
    const watchers = [1, 2, 3].map(() => new FollowingWatcher(cluster, "/api/v1/configmaps", begin));
    const acknowledged: Acknowledged[] = [];
    /** What each name must be at least: the last acknowledged change, and whether a later one may have been applied unseen. */
    const names = Array.from({ length: 12 }, (_, index) => `object-${index}`);
    let counter = 0;

    for (let round = 0; round < rounds; round++) {
      const runtime = { dead: false };
      const writer = async () => {
        while (!runtime.dead) {
          const name = names[Math.floor(random() * names.length)]!;
          const value = `value-${counter++}`;
          const choice = random();
          try {
            if (choice < 0.4) {
              const { status, json } = await cluster.request("POST", path, configMap(name, value));
              if (status === 201)
                acknowledged.push({ revision: Number(json.metadata.resourceVersion), type: "ADDED", name, value });
            } else if (choice < 0.8) {
              const { status, json } = await cluster.request("PUT", `${path}/${name}`, configMap(name, value));
              if (status === 200)
                acknowledged.push({ revision: Number(json.metadata.resourceVersion), type: "MODIFIED", name, value });
            } else {
              const { status } = await cluster.request("DELETE", `${path}/${name}`);
              if (status === 200) acknowledged.push({ revision: 0, type: "DELETED", name, value: "" });
            }
          } catch {
            // The connection broke: nobody knows whether the write happened.
            await new Promise((resolve) => setTimeout(resolve, 5));
          }
        }
      };
      const writers = [writer(), writer(), writer()];
      await new Promise((resolve) => setTimeout(resolve, 20 + random() * 250));
      await cluster.crash();
      runtime.dead = true;
      await Promise.all(writers);
      await cluster.start();
    }

    const list = (await cluster.request("GET", "/api/v1/configmaps")).json;
    const last = Number(list.metadata.resourceVersion);
    await eventually(
      "all watchers have caught up",
      async () =>
        watchers.every(({ resourceVersion, error }) => error !== undefined || Number(resourceVersion) >= last),
      60,
    );
    for (const watcher of watchers) {
      watcher.stop();
      expect(watcher.error).toBeUndefined();
      // Every revision of the type is one event: consecutive numbers are no gap and no duplicate.
      const revisions = watcher.events.map(({ object }) => Number(object.metadata.resourceVersion));
      expect(revisions).toEqual(Array.from({ length: last - Number(begin) }, (_, index) => Number(begin) + 1 + index));
    }

    const byRevision = new Map(
      watchers[0]!.events.map((event) => [Number(event.object.metadata.resourceVersion), event]),
    );
    for (const { revision, type, name, value } of acknowledged) {
      if (type === "DELETED") continue;
      const event = byRevision.get(revision);
      expect(event?.type, `revision ${revision}`).toBe(type);
      expect(event?.object.metadata.name).toBe(name);
      expect(event?.object.data.value).toBe(value);
    }
    const deletions = watchers[0]!.events.filter(({ type }) => type === "DELETED").length;
    expect(deletions).toBeGreaterThanOrEqual(acknowledged.filter(({ type }) => type === "DELETED").length);
    // The state is what the history adds up to.
    const state = new Map<string, string>();
    for (const { type, object } of watchers[0]!.events) {
      if (type === "DELETED") state.delete(object.metadata.name);
      else state.set(object.metadata.name, object.metadata.resourceVersion);
    }
    for (const item of list.items.filter((object: { metadata: { name: string } }) =>
      names.includes(object.metadata.name),
    )) {
      expect(state.get(item.metadata.name)).toBe(item.metadata.resourceVersion);
      state.delete(item.metadata.name);
    }
    expect([...state.keys()].filter((name) => names.includes(name))).toEqual([]);
    console.log(
      `${rounds} rounds: ${acknowledged.length} acknowledged writes, ${last - Number(begin)} revisions, ${watchers[0]!.connections} connections of a watcher`,
    );
  }, 540_000);
}

function configMap(name: string, value: string) {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { value } };
}
