import { expect, it } from "vitest";
import type { Sleeper } from "./protocol.ts";
import { Sleepers } from "./sleepers.ts";
import type { SleeperRecord } from "./sleepers.ts";

function newRig() {
  const records = new Map<string, SleeperRecord>();
  const woken: string[] = [];
  let failing = false;
  const newSleepers = () =>
    new Sleepers(
      {
        list: () => records,
        put: (key, record) => void records.set(key, record),
        delete: (key) => void records.delete(key),
      },
      async ({ binding, name }: Sleeper) => {
        if (failing) throw new Error("no answer");
        woken.push(`${binding}/${name}`);
      },
    );
  return { records, woken, newSleepers, fail: (value: boolean) => (failing = value) };
}

it("W11 wakes a sleeper once, at the first revision above its own, also after a restart", async () => {
  const rig = newRig();
  rig.newSleepers().add({ binding: "SCHEDULER", name: "default" }, 5);
  const sleepers = rig.newSleepers();
  await sleepers.revisionReached(5);
  expect(rig.woken).toEqual([]);
  await Promise.all([sleepers.revisionReached(6), sleepers.revisionReached(7)]);
  await sleepers.revisionReached(8);
  expect(rig.woken).toEqual(["SCHEDULER/default"]);
  expect(rig.records.size).toBe(0);
});

it("W11 a wake that fails is tried again; a hundred sleepers are the limit", async () => {
  const rig = newRig();
  const sleepers = rig.newSleepers();
  for (let index = 0; index < 100; index++) sleepers.add({ binding: "NODE_POOL", name: String(index) }, index);
  sleepers.add({ binding: "NODE_POOL", name: "3" }, 50);
  expect(() => sleepers.add({ binding: "NODE_POOL", name: "100" }, 0)).toThrow("more than 100 sleepers");
  rig.fail(true);
  await sleepers.revisionReached(2);
  expect(rig.records.size).toBe(100);
  rig.fail(false);
  await sleepers.revisionReached(2);
  expect(rig.woken).toEqual(["NODE_POOL/0", "NODE_POOL/1"]);
  expect(sleepers.size).toBe(98);
});
