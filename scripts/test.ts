import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildWorker } from "./lib/build-worker.ts";
import { layoutOf, projectRoot } from "./lib/layout.ts";

// The end-to-end tests start the built Worker several times; it is bundled once here.
await buildWorker(layoutOf(undefined).build);

const directory = mkdtempSync(join(tmpdir(), "edgeplane-test-"));
const report = join(directory, "report.json");
const result = spawnSync(
  "vitest",
  ["run", "--reporter=default", "--reporter=json", `--outputFile=${report}`, ...process.argv.slice(2)],
  {
    cwd: projectRoot,
    stdio: "inherit",
  },
);
let summary = "0 passed, 1 failed";
let failed = true;
try {
  const { numPassedTests, numFailedTests, numFailedTestSuites, success } = JSON.parse(readFileSync(report, "utf8")) as {
    numPassedTests: number;
    numFailedTests: number;
    numFailedTestSuites: number;
    success: boolean;
  };
  failed = !success || result.status !== 0;
  // A file that could not even be read counts as a failure.
  summary = `${numPassedTests} passed, ${failed ? Math.max(numFailedTests, numFailedTestSuites, 1) : 0} failed`;
} catch (error) {
  console.error(`no test report: ${(error as Error).message}`);
} finally {
  rmSync(directory, { recursive: true, force: true });
}
console.log(summary);
process.exit(failed ? 1 : 0);
