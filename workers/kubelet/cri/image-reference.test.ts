import { expect, it } from "vitest";
import { normalizedImageName } from "./image-reference.ts";

const digest = `sha256:${"ab".repeat(32)}`;

it.each([
  ["nginx", "docker.io/library/nginx:latest"],
  ["nginx:1.27", "docker.io/library/nginx:1.27"],
  ["bitnami/redis", "docker.io/bitnami/redis:latest"],
  ["registry.k8s.io/pause:3.10", "registry.k8s.io/pause:3.10"],
  ["localhost:5000/app", "localhost:5000/app:latest"],
  ["localhost/app", "localhost/app:latest"],
  ["ghcr.io/a/b/c__d.e-f:v1", "ghcr.io/a/b/c__d.e-f:v1"],
  [`nginx:1.27@${digest}`, `docker.io/library/nginx@${digest}`],
])("%s is %s", (image, expected) => {
  expect(normalizedImageName(image)).toBe(expected);
});

it.each([
  ["Nginx", "invalid reference format: repository name (library/Nginx) must be lowercase"],
  ["", "invalid reference format"],
  [":tag", "invalid reference format"],
  ["nginx:", "invalid reference format"],
  ["a//b", "invalid reference format"],
  ["nginx@sha256:12", "invalid reference format"],
  ["two words", "invalid reference format"],
])("%j is no reference", (image, message) => {
  expect(() => normalizedImageName(image)).toThrow(message);
});
