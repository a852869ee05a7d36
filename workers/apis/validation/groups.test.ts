import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../apimachinery/meta.ts";
import { catalog } from "../catalog.ts";
import { applyDefaults } from "../defaulting/defaulting.ts";
import { seededRandom } from "../../../test/support/random.ts";
import { validate, validateSubresourceUpdate, validateUpdate } from "./validation.ts";

/** Texts are those of kube-apiserver 1.36. A case is a change to an object that is good, and what is said of it. */
interface Kind {
  group: string;
  resource: string;
  good: Record<string, any>;
  bad: [change: Record<string, any>, messages: string[]][];
  updates?: [change: Record<string, any>, messages: string[]][];
}

const metadata = { name: "a", namespace: "default" };
const rules = [{ verbs: ["get"], apiGroups: [""], resources: ["pods"] }];
const webhook = {
  name: "hook.example.com",
  sideEffects: "None",
  admissionReviewVersions: ["v1"],
  clientConfig: { service: { name: "s", namespace: "n", path: "/validate" } },
  rules: [{ operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["pods"] }],
};
const match = {
  resourceRules: [{ operations: ["CREATE"], apiGroups: ["apps"], apiVersions: ["v1"], resources: ["deployments"] }],
};
const backend = { service: { name: "s", port: { number: 80 } } };
const limited = { limitResponse: { type: "Queue", queuing: {} } };
const device = (more: object = {}) => ({ name: "gpu", attributes: { model: { string: "x" } }, ...more });

