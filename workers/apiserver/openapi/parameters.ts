/** Parameters of the operations: names, places and types, as k8s.io/apiserver pkg/endpoints/installer.go declares them. */
import type { Docs } from "./docs.ts";
import type { JsonObject } from "./schemas.ts";

const queryTypes: Record<string, string> = {
  allowWatchBookmarks: "boolean",
  continue: "string",
  dryRun: "string",
  fieldManager: "string",
  fieldSelector: "string",
  fieldValidation: "string",
  force: "boolean",
  gracePeriodSeconds: "integer",
  ignoreStoreReadErrorWithClusterBreakingPotential: "boolean",
  labelSelector: "string",
  limit: "integer",
  orphanDependents: "boolean",
  pretty: "string",
  propagationPolicy: "string",
  resourceVersion: "string",
  resourceVersionMatch: "string",
  sendInitialEvents: "boolean",
  timeoutSeconds: "integer",
  watch: "boolean",
  // pods/log
  container: "string",
  follow: "boolean",
  insecureSkipTLSVerifyBackend: "boolean",
  limitBytes: "integer",
  previous: "boolean",
  sinceSeconds: "integer",
  stream: "string",
  tailLines: "integer",
  timestamps: "boolean",
  // pods/exec, attach, portforward
  command: "string",
  stderr: "boolean",
  stdin: "boolean",
  stdout: "boolean",
  tty: "boolean",
  ports: "integer",
  path: "string",
};

export const writeParameters = ["dryRun", "fieldManager", "fieldValidation"];
export const listParameters = [
  "allowWatchBookmarks",
  "continue",
  "fieldSelector",
  "labelSelector",
  "limit",
  "resourceVersion",
  "resourceVersionMatch",
  "sendInitialEvents",
  "timeoutSeconds",
  "watch",
];
export const deleteParameters = [
  "dryRun",
  "gracePeriodSeconds",
  "ignoreStoreReadErrorWithClusterBreakingPotential",
  "orphanDependents",
  "propagationPolicy",
];
export const deleteCollectionParameters = [
  "continue",
  "dryRun",
  "fieldSelector",
  "gracePeriodSeconds",
  "ignoreStoreReadErrorWithClusterBreakingPotential",
  "labelSelector",
  "limit",
  "orphanDependents",
  "propagationPolicy",
  "resourceVersion",
  "resourceVersionMatch",
  "sendInitialEvents",
  "timeoutSeconds",
];

/** Query parameters of the subresources that take options of their own. */
export const connectParameters: Record<string, string[]> = {
  log: [
    "container",
    "follow",
    "insecureSkipTLSVerifyBackend",
    "limitBytes",
    "previous",
    "sinceSeconds",
    "stream",
    "tailLines",
    "timestamps",
  ],
  exec: ["command", "container", "stderr", "stdin", "stdout", "tty"],
  attach: ["container", "stderr", "stdin", "stdout", "tty"],
  portforward: ["ports"],
  proxy: ["path"],
};

export function queryParameters(names: readonly string[], docs: Docs): JsonObject[] {
  return names.map((name) => ({
    name,
    in: "query",
    ...(docs.parameter(name) === "" ? {} : { description: docs.parameter(name) }),
    schema: { type: queryTypes[name] ?? "string", uniqueItems: true },
  }));
}

export function pathParameter(name: string, description: string): JsonObject {
  return {
    name,
    in: "path",
    ...(description && { description }),
    required: true,
    schema: { type: "string", uniqueItems: true },
  };
}
