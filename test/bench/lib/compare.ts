import { load } from "./load.ts";
import type { LoadResult } from "./load.ts";
import type { Bench, Figure } from "./row.ts";
import type { ServerProcess } from "./server-process.ts";
import { summary } from "./stats.ts";
import type { Summary } from "./stats.ts";

export interface Side {
  server: ServerProcess;
  /** The text of the next request. */
  next(): string;
}

/** Requests per second of both sides in turn, `rounds` times after a warm-up; the ratio is the median of the rounds' ratios. */
export async function compareRates(
  bench: Bench,
  what: string,
  baseline: Side,
  product: Side,
  target?: number,
): Promise<Figure> {
  const warmUp = Math.min(2, bench.seconds);
  await load(baseline.server, baseline.next, { seconds: warmUp });
  await load(product.server, product.next, { seconds: warmUp });
  const bare: LoadResult[] = [];
  const ours: LoadResult[] = [];
  for (let count = 0; count < bench.rounds; count++) {
    const round = bench.profiling
      ? await oneAfterTheOther(bench, baseline, product)
      : await inTurn(baseline, product, bench.seconds);
    bare.push(round.bare);
    ours.push(round.ours);
    bench.log(
      `${what}: ${ours.at(-1)!.perSecond.toFixed(0)}/s, bare ${bare.at(-1)!.perSecond.toFixed(0)}/s; p99 ${ours.at(-1)!.p99.toFixed(1)} ms, generator ${ours.at(-1)!.generator.toFixed(2)} cores`,
    );
  }
  const ratio = summary(ours.map((result, round) => result.perSecond / bare[round]!.perSecond));
  return {
    what,
    unit: "/s",
    value: summary(ours.map(({ perSecond }) => perSecond)),
    baseline: summary(bare.map(({ perSecond }) => perSecond)),
    ratio,
    cpuMicros: summaryOf(ours.map((result) => result.cpuMicros)),
    baselineCpuMicros: summaryOf(bare.map((result) => result.cpuMicros)),
    ...(target === undefined ? {} : { target: { text: `ratio ≥ ${target}`, met: ratio.median >= target } }),
    details: { product: ours, baseline: bare },
  };
}

/** Slices of about a second, so that whatever else the machine does meets both sides. */
async function inTurn(baseline: Side, product: Side, seconds: number): Promise<{ bare: LoadResult; ours: LoadResult }> {
  const slices = Math.max(1, Math.round(seconds));
  const bare: LoadResult[] = [];
  const ours: LoadResult[] = [];
  for (let slice = 0; slice < slices; slice++) {
    bare.push(await load(baseline.server, baseline.next, { seconds: seconds / slices }));
    ours.push(await load(product.server, product.next, { seconds: seconds / slices }));
  }
  return { bare: joined(bare), ours: joined(ours) };
}

/** A profile that has no gaps. */
async function oneAfterTheOther(
  bench: Bench,
  baseline: Side,
  product: Side,
): Promise<{ bare: LoadResult; ours: LoadResult }> {
  const ours = await bench.measured(product.server, () =>
    load(product.server, product.next, { seconds: bench.seconds }),
  );
  return { bare: await load(baseline.server, baseline.next, { seconds: bench.seconds }), ours };
}

/** Percentiles of the whole are the medians of those of the slices. */
function joined(slices: LoadResult[]): LoadResult {
  const sum = (of: (slice: LoadResult) => number) => slices.reduce((total, slice) => total + of(slice), 0);
  const requests = sum((slice) => slice.requests);
  const seconds = sum((slice) => slice.seconds);
  const cpu = slices.every((slice) => slice.cpuMicros !== undefined)
    ? sum((slice) => slice.cpuMicros! * slice.requests) / requests
    : undefined;
  return {
    perSecond: requests / seconds,
    requests,
    seconds,
    p50: summary(slices.map((slice) => slice.p50)).median,
    p99: summary(slices.map((slice) => slice.p99)).median,
    cpuMicros: cpu,
    generator: summary(slices.map((slice) => slice.generator)).median,
  };
}

/** undefined when one is missing. */
export function summaryOf(values: readonly (number | undefined)[]): Summary | undefined {
  return values.length > 0 && values.every((value) => value !== undefined) ? summary(values) : undefined;
}
