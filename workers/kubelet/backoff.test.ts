import { expect, it } from "vitest";
import { Backoff } from "./backoff.ts";
import { formatDuration } from "./duration.ts";

it("doubles up to its maximum and is forgotten after twice that", () => {
  const backoff = new Backoff(10_000, 300_000);
  const delays: string[] = [];
  let now = 0;
  for (let failure = 0; failure < 7; failure++) {
    backoff.next("a", now, now);
    delays.push(formatDuration(backoff.get("a")));
    expect(backoff.endSince("a", now)).toBe(now + backoff.get("a"));
    now += backoff.get("a");
  }
  expect(delays).toEqual(["10s", "20s", "40s", "1m20s", "2m40s", "5m0s", "5m0s"]);
  now += 600_001;
  expect(backoff.endSince("a", now)).toBeUndefined();
  backoff.next("a", now, now);
  expect(backoff.get("a")).toBe(10_000);
  expect(backoff.endSinceUpdate("other", now)).toBeUndefined();
});

it("comes back after a restart as long as it was", () => {
  const backoff = new Backoff(10_000, 300_000);
  backoff.restore("a", 3, 1000);
  expect(backoff.get("a")).toBe(40_000);
  backoff.restore("fresh", 0, 1000);
  expect(backoff.get("fresh")).toBe(0);
});
