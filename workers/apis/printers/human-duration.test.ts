import { expect, test } from "vitest";
import { humanDuration } from "./human-duration.ts";

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
const year = 365 * day;

test.each([
  [-2 * second, "<invalid>"],
  [-1.999 * second, "0s"],
  [0, "0s"],
  [999, "0s"],
  [119.999 * second, "119s"],
  [2 * minute, "2m"],
  [2 * minute + second, "2m1s"],
  [10 * minute - 1, "9m59s"],
  [10 * minute + 59 * second, "10m"],
  [3 * hour - 1, "179m"],
  [3 * hour, "3h"],
  [3 * hour + minute, "3h1m"],
  [8 * hour - 1, "7h59m"],
  [8 * hour + 59 * minute, "8h"],
  [2 * day - 1, "47h"],
  [2 * day, "2d"],
  [2 * day + hour, "2d1h"],
  [8 * day - 1, "7d23h"],
  [8 * day + 23 * hour, "8d"],
  [2 * year - 1, "729d"],
  [2 * year, "2y"],
  [2 * year + day, "2y1d"],
  [8 * year - 1, "7y364d"],
  [8 * year + 364 * day, "8y"],
])("%d ms is %s", (milliseconds, text) => {
  expect(humanDuration(milliseconds)).toBe(text);
});
