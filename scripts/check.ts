import { spawnSync } from "node:child_process";
import { projectRoot } from "./lib/layout.ts";

const steps: [string, string[]][] = [
  ["format", ["oxfmt", "--check"]],
  ["lint (with import direction)", ["oxlint", "--type-aware"]],
  ["types", ["tsc", "--noEmit", "-p", "."]],
  ["dead code", ["knip"]],
];

let failed = 0;
for (const [name, [command, ...args]] of steps) {
  console.log(`\n== ${name}: ${command} ${args.join(" ")}`);
  const result = spawnSync(command!, args, { cwd: projectRoot, stdio: "inherit" });
  if (result.status !== 0) failed++;
}
console.log(failed === 0 ? "\nAll checks passed." : `\n${failed} of ${steps.length} checks failed.`);
process.exit(failed === 0 ? 0 : 1);
