import { getConformanceSuite } from "@bufbuild/cel-spec/testdata/tests.js";
import type { IncrementalTestSuite } from "@bufbuild/cel-spec/testdata/tests.js";
import { expect, test } from "vitest";
import accepted from "./conformance-accepted.json" with { type: "json" };
import { runCase } from "./testing/conformance-case.ts";

/** The groups that conformance-accepted.json names may fail as many cases as it says, for the reason it gives. */
test("the CEL conformance cases", () => {
  const failed = new Map<string, string[]>();
  let total = 0;
  let passed = 0;
  const visit = (suite: IncrementalTestSuite, path: string): void => {
    for (const one of suite.tests) {
      total++;
      const problem = runCase(one.original);
      if (problem === undefined) passed++;
      else failed.set(path, [...(failed.get(path) ?? []), `${one.name}: ${one.original.expr} → ${problem}`]);
    }
    for (const below of suite.suites) visit(below, path === "" ? below.name : `${path}/${below.name}`);
  };
  visit(getConformanceSuite(), "");
  console.log(`CEL conformance: ${passed} of ${total} cases pass`);
  const allowed: Record<string, number> = Object.assign({}, ...accepted.groups.map((group) => group.failures));
  const unexpected = [...failed].filter(([path, cases]) => cases.length > (allowed[path] ?? 0));
  expect(Object.fromEntries(unexpected)).toEqual({});
  expect(passed).toBeGreaterThanOrEqual(accepted.passed);
});
