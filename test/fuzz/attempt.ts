import { expect } from "vitest";
import { StatusError } from "../../workers/apimachinery/status-errors.ts";

/** The result, or undefined when it was refused with a Status whose code is a client's fault or in `allowed`. */
export function attempt<T>(run: () => T, allowed: (status: StatusError["status"]) => boolean = () => false): T | undefined {
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
