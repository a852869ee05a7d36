import { expect, test } from "vitest";
import { parseStartArguments } from "./arguments.ts";

test("defaults of npm start", () => {
  expect(parseStartArguments([])).toEqual({
    port: 6443,
    nodes: undefined,
    state: undefined,
    ephemeral: false,
    cluster: "default",
  });
});

test("all options of npm start", () => {
  const args = ["--port", "0", "--nodes", "0", "--state", "dir", "--ephemeral", "--cluster", "pr-42"];
  expect(parseStartArguments(args)).toEqual({ port: 0, nodes: 0, state: "dir", ephemeral: true, cluster: "pr-42" });
});

test.each([
  [["--port", ""], "--port: not a port: "],
  [["--port", "65536"], "--port: not a port: 65536"],
  [["--port", "1e3"], "--port: not a port: 1e3"],
  [["--nodes", ""], "--nodes: not a number up to 5000: "],
  [["--nodes", "5001"], "--nodes: not a number up to 5000: 5001"],
  [["--nodes=-1"], "--nodes: not a number up to 5000: -1"],
  [["--cluster", "A_b"], "--cluster: not a DNS label: A_b"],
  [["--state", ""], "--state: not a directory"],
  [["--bogus"], "Unknown option '--bogus'"],
  [["extra"], "Unexpected argument 'extra'"],
])("%j is refused with the usage", (args, message) => {
  expect(() => parseStartArguments(args)).toThrow(message);
  expect(() => parseStartArguments(args)).toThrow("Usage: npm start -- [options]");
});
