import { describe, expect, it } from "vitest";
import { behaviourOf, parseDuration } from "./behaviour.ts";
import type { ContainerConfig } from "./interfaces.ts";

function run(command: string[], more: Partial<ContainerConfig> = {}): [number, number] | undefined {
  const config: ContainerConfig = {
    name: "main",
    attempt: 0,
    image: "busybox",
    imageRef: "",
    command,
    annotations: {},
    labels: { "simulation.edgeplane.dev/role": "container" },
    ...more,
  };
  const behaviour = behaviourOf(config);
  return behaviour === undefined ? undefined : [behaviour.exitAfterMilliseconds, behaviour.exitCode];
}

const script = (text: string): string[] => ["/bin/sh", "-c", text];

describe("behaviourOf", () => {
  it.each<[string[], [number, number] | undefined]>([
    [
      ["sleep", "5"],
      [5000, 0],
    ],
    [
      ["sleep", "1m"],
      [60_000, 0],
    ],
    [["sleep", "infinity"], undefined],
    [
      ["sleep", "soon"],
      [0, 1],
    ],
    [["true"], [0, 0]],
    [["/bin/false"], [0, 1]],
    [["nginx", "-g", "daemon off;"], undefined],
    [script("echo hello; sleep 2"), [2000, 0]],
    [script('echo "a; b" && sleep 1 && exit 7'), [1000, 7]],
    [script("false && sleep 100"), [0, 1]],
    [script("false || sleep 3"), [3000, 0]],
    [script("exit 1; sleep 9"), [0, 1]],
    [script("while true; do date; sleep 1; done"), undefined],
    [script("sleep 1; nginx"), undefined],
    [script("echo x | tee /tmp/y"), undefined],
    [script("echo x > /tmp/y 2>&1\nsleep 1"), [1000, 0]],
    [
      ["perl", "-Mbignum=bpi", "-wle", "print bpi(2000)"],
      [0, 0],
    ],
    [["tail", "-f", "/dev/null"], undefined],
  ])("%j", (command, expected) => {
    expect(run(command)).toEqual(expected);
  });

  it("lets init containers and Jobs end that say nothing, but not when they say that they do not", () => {
    const init = { labels: { "simulation.edgeplane.dev/role": "init" } };
    const job = { labels: { "simulation.edgeplane.dev/role": "container", "simulation.edgeplane.dev/job": "true" } };
    expect(run(["migrate"], init)).toEqual([50, 0]);
    expect(run(["migrate"], job)).toEqual([1000, 0]);
    expect(run(["sleep", "infinity"], init)).toBeUndefined();
    expect(run(script("while true; do sleep 1; done"), job)).toBeUndefined();
    expect(run(["proxy"], { labels: { "simulation.edgeplane.dev/role": "sidecar" } })).toBeUndefined();
  });

  it("follows annotations first", () => {
    const annotations = { "simulation.edgeplane.dev/exit-after": "2s", "simulation.edgeplane.dev/exit-code": "9" };
    expect(run(["nginx"], { annotations })).toEqual([2000, 9]);
  });
});

it("reads durations", () => {
  expect(["250ms", "1.5s", "1m30s", "7", "", "x", undefined].map(parseDuration)).toEqual([
    250,
    1500,
    90_000,
    7000,
    undefined,
    undefined,
    undefined,
  ]);
});
