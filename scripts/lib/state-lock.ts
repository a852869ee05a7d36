import { readFileSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import type { Layout } from "./layout.ts";

/**
 * Two runtimes over one state would overwrite each other's rows. Whoever serves a state holds a lock of the operating
 * system on `<root>/lock` (SQLite's, exclusive), which ends with the process, however that ends.
 * Throws when another process holds it. Returns what gives it back.
 */
export function lockState(layout: Layout): () => void {
  const database = new DatabaseSync(layout.lock);
  try {
    database.exec("PRAGMA busy_timeout = 0; BEGIN EXCLUSIVE");
  } catch (error) {
    database.close();
    throw new Error(
      `${layout.root} is in use by another Edgeplane${processOf(layout)}: stop it, or take another directory with --state DIR.`,
      { cause: error },
    );
  }
  writeFileSync(`${layout.lock}.pid`, String(process.pid));
  return () => database.close();
}

function processOf(layout: Layout): string {
  try {
    return ` (process ${readFileSync(`${layout.lock}.pid`, "utf8")})`;
  } catch {
    return "";
  }
}
