import { expect, it } from "vitest";
import { cronScheduleProblem } from "./cron-schedule.ts";

it.each([
  "* * * * *",
  "*/15 0-6,22 1 jan-mar MON",
  "0 0 ? * 0",
  "@hourly",
  "@every 1h30m",
  "5/10 * * * *",
  "CRON_TZ=Asia/Tokyo 0 5 * * *",
])("%s is a schedule", (schedule) => {
  expect(cronScheduleProblem(schedule)).toBeUndefined();
});

it.each([
  ["", "empty spec string"],
  ["* * * * * *", "expected exactly 5 fields, found 6: [* * * * * *]"],
  ["1-2-3 * * * *", "too many hyphens: 1-2-3"],
  ["1/2/3 * * * *", "too many slashes: 1/2/3"],
  ["*/0 * * * *", "step of range should be a positive number: */0"],
  ["* * 0 * *", "beginning of range (0) below minimum (1): 0"],
  ["* 9-5 * * *", "beginning of range (9) beyond end of range (5): 9-5"],
  ["* * * * 7", "end of range (7) above maximum (6): 7"],
  ["* * * foo *", 'failed to parse int from foo: strconv.Atoi: parsing "foo": invalid syntax'],
  ["-5 * * * *", 'failed to parse int from : strconv.Atoi: parsing "": invalid syntax'],
  ["@often", "unrecognized descriptor: @often"],
  ["TZ=Mars/Olympus * * * * *", "provided bad location Mars/Olympus: unknown time zone Mars/Olympus"],
])("%s is none", (schedule, problem) => {
  expect(cronScheduleProblem(schedule)).toBe(problem);
});
