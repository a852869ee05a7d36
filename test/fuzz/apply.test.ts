import { array, assert, boolean, constantFrom, oneof, property, record } from "fast-check";
import type { Arbitrary } from "fast-check";
import { expect, test } from "vitest";
import { FakeClock } from "../../workers/apimachinery/clock.ts";
import { apiVersionOf } from "../../workers/apimachinery/gvk.ts";
import type { KubeObject } from "../../workers/apimachinery/meta.ts";
import type { StatusError } from "../../workers/apimachinery/status-errors.ts";
import { catalog } from "../../workers/apis/catalog.ts";
import { decodeObject } from "../../workers/apis/codec/decode.ts";
import { applyDefaults } from "../../workers/apis/defaulting/defaulting.ts";
import type { ResourceInfo } from "../../workers/apis/resource-info.ts";
import { schemaTable } from "../../workers/apis/schema-table.ts";
import { readApplyBody } from "../../workers/registry/field-manager/apply-body.ts";
import { decodeManagedFields, encodeManagedFields } from "../../workers/registry/field-manager/managed-fields.ts";
import { fieldManagerFor } from "../../workers/registry/field-manager/resource-field-manager.ts";
import { merge } from "../../workers/apis/validation/testing/defaulted.ts";
import { validate } from "../../workers/apis/validation/validation.ts";
import { json, objectsOf, runs, seed, timeout } from "./arbitraries.ts";
import { attempt, expectSettled, throughJson } from "./attempt.ts";

const resources = (
  [
    ["apps", "v1", "deployments"],
    ["", "v1", "services"],
    ["", "v1", "configmaps"],
    ["", "v1", "pods"],
    ["networking.k8s.io", "v1", "ingresses"],
    ["autoscaling", "v1", "horizontalpodautoscalers"],
  ] as const
).map(([group, version, resource]) => catalog.find(group, version, resource)!);
const bases: Record<string, object> = {
  deployments: {
    spec: {
      replicas: 2,
      selector: { matchLabels: { app: "a" } },
      template: {
        metadata: { labels: { app: "a" } },
        spec: {
          containers: [{ name: "a", image: "b", ports: [{ containerPort: 1 }], resources: { limits: { cpu: "1e3" } } }],
        },
      },
    },
  },
  services: { spec: { ports: [{ port: 80 }, { port: 443, name: "tls" }], selector: { app: "a" } } },
  configmaps: {
    data: { a: "b" },
    metadata: { name: "x", namespace: "default", labels: { a: "b" }, finalizers: ["a.b/c", "d.e/f"] },
  },
  pods: {
    spec: {
      containers: [{ name: "a", image: "b", env: [{ name: "A" }, { name: "B", value: "c" }] }],
      tolerations: [{ key: "a" }],
    },
  },
  ingresses: {
    spec: {
      rules: [
        {
          host: "a.b",
          http: {
            paths: [{ path: "/", pathType: "Prefix", backend: { service: { name: "a", port: { number: 1 } } } }],
          },
        },
      ],
    },
  },
  horizontalpodautoscalers: { spec: { maxReplicas: 2, scaleTargetRef: { kind: "Deployment", name: "a" } } },
};

interface Step {
  apply: boolean;
  manager: string;
  force: boolean;
  change: Record<string, unknown>;
  /** The change is laid over a valid object, map by map. */
  withBase: boolean;
  subresource: string;
}

interface Session {
  resource: ResourceInfo;
  steps: Step[];
}

function sessionsOf(resource: ResourceInfo): Arbitrary<Session> {
  const struct = schemaTable.structOfKind(resource.group, resource.version, resource.kind)!;
  const step: Arbitrary<Step> = record({
    apply: oneof({ weight: 3, arbitrary: constantFrom(true) }, { weight: 1, arbitrary: constantFrom(false) }),
    manager: constantFrom("a", "b", "kubectl", "kube-controller-manager", ""),
    force: boolean(),
    change: oneof(
      { weight: 6, arbitrary: objectsOf(struct) },
      { weight: 1, arbitrary: json.map((value) => ({ metadata: value })) },
      { weight: 3, arbitrary: constantFrom({}) },
    ),
    withBase: constantFrom(true, true, false),
    subresource: constantFrom("", "", "", "status"),
  });
  return array(step, { minLength: 1, maxLength: 4 }).map((steps) => ({ resource, steps }));
}

function configurationOf({ resource }: Session, { change, withBase }: Step): string {
  const { group, version, kind } = resource;
  const metadata = { name: "x", namespace: "default" };
  const base = withBase ? { metadata, ...bases[resource.resource] } : { metadata };
  return JSON.stringify({
    ...merge(base, change),
    apiVersion: apiVersionOf({ group, version }),
    kind,
  });
}

/** Upstream answers these with 500: the configuration, or what it makes of the object, does not fit the kind. */
function isSchemaMismatch({ code, message }: StatusError["status"]): boolean {
  return (
    code === 500 &&
    /^failed to (create typed patch object|convert new typed object|decode managed fields)/.test(message ?? "")
  );
}

test(
  `${runs(0.5)} sessions of several managers: applied twice is applied once, and managedFields can be read (seed ${seed})`,
  { timeout },
  () => {
    let applied = 0;
    let refused = 0;
    let valid = 0;
    const clock = new FakeClock();
    const stepOf = (session: Session, step: Step, live: KubeObject | undefined): KubeObject | undefined => {
      const { resource } = session;
      const gvk = { group: resource.group, version: resource.version, kind: resource.kind };
      const manager = fieldManagerFor(resource, step.subresource, clock);
      const text = configurationOf(session, step);
      if (!step.apply) {
        return attempt(() => {
          const { object } = decodeObject(new TextEncoder().encode(text), "application/json", gvk, {
            fieldValidation: "Ignore",
          });
          applyDefaults(gvk, object);
          return manager.update(live, object, step.manager);
        });
      }
      const before = JSON.stringify(live);
      const result = attempt(() => {
        const { applied: configuration } = readApplyBody(text, "Strict");
        return manager.apply(live, configuration, step.manager, step.force);
      }, isSchemaMismatch);
      expect(JSON.stringify(live)).toBe(before);
      if (result === undefined) {
        refused++;
        return undefined;
      }
      applied++;
      const repeat = (object: KubeObject) =>
        throughJson(manager.apply(object, readApplyBody(text, "Strict").applied, step.manager, step.force));
      const first = throughJson(result);
      // What validation refuses is never stored: such as list entries whose keys are missing.
      if (validate(resource, first).length === 0) {
        valid++;
        expectSettled(first, repeat);
      }
      return result;
    };
    assert(
      property(oneof(...resources.map(sessionsOf)), (session) => {
        let live: KubeObject | undefined;
        for (const step of session.steps) {
          const result = stepOf(session, step, live);
          if (result === undefined) continue;
          const stored = throughJson(result);
          const entries = stored.metadata.managedFields;
          expect(throughJson(encodeManagedFields(decodeManagedFields(entries)) ?? null)).toEqual(entries ?? null);
          live = stored;
          live.metadata.uid ??= "3f0d1a0e-0000-4000-8000-000000000000";
        }
      }),
      { numRuns: runs(0.5), seed },
    );
    // Otherwise little would have been tested.
    expect(applied).toBeGreaterThan(refused / 4);
    expect(valid).toBeGreaterThan(applied / 10);
  },
);
