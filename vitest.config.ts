import { cloudflareTest } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    projects: [
      {
        // Plain logic: no Cloudflare import, runs in Node.
        test: {
          name: "unit",
          include: [
            "workers/**/*.test.ts",
            "scripts/**/*.test.ts",
            "test/fuzz/**/*.test.ts",
            "test/contracts/**/*.unit.test.ts",
          ],
          exclude: ["**/*.workerd.test.ts"],
          environment: "node",
        },
      },
      {
        // Durable Objects and whatever needs workerd.
        plugins: [cloudflareTest({ wrangler: { configPath: "./wrangler.toml" } })],
        test: {
          name: "workerd",
          include: [
            "durable-objects/**/*.test.ts",
            "workers/**/*.workerd.test.ts",
            "test/contracts/**/*.workerd.test.ts",
          ],
        },
      },
      {
        // Real clients against the launcher of `npm start`.
        test: {
          name: "e2e",
          include: ["test/integration/**/*.test.ts", "test/e2e/**/*.test.ts"],
          environment: "node",
          testTimeout: 120_000,
          hookTimeout: 120_000,
          // Each file runs a cluster of its own.
          maxWorkers: 2,
        },
      },
    ],
  },
});
