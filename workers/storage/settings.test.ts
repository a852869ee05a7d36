import { describe, expect, it } from "vitest";
import { shardName } from "./keys.ts";
import { groupResourceOfShard, settingsFor } from "./settings.ts";

describe("settings of a type", () => {
  it("S26 S29 S30: five minutes and 1,000 revisions, except for Leases and Events", () => {
    const pods = settingsFor({ group: "", resource: "pods" });
    expect(pods).toMatchObject({ historyMilliseconds: 300_000, historyRevisions: 1_000 });
    expect(pods.objectTtlMilliseconds).toBeUndefined();
    expect(settingsFor({ group: "", resource: "events" })).toEqual({ ...pods, objectTtlMilliseconds: 3_600_000 });
    const leases = settingsFor({ group: "coordination.k8s.io", resource: "leases" });
    expect(leases).toEqual({ ...pods, historyMilliseconds: 0, historyRevisions: 0 });
    expect(settingsFor({ group: "example.com", resource: "leases" })).toEqual(pods);
  });

  it("are found by the shard's name", () => {
    for (const gr of [
      { group: "", resource: "pods" },
      { group: "coordination.k8s.io", resource: "leases" },
    ]) {
      expect(groupResourceOfShard(shardName("some-cluster", gr))).toEqual(gr);
    }
  });
});
