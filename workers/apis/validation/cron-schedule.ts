/**
 * What is wrong with a cron schedule, or undefined. Five fields, names of months and days, `@daily` and the like. Texts
 * as ParseStandard of github.com/robfig/cron/v3, which upstream calls.
 */
export function cronScheduleProblem(schedule: string): string | undefined {
  try {
    parse(schedule);
    return undefined;
  } catch (error) {
    if (error instanceof ScheduleProblem) return error.message;
    throw error;
  }
}

class ScheduleProblem extends Error {}

interface Bounds {
  min: number;
  max: number;
  names?: readonly string[];
}

const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const days = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
const fields: readonly Bounds[] = [
  { min: 0, max: 59 },
  { min: 0, max: 23 },
  { min: 1, max: 31 },
  { min: 1, max: 12, names: months },
  { min: 0, max: 6, names: days },
];
const descriptors = new Set(["@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly"]);

function parse(text: string): void {
  if (text === "") throw new ScheduleProblem("empty spec string");
  let schedule = text;
  if (schedule.startsWith("TZ=") || schedule.startsWith("CRON_TZ=")) {
    const space = schedule.indexOf(" ");
    const zone = schedule.slice(schedule.indexOf("=") + 1, space < 0 ? undefined : space);
    if (!isTimeZone(zone)) throw new ScheduleProblem(`provided bad location ${zone}: unknown time zone ${zone}`);
    schedule = space < 0 ? "" : schedule.slice(space).trim();
  }
  if (schedule.startsWith("@")) return parseDescriptor(schedule);
  const parts = schedule.split(/\s+/).filter((part) => part !== "");
  if (parts.length !== fields.length) {
    throw new ScheduleProblem(`expected exactly 5 fields, found ${parts.length}: [${parts.join(" ")}]`);
  }
  for (const [index, part] of parts.entries()) {
    for (const expression of part.split(",").filter((piece) => piece !== "")) parseRange(expression, fields[index]!);
  }
}

function parseDescriptor(text: string): void {
  if (descriptors.has(text)) return;
  if (!text.startsWith("@every ")) throw new ScheduleProblem(`unrecognized descriptor: ${text}`);
  const duration = text.slice("@every ".length);
  if (duration === "0" || /^[+-]?(\d+(\.\d*)?(ns|us|µs|ms|s|m|h))+$/.test(duration)) return;
  throw new ScheduleProblem(`failed to parse duration ${text}: time: invalid duration ${JSON.stringify(duration)}`);
}

function parseRange(expression: string, bounds: Bounds): void {
  const rangeAndStep = expression.split("/");
  const ends = rangeAndStep[0]!.split("-");
  let start = bounds.min;
  let end = bounds.max;
  if (ends[0] !== "*" && ends[0] !== "?") {
    start = intOrName(ends[0]!, bounds);
    if (ends.length > 2) throw new ScheduleProblem(`too many hyphens: ${expression}`);
    end = ends.length === 1 ? start : intOrName(ends[1]!, bounds);
  }
  let step = 1;
  if (rangeAndStep.length > 2) throw new ScheduleProblem(`too many slashes: ${expression}`);
  if (rangeAndStep.length === 2) {
    step = parseInteger(rangeAndStep[1]!);
    if (ends.length === 1) end = bounds.max;
  }
  if (start < bounds.min) {
    throw new ScheduleProblem(`beginning of range (${start}) below minimum (${bounds.min}): ${expression}`);
  }
  if (end > bounds.max) throw new ScheduleProblem(`end of range (${end}) above maximum (${bounds.max}): ${expression}`);
  if (start > end)
    throw new ScheduleProblem(`beginning of range (${start}) beyond end of range (${end}): ${expression}`);
  if (step === 0) throw new ScheduleProblem(`step of range should be a positive number: ${expression}`);
}

function intOrName(text: string, bounds: Bounds): number {
  const index = bounds.names?.indexOf(text.toLowerCase()) ?? -1;
  return index >= 0 ? index + bounds.min : parseInteger(text);
}

function parseInteger(text: string): number {
  if (!/^[+-]?\d+$/.test(text)) {
    throw new ScheduleProblem(
      `failed to parse int from ${text}: strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`,
    );
  }
  const number = Number(text);
  if (number < 0) throw new ScheduleProblem(`negative number (${number}) not allowed: ${text}`);
  return number;
}

export function isTimeZone(name: string): boolean {
  if (name === "" || name === "UTC" || name === "Local") return true;
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}