const kinds: Kind[] = [
  {
    group: "networking.k8s.io",
    resource: "ingresses",
    good: {
      spec: { rules: [{ host: "a.example.com", http: { paths: [{ path: "/", pathType: "Prefix", backend }] } }] },
    },
    bad: [
      [{ spec: {} }, ["spec: Invalid value: []: either `defaultBackend` or `rules` must be specified"]],
      [
        { spec: { rules: [{ host: "1.2.3.4", http: { paths: [] } }] } },
        [
          'spec.rules[0].host: Invalid value: "1.2.3.4": must be a DNS name, not an IP address',
          "spec.rules[0].http.paths: Required value",
        ],
      ],
      [
        { spec: { rules: [{ http: { paths: [{ path: "a//b", pathType: "Exact", backend }] } }] } },
        [
          'spec.rules[0].http.paths[0].path: Invalid value: "a//b": must be an absolute path',
          `spec.rules[0].http.paths[0].path: Invalid value: "a//b": must not contain '//'`,
        ],
      ],
      [
        { spec: { defaultBackend: { service: { name: "s", port: {} } } } },
        ["spec.defaultBackend: Required value: port name or number is required"],
      ],
      [
        { spec: { defaultBackend: {} } },
        ['spec.defaultBackend: Invalid value: "": resource or service backend is required'],
      ],
    ],
  },
  {
    group: "networking.k8s.io",
    resource: "ingressclasses",
    good: { spec: { controller: "example.com/ingress" } },
    bad: [
      [{ spec: {} }, ["spec.controller: Required value"]],
      [
        { spec: { controller: "ingress" } },
        ['spec.controller: Invalid value: "ingress": must be a domain-prefixed path (such as "acme.io/foo")'],
      ],
      [
        { spec: { controller: "a.b/c", parameters: { kind: "K", name: "n", scope: "Namespace" } } },
        ["spec.parameters.namespace: Required value: `parameters.scope` is set to 'Namespace'"],
      ],
    ],
    updates: [
      [
        { spec: { controller: "example.com/other" } },
        ['spec.controller: Invalid value: "example.com/other": field is immutable'],
      ],
    ],
  },
  {
    group: "networking.k8s.io",
    resource: "networkpolicies",
    good: { spec: { podSelector: {}, ingress: [{ from: [{ podSelector: {} }], ports: [{ port: 80 }] }] } },
    bad: [
      [
        { spec: { podSelector: {}, ingress: [{ from: [{}] }] } },
        ["spec.ingress[0].from[0]: Required value: must specify a peer"],
      ],
      [
        {
          spec: { podSelector: {}, egress: [{ to: [{ ipBlock: { cidr: "10.0.0.0/24", except: ["10.0.1.0/28"] } }] }] },
        },
        ['spec.egress[0].to[0].ipBlock.except[0]: Invalid value: "10.0.1.0/28": must be a strict subset of `cidr`'],
      ],
      [
        { spec: { podSelector: {}, ingress: [{ ports: [{ port: 80, endPort: 70 }] }] } },
        ["spec.ingress[0].ports[0].endPort: Invalid value: 70: must be greater than or equal to `port`"],
      ],
    ],
  },
  {
    group: "networking.k8s.io",
    resource: "servicecidrs",
    good: { spec: { cidrs: ["10.0.0.0/24"] } },
    bad: [
      [{ spec: { cidrs: [] } }, ["spec.cidrs: Required value: at least one CIDR required"]],
      [
        { spec: { cidrs: ["10.0.0.0/24", "10.1.0.0/24"] } },
        [
          'spec.cidrs: Invalid value: ["10.0.0.0/24","10.1.0.0/24"]: may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64',
        ],
      ],
    ],
    updates: [
      [{ spec: { cidrs: ["10.0.0.0/24", "fd00::/112"] } }, []],
      [{ spec: { cidrs: ["10.9.0.0/24"] } }, ['spec.cidrs[0]: Invalid value: "10.9.0.0/24": field is immutable']],
    ],
  },
  {
    group: "discovery.k8s.io",
    resource: "endpointslices",
    good: {
      addressType: "IPv4",
      endpoints: [{ addresses: ["10.0.0.1"] }],
      ports: [{ name: "a", port: 80, protocol: "TCP" }],
    },
    bad: [
      [{ addressType: "IP" }, ['addressType: Unsupported value: "IP": supported values: "FQDN", "IPv4", "IPv6"']],
      [{ endpoints: [{ addresses: [] }] }, ["endpoints[0].addresses: Required value: must contain at least 1 address"]],
      [
        { endpoints: [{ addresses: ["127.0.0.1"] }] },
        [
          'endpoints[0].addresses[0]: Invalid value: "127.0.0.1": may not be in the loopback range (127.0.0.0/8, ::1/128)',
        ],
      ],
      [
        {
          ports: [
            { name: "a", port: 1, protocol: "TCP" },
            { name: "a", port: 2, protocol: "TCP" },
          ],
        },
        ['ports[1].name: Duplicate value: "a"'],
      ],
    ],
    updates: [[{ addressType: "FQDN", endpoints: [] }, ['addressType: Invalid value: "FQDN": field is immutable']]],
  },
  {
    group: "rbac.authorization.k8s.io",
    resource: "roles",
    good: { rules },
    bad: [
      [
        { rules: [{ verbs: [], apiGroups: [""], resources: ["pods"] }] },
        ["rules[0].verbs: Required value: verbs must contain at least one value"],
      ],
      [
        { rules: [{ verbs: ["get"], nonResourceURLs: ["/x"] }] },
        ['rules[0].nonResourceURLs: Invalid value: ["/x"]: namespaced rules cannot apply to non-resource URLs'],
      ],
    ],
  },
  {
    group: "rbac.authorization.k8s.io",
    resource: "clusterrolebindings",
    good: { roleRef: { kind: "ClusterRole", name: "r" }, subjects: [{ kind: "User", name: "u" }] },
    bad: [
      [
        { roleRef: { kind: "Role", name: "r" } },
        ['roleRef.kind: Unsupported value: "Role": supported values: "ClusterRole"'],
      ],
      [{ subjects: [{ kind: "ServiceAccount", name: "s" }] }, ["subjects[0].namespace: Required value"]],
      [
        { subjects: [{ kind: "Robot", name: "s" }] },
        ['subjects[0].kind: Unsupported value: "Robot": supported values: "ServiceAccount", "User", "Group"'],
      ],
    ],
    updates: [
      [
        { roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "other" } },
        [
          'roleRef: Invalid value: {"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole","name":"other"}: cannot change roleRef',
        ],
      ],
    ],
  },
  {
    group: "storage.k8s.io",
    resource: "storageclasses",
    good: { provisioner: "example.com/disk", parameters: { a: "b" } },
    bad: [
      [{ provisioner: "" }, ["provisioner: Required value"]],
      [
        { reclaimPolicy: "Recycle" },
        ['reclaimPolicy: Unsupported value: "Recycle": supported values: "Delete", "Retain"'],
      ],
    ],
    updates: [
      [{ parameters: { a: "c" } }, ["parameters: Forbidden: updates to parameters are forbidden."]],
      [
        { volumeBindingMode: "WaitForFirstConsumer" },
        ['volumeBindingMode: Invalid value: "WaitForFirstConsumer": field is immutable'],
      ],
    ],
  },
  {
    group: "storage.k8s.io",
    resource: "csidrivers",
    good: { spec: {} },
    bad: [
      [
        { spec: { tokenRequests: [{ audience: "a", expirationSeconds: 10 }, { audience: "a" }] } },
        [
          "spec.tokenRequests[0].expirationSeconds: Invalid value: 10: may not specify a duration less than 10 minutes",
          'spec.tokenRequests[1].audience: Duplicate value: "a"',
        ],
      ],
    ],
    updates: [
      [{ spec: { attachRequired: false } }, ["spec.attachedRequired: Invalid value: false: field is immutable"]],
    ],
  },
  {
    group: "storage.k8s.io",
    resource: "volumeattachments",
    good: { spec: { attacher: "example.com", nodeName: "n", source: { persistentVolumeName: "p" } } },
    bad: [
      [
        { spec: { attacher: "example.com", nodeName: "n", source: {} } },
        ["spec.source: Required value: must specify exactly one of inlineVolumeSpec and persistentVolumeName"],
      ],
    ],
  },
  {
    group: "scheduling.k8s.io",
    resource: "priorityclasses",
    good: { value: 10 },
    bad: [
      [{ value: 2_000_000_000 }, ["value: Forbidden: maximum allowed value of a user defined priority is 1000000000"]],
      [
        { metadata: { name: "system-mine" } },
        [
          "metadata.name: Forbidden: priority class names with 'system-' prefix are reserved for system use only. error: system-mine is not a known system priority class",
        ],
      ],
    ],
    updates: [[{ value: 11 }, ["value: Forbidden: may not be changed in an update."]]],
  },
  {
    group: "scheduling.k8s.io",
    resource: "workloads",
    good: { spec: { podGroupTemplates: [{ name: "g", schedulingPolicy: { gang: { minCount: 3 } } }] } },
    bad: [
      [{ spec: { podGroupTemplates: [] } }, ["spec.podGroupTemplates: Required value: must have at least one item"]],
      [
        { spec: { podGroupTemplates: [{ name: "g", schedulingPolicy: {} }] } },
        ['spec.podGroupTemplates[0].schedulingPolicy: Invalid value: "": must specify one of: `basic`, `gang`'],
      ],
    ],
  },
  {
    group: "node.k8s.io",
    resource: "runtimeclasses",
    good: { handler: "runc" },
    bad: [],
    updates: [[{ handler: "gvisor" }, ['handler: Invalid value: "gvisor": field is immutable']]],
  },
  {
    group: "coordination.k8s.io",
    resource: "leases",
    good: { spec: { holderIdentity: "me", leaseDurationSeconds: 15 } },
    bad: [
      [
        { spec: { leaseDurationSeconds: 0, leaseTransitions: -1, preferredHolder: "x" } },
        [
          "spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0",
          "spec.leaseTransitions: Invalid value: -1: must be greater than or equal to 0",
          "spec.preferredHolder: Forbidden: may only be specified if `strategy` is defined",
        ],
      ],
    ],
  },
  {
    group: "coordination.k8s.io",
    resource: "leasecandidates",
    good: {
      spec: { leaseName: "l", binaryVersion: "1.36.0", emulationVersion: "1.35.0", strategy: "OldestEmulationVersion" },
    },
    bad: [
      [
        {
          spec: {
            leaseName: "l",
            binaryVersion: "1.36.0-rc.1",
            emulationVersion: "1.36.0",
            strategy: "OldestEmulationVersion",
          },
        },
        ['spec.binaryVersion: Invalid value: "1.36.0-rc.1": must be greater than or equal to `emulationVersion`'],
      ],
    ],
  },
  {
    group: "certificates.k8s.io",
    resource: "clustertrustbundles",
    good: { spec: { trustBundle: "-----BEGIN CERTIFICATE-----\nMAMCAQE=\n-----END CERTIFICATE-----\n" } },
    bad: [
      [
        { spec: { trustBundle: "" } },
        ['spec.trustBundle: Invalid value: "<value omitted>": at least one trust anchor must be provided'],
      ],
      [
        {
          metadata: { name: "other" },
          spec: {
            signerName: "example.com/s",
            trustBundle: "-----BEGIN CERTIFICATE-----\nMAMCAQE=\n-----END CERTIFICATE-----\n",
          },
        },
        [
          'metadata.name: Invalid value: "other": ClusterTrustBundle for signerName example.com/s must be named with prefix example.com:s:',
        ],
      ],
    ],
  },
  {
    group: "apiregistration.k8s.io",
    resource: "apiservices",
    good: {
      metadata: { name: "v1.example.com" },
      spec: {
        group: "example.com",
        version: "v1",
        groupPriorityMinimum: 1000,
        versionPriority: 10,
        service: { name: "s", namespace: "n" },
      },
    },
    bad: [
      [
        { metadata: { name: "wrong" } },
        ['metadata.name: Invalid value: "wrong": must be `spec.version+"."+spec.group`: "v1.example.com"'],
      ],
      [
        { spec: { group: "example.com", version: "v1", groupPriorityMinimum: 0, versionPriority: 10 } },
        ["spec.groupPriorityMinimum: Invalid value: 0: must be positive and less than 20000"],
      ],
    ],
  },
  {
    group: "admissionregistration.k8s.io",
    resource: "validatingwebhookconfigurations",
    good: { webhooks: [webhook] },
    bad: [
      [
        {
          webhooks: [
            {
              ...webhook,
              name: "short",
              clientConfig: {},
              sideEffects: "Some",
              timeoutSeconds: 31,
              admissionReviewVersions: ["v2"],
            },
          ],
        },
        [
          'webhooks[0].name: Invalid value: "short": should be a domain with at least three segments separated by dots',
          'webhooks[0].sideEffects: Unsupported value: "Some": supported values: "None", "NoneOnDryRun"',
          "webhooks[0].timeoutSeconds: Invalid value: 31: the timeout value must be between 1 and 30 seconds",
          "webhooks[0].clientConfig: Required value: exactly one of url or service is required",
          'webhooks[0].admissionReviewVersions: Invalid value: ["v2"]: must include at least one of v1, v1beta1',
        ],
      ],
      [
        { webhooks: [{ ...webhook, clientConfig: { url: "http://user@a/b?c#d" } }] },
        [
          `webhooks[0].clientConfig.url: Invalid value: "http": 'https' is the only allowed URL scheme; desired format: https://host[/path]`,
          'webhooks[0].clientConfig.url: Invalid value: "user": user information is not permitted in the URL',
          'webhooks[0].clientConfig.url: Invalid value: "d": fragments are not permitted in the URL',
          'webhooks[0].clientConfig.url: Invalid value: "c": query parameters are not permitted in the URL',
        ],
      ],
      [
        {
          webhooks: [
            {
              ...webhook,
              rules: [
                {
                  operations: ["*", "CREATE"],
                  apiGroups: [""],
                  apiVersions: ["v1"],
                  resources: ["pods/*", "pods/log"],
                },
              ],
            },
          ],
        },
        [
          `webhooks[0].rules[0].operations: Invalid value: ["*","CREATE"]: if '*' is present, must not specify other operations`,
          `webhooks[0].rules[0].resources[1]: Invalid value: "pods/log": if 'pods/*' is present, must not specify pods/log`,
        ],
      ],
      [{ webhooks: [webhook, webhook] }, ['webhooks[1].name: Duplicate value: "hook.example.com"']],
    ],
  },
  {
    group: "admissionregistration.k8s.io",
    resource: "validatingadmissionpolicies",
    good: { spec: { matchConstraints: match, validations: [{ expression: "true" }] } },
    bad: [
      [
        { spec: { matchConstraints: match } },
        [
          "spec.validations: Required value: validations or auditAnnotations must contain at least one item",
          "spec.auditAnnotations: Required value: validations or auditAnnotations must contain at least one item",
        ],
      ],
      [
        {
          spec: {
            matchConstraints: match,
            validations: [{ expression: " ", message: "a\nb" }],
            variables: [{ name: "in", expression: "1" }],
          },
        },
        [
          'spec.variables[0].name: Invalid value: "in": name is not a valid CEL identifier',
          "spec.validations[0].expression: Required value: expression is not specified",
          'spec.validations[0].message: Invalid value: "a\\nb": message must not contain line breaks',
        ],
      ],
    ],
  },
  {
    group: "admissionregistration.k8s.io",
    resource: "validatingadmissionpolicybindings",
    good: { spec: { policyName: "p", validationActions: ["Deny"] } },
    bad: [
      [
        { spec: { policyName: "p", validationActions: [] } },
        ["spec.validationActions: Required value: at least one validation action is required"],
      ],
      [
        { spec: { policyName: "p", validationActions: ["Audit"], paramRef: { parameterNotFoundAction: "Deny" } } },
        ["spec.paramRef: Required value: one of name or selector must be specified"],
      ],
    ],
  },
  {
    group: "flowcontrol.apiserver.k8s.io",
    resource: "flowschemas",
    good: {
      spec: {
        priorityLevelConfiguration: { name: "global-default" },
        rules: [
          {
            subjects: [{ kind: "User", user: { name: "u" } }],
            resourceRules: [{ verbs: ["get"], apiGroups: [""], resources: ["pods"], namespaces: ["*"] }],
          },
        ],
      },
    },
    bad: [
      [
        { spec: { priorityLevelConfiguration: { name: "x" }, matchingPrecedence: 1 } },
        ["spec.matchingPrecedence: Invalid value: 1: only the schema named 'exempt' may have matchingPrecedence 1"],
      ],
      [
        {
          spec: {
            priorityLevelConfiguration: { name: "x" },
            rules: [
              {
                subjects: [{ kind: "Group", user: { name: "u" } }],
                nonResourceRules: [{ verbs: ["get"], nonResourceURLs: ["/a*"] }],
              },
            ],
          },
        },
        [
          "spec.rules[0].subjects[0].group: Required value: group is required when subject kind is 'Group'",
          "spec.rules[0].subjects[0].user: Forbidden: user is forbidden when subject kind is not 'User'",
          'spec.rules[0].nonResourceRules[0].nonResourceURLs[0]: Invalid value: "/a*": wildcard can only do suffix matching',
        ],
      ],
    ],
  },
  {
    group: "flowcontrol.apiserver.k8s.io",
    resource: "prioritylevelconfigurations",
    good: { spec: { type: "Limited", limited } },
    bad: [
      [{ spec: { type: "Limited" } }, ["spec.limited: Required value: must not be empty when type is Limited"]],
      [
        {
          spec: {
            type: "Limited",
            limited: { limitResponse: { type: "Queue", queuing: { queues: 1024, handSize: 8 } } },
          },
        },
        [
          "spec.limited.limitResponse.queuing.handSize: Invalid value: 8: required entropy bits of deckSize 1024 and handSize 8 should not be greater than 60",
        ],
      ],
    ],
  },
  {
    group: "resource.k8s.io",
    resource: "resourceclaims",
    good: { spec: { devices: { requests: [{ name: "r", exactly: { deviceClassName: "gpu" } }] } } },
    bad: [
      [
        { spec: { devices: { requests: [{ name: "r" }] } } },
        ["spec.devices.requests[0]: Required value: exactly one of `exactly` or `firstAvailable` is required"],
      ],
      [
        {
          spec: {
            devices: {
              requests: [{ name: "r", exactly: { deviceClassName: "gpu", allocationMode: "All", count: 2 } }],
              constraints: [{ requests: ["x"], matchAttribute: "a/b" }],
            },
          },
        },
        [
          "spec.devices.requests[0].exactly.count: Invalid value: 2: must not be specified when allocationMode is 'All'",
          `spec.devices.constraints[0].requests[0]: Invalid value: "x": must be the name of a request in the claim or the name of a request and a subrequest separated by '/'`,
        ],
      ],
    ],
    updates: [
      [
        { spec: { devices: { requests: [] } } },
        ['spec: Invalid value: {"devices":{"requests":[]}}: field is immutable'],
      ],
    ],
  },
  {
    group: "resource.k8s.io",
    resource: "resourceslices",
    good: {
      spec: {
        driver: "gpu.example.com",
        nodeName: "n",
        pool: { name: "p", generation: 1, resourceSliceCount: 1 },
        devices: [device()],
      },
    },
    bad: [
      [
        {
          spec: {
            driver: "gpu.example.com",
            pool: { name: "p", generation: 1, resourceSliceCount: 1 },
            devices: [device({ attributes: { model: {} } })],
          },
        },
        [
          "spec: Required value: exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required",
          'spec.devices[0].attributes[model]: Invalid value: "": exactly one value must be specified',
        ],
      ],
    ],
  },
];

