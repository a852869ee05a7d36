import { defineConfig } from "drizzle-kit";

// oxlint-disable-next-line import/no-default-export -- drizzle-kit reads the default export
export default defineConfig({
  dialect: "sqlite",
  driver: "durable-sqlite",
  schema: "./durable-objects/resource-shard/schema.ts",
  out: "./migrations/resource-shard",
});
