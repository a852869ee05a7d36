import { expect, test } from "vitest";
import { deviceEnvironment, deviceValue } from "./device-environment.ts";
import { compile } from "./environment.ts";

const device = deviceValue({
  driver: "gpu.example.com",
  attributes: { model: { string: "a100" }, "other.example.com/cores": { int: 8 }, firmware: { version: "1.10.0" } },
  capacity: { memory: { value: "40Gi" } },
});

test.each([
  ["device.driver == 'gpu.example.com' && device.attributes['gpu.example.com'].model == 'a100'", true],
  ["device.attributes['other.example.com'].cores > 4 && !device.allowMultipleAllocations", true],
  ["device.attributes['gpu.example.com'].firmware.isGreaterThan(semver('1.9.0'))", true],
  ["device.capacity['gpu.example.com'].memory.compareTo(quantity('40960Mi')) == 0", true],
  ["cel.bind(a, device.attributes['gpu.example.com'], 'model' in a && !has(a.cores))", true],
  ["'x' in device.attributes['nowhere.example.com']", false],
  ["device.attributes['nowhere.example.com'].x == 1", "no such key: x"],
])("%s", (source, expected) => {
  const { program, error } = compile(source, deviceEnvironment);
  expect(error).toBeUndefined();
  const outcome = program?.evaluate({ device });
  expect(outcome?.error ?? outcome?.value).toBe(expected);
});