function build(kind: Kind, change: Record<string, any> = {}): KubeObject {
  const info = catalog.versionsOf(kind.group, kind.resource)[0]!;
  const { metadata: named, ...rest } = structuredClone({ ...kind.good, ...change }) as Record<string, any>;
  const object = {
    kind: info.kind,
    apiVersion: `${kind.group}/${info.version}`,
    metadata: { ...metadata, ...named },
    ...rest,
  } as KubeObject;
  applyDefaults({ group: kind.group, version: info.version, kind: info.kind }, object);
  return object;
}

const texts = (causes: { field: string; message: string }[]) =>
  causes.map(({ field, message }) => `${field}: ${message}`);

describe.each(kinds)("$resource", (kind) => {
  test("a good one is good, and stays so", () => {
    expect(texts(validate(kind, build(kind)))).toEqual([]);
    expect(texts(validateUpdate(kind, build(kind), build(kind)))).toEqual([]);
  });

  test.each(kind.bad.length > 0 ? kind.bad : [[{}, []] as [object, string[]]])("%j", (change, messages) => {
    expect(texts(validate(kind, build(kind, change as Record<string, any>)))).toEqual(messages);
  });

  test.each(kind.updates ?? [[{}, []] as [object, string[]]])("update to %j", (change, messages) => {
    expect(texts(validateUpdate(kind, build(kind, change as Record<string, any>), build(kind)))).toEqual(messages);
  });
});

