import { UnmarshalError } from "./unmarshal-error.ts";

const rfc3339 = "2006-01-02T15:04:05Z07:00";
const rfc3339Micro = "2006-01-02T15:04:05.000000Z07:00";
const canonical = /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|1\d|2[0-8])T([01]\d|2[0-3]):[0-5]\d:[0-5]\dZ$/;

interface GoTime {
  seconds: number;
  nanoseconds: number;
}

/** metav1.Time as upstream writes it again: UTC, whole seconds. */
export function normalizeTime(text: string): string {
  if (canonical.test(text)) return text;
  return formatSeconds(parseGoTime(text, rfc3339).seconds);
}

/** metav1.MicroTime: UTC with six digits, which are also required on input. */
export function normalizeMicroTime(text: string): string {
  const { seconds, nanoseconds } = parseGoTime(text, rfc3339Micro);
  return formatMicros(seconds, nanoseconds);
}

export function formatSeconds(seconds: number): string {
  const text = new Date(seconds * 1000).toISOString();
  return `${text.slice(0, text.indexOf("."))}Z`;
}

export function formatMicros(seconds: number, nanoseconds: number): string {
  const micros = String(Math.floor(nanoseconds / 1000)).padStart(6, "0");
  return formatSeconds(seconds).replace("Z", `.${micros}Z`);
}

/** Seconds and nanoseconds of a time in either canonical form. */
export function parseTime(text: string): GoTime {
  return parseGoTime(text, rfc3339);
}

/** Go's time.Parse for the two layouts, with its errors. A fraction is accepted even where the layout has none. */
function parseGoTime(text: string, layout: string): GoTime {
  let rest = text;
  const refuse = (element: string): never => {
    throw new UnmarshalError(
      `parsing time ${JSON.stringify(text)} as "${layout}": cannot parse ${JSON.stringify(rest)} as "${element}"`,
    );
  };
  const outOfRange = (what: string): never => {
    throw new UnmarshalError(`parsing time ${JSON.stringify(text)}: ${what} out of range`);
  };
  const number = (width: number, element: string): number => {
    if (!/^\d+$/.test(rest.slice(0, width)) || rest.length < width) refuse(element);
    const value = Number(rest.slice(0, width));
    rest = rest.slice(width);
    return value;
  };
  const literal = (character: string): void => {
    if (!rest.startsWith(character)) refuse(character);
    rest = rest.slice(character.length);
  };
  const year = number(4, "2006");
  literal("-");
  const month = number(2, "01");
  if (month < 1 || month > 12) outOfRange("month");
  literal("-");
  const day = number(2, "02");
  literal("T");
  const hour = number(2, "15");
  if (hour > 23) outOfRange("hour");
  literal(":");
  const minute = number(2, "04");
  if (minute > 59) outOfRange("minute");
  literal(":");
  const second = number(2, "05");
  if (second > 59) outOfRange("second");
  let nanoseconds = 0;
  const fraction = /^[.,](\d+)/.exec(rest);
  if (layout === rfc3339Micro && (fraction === null || !/^\.\d{6}(?!\d)/.test(rest))) refuse(".000000");
  if (fraction !== null) {
    nanoseconds = Number(fraction[1]!.slice(0, 9).padEnd(9, "0"));
    rest = rest.slice(fraction[0].length);
  }
  const zone = /^(?:Z|([+-])(\d\d):(\d\d))/.exec(rest);
  if (zone === null) return refuse("Z07:00");
  rest = rest.slice(zone[0].length);
  if (rest !== "")
    throw new UnmarshalError(`parsing time ${JSON.stringify(text)}: extra text: ${JSON.stringify(rest)}`);
  if (day < 1 || day > daysIn(year, month)) outOfRange("day");
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  date.setUTCHours(hour, minute, second);
  const offset = zone[1] === undefined ? 0 : (Number(zone[2]) * 60 + Number(zone[3])) * (zone[1] === "+" ? 60 : -60);
  return { seconds: date.getTime() / 1000 - offset, nanoseconds };
}

function daysIn(year: number, month: number): number {
  if (month !== 2) return [4, 6, 9, 11].includes(month) ? 30 : 31;
  return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
}
