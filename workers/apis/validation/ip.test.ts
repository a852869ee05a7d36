import { expect, it } from "vitest";
import type { Causes } from "./checks.ts";
import { familyOfCidr, parseIp, validateNonSpecialIp } from "./ip.ts";

it.each(["10.0.0.1", "010.0.0.1", "::", "::1", "2001:db8::1", "1:2:3:4:5:6:7:8", "::ffff:10.0.0.1", "1::8"])(
  "%s is an address",
  (text) => {
    expect(parseIp(text)?.family).toBe(text.includes(":") ? 6 : 4);
  },
);

it.each([
  "",
  "10.0.0",
  "10.0.0.256",
  "1.2.3.4.5",
  ":",
  ":::",
  "1::2::3",
  "12345::",
  "1:2:3:4:5:6:7",
  "1:2:3:4:5:6:7:8:9",
  "::1.2.3",
  "a.b.c.d",
])("%s is none", (text) => {
  expect(parseIp(text)).toBeUndefined();
});

it("a CIDR has a prefix length of its family", () => {
  expect(familyOfCidr("10.0.0.0/8")).toBe(4);
  expect(familyOfCidr("10.0.0.0/33")).toBeUndefined();
  expect(familyOfCidr("2001:db8::/64")).toBe(6);
  expect(familyOfCidr("2001:db8::/129")).toBeUndefined();
  expect(familyOfCidr("10.0.0.0")).toBeUndefined();
  expect(familyOfCidr("10.0.0.0/-1")).toBeUndefined();
});

it.each([
  ["0.0.0.0", "may not be unspecified (0.0.0.0)"],
  ["::", "may not be unspecified (::)"],
  ["127.1.2.3", "may not be in the loopback range (127.0.0.0/8, ::1/128)"],
  ["::1", "may not be in the loopback range (127.0.0.0/8, ::1/128)"],
  ["::ffff:127.0.0.1", "may not be in the loopback range (127.0.0.0/8, ::1/128)"],
  ["fe80::1", "may not be in the link-local range (169.254.0.0/16, fe80::/10)"],
  ["224.0.0.1", "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)"],
  ["ff02::1", "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)"],
])("%s is special", (text, detail) => {
  const causes: Causes = [];
  validateNonSpecialIp(text, "ip", causes);
  expect(causes.map(({ message }) => message)).toEqual([`Invalid value: "${text}": ${detail}`]);
});

it("an ordinary address is not", () => {
  const causes: Causes = [];
  for (const text of ["10.0.0.1", "2001:db8::1", "::2"]) validateNonSpecialIp(text, "ip", causes);
  expect(causes).toEqual([]);
});