test("what a client sends may have any shape: validators never throw", () => {
  const random = seededRandom(20261129);
  const junk = [null, true, 0, -1, 2.5, "", "a", "*", "A B", [], [null], [{}], [[1]], {}, { a: null }, "x".repeat(300)];
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)]!;
  const mangle = (value: any): any => {
    if (random() < 0.15) return structuredClone(pick(junk));
    if (Array.isArray(value)) return value.map(mangle);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, mangle(member)]));
  };
  for (let round = 0; round < 200; round++) {
    for (const kind of kinds) {
      const objects = [0, 1].map(() => {
        const { metadata: kept, ...rest } = build(
          kind,
          pick([[{}, []] as const, ...kind.bad])[0] as Record<string, any>,
        );
        return {
          ...mangle(rest),
          status: pick([undefined, ...junk, { conditions: [pick(junk)] }]),
          metadata: kept,
        } as KubeObject;
      });
      const [object, previous] = objects as [KubeObject, KubeObject];
      for (const causes of [
        () => validate(kind, object),
        () => validateUpdate(kind, object, previous),
        () => validateSubresourceUpdate(kind, "status", object, previous),
      ]) {
        try {
          causes();
        } catch (error) {
          throw new Error(`${kind.resource}: ${JSON.stringify(object)}`, { cause: error });
        }
      }
    }
  }
});
