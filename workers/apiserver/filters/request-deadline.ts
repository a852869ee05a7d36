import type { Filter } from "../request/context.ts";
import { newBadRequest, newTimeout } from "../../apimachinery/status-errors.ts";

const defaultTimeoutMilliseconds = 60_000;
const longRunningSubresources = new Set(["attach", "exec", "portforward", "proxy", "log"]);

/**
 * Bounds every request that is not long-running by `timeout` (a Go duration, at most one minute) or one minute.
 * Mirrors WithRequestDeadline and WithTimeoutForNonLongRunningRequests.
 */
export const requestDeadline: Filter = async (c, next) => {
  const info = c.get("info");
  const clock = c.env.clock;
  // In-process callers wait for as long as their Durable Object lives.
  if (c.env.loopbackUser !== undefined || info.verb === "watch" || longRunningSubresources.has(info.subresource)) {
    return next();
  }
  const text = c.req.query("timeout");
  let timeout = defaultTimeoutMilliseconds;
  if (text !== undefined && text !== "") {
    const parsed = parseDuration(text);
    if (parsed === undefined) {
      throw newBadRequest(`invalid timeout specified in the request URL - time: invalid duration "${text}"`);
    }
    if (parsed > 0) timeout = Math.min(parsed, defaultTimeoutMilliseconds);
  }
  let timer: unknown;
  const expired = new Promise<never>((_, reject) => {
    timer = clock.setTimeout(
      () => reject(newTimeout("request did not complete within the allotted timeout", 0)),
      timeout,
    );
  });
  try {
    await Promise.race([next(), expired]);
  } finally {
    clock.clearTimeout(timer);
  }
  return undefined;
};

const unitMilliseconds: Record<string, number> = { ns: 1e-6, us: 1e-3, µs: 1e-3, ms: 1, s: 1e3, m: 60e3, h: 3600e3 };

/** A Go duration such as `1m30s` in milliseconds. */
export function parseDuration(text: string): number | undefined {
  if (text === "0") return 0;
  if (!/^([0-9]*\.?[0-9]+(ns|us|µs|ms|s|m|h))+$/.test(text)) return undefined;
  let total = 0;
  for (const [, amount, unit] of text.matchAll(/([0-9]*\.?[0-9]+)(ns|us|µs|ms|s|m|h)/g)) {
    total += Number(amount) * unitMilliseconds[unit!]!;
  }
  return total;
}
