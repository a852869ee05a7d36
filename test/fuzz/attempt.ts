import { expect } from "vitest";
import type { KubeObject } from "../../workers/apimachinery/meta.ts";
import { StatusError } from "../../workers/apimachinery/status-errors.ts";

/** The result, or undefined when it was refused with a Status whose code is a client's fault or in `allowed`. */
export function attempt<T>(
  run: () => T,
  allowed: (status: StatusError["status"]) => boolean = () => false,
): T | undefined {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    const { status } = error;
    expect(status.code).toBeGreaterThanOrEqual(400);
    if (!allowed(status)) expect(status.code, status.message).toBeLessThan(500);
    return undefined;
  }
}

/** What JSON keeps of a value. */
export function throughJson<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

/** `repeat` applies what made the object once more, and must change nothing. */
export function expectSettled(object: KubeObject, repeat: (live: KubeObject) => KubeObject): void {
  // An object that nobody manages, as after a configuration of nothing, gets an owner with the next apply.
  const managed = object.metadata.managedFields === undefined ? repeat(object) : object;
  expect(withoutEmptyMaps(repeat(managed))).toEqual(withoutEmptyMaps(managed));
}

/** Upstream drops a map whose last entry an apply takes away, even where the configuration has it empty; the next apply makes it again. */
function withoutEmptyMaps({ metadata: { managedFields, ...metadata }, ...object }: KubeObject): unknown {
  const filled = (value: unknown): unknown => {
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) return value.map(filled);
    const entries = Object.entries(value).map(([name, entry]) => [name, filled(entry)] as const);
    const kept = entries.filter(([, entry]) => entry !== undefined);
    return kept.length === 0 ? undefined : Object.fromEntries(kept);
  };
  return { managedFields, object: filled({ ...object, metadata }) };
}
