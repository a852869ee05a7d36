import { semanticEqual } from "../../apimachinery/deep-equal.ts";
import { duplicate, forbidden, invalid, notSupported, required } from "../../apimachinery/field-error.ts";
import type { KubeObject } from "../../apimachinery/meta.ts";
import { isDns1123Label, isDns1123Subdomain } from "../../apimachinery/validation-names.ts";
import { checkText, isSet, listOf, numberOf, textOf } from "./checks.ts";
import type { Causes } from "./checks.ts";
import { checks, withStatus } from "./registry.ts";
import type { Validators } from "./registry.ts";

/** Mirrors pkg/apis/flowcontrol/validation/validation.go (1.36). */
const maxPrecedence = 10_000;
const maxQueues = 10_000_000;
const maxHashBits = 60;
const verbs = ["create", "delete", "deletecollection", "get", "list", "patch", "proxy", "update", "watch"];

const everything = (...groups: string[]) => [
  {
    subjects: groups.map((name) => ({ kind: "Group", group: { name } })),
    resourceRules: [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"], clusterScope: true, namespaces: ["*"] }],
    nonResourceRules: [{ verbs: ["*"], nonResourceURLs: ["*"] }],
  },
];

/** Specs that cannot be otherwise. Mirrors k8s.io/apiserver pkg/apis/flowcontrol/bootstrap, the mandatory objects. */
const mandatorySchemas: Readonly<Record<string, unknown>> = {
  exempt: {
    priorityLevelConfiguration: { name: "exempt" },
    matchingPrecedence: 1,
    rules: everything("system:masters"),
  },
  "catch-all": {
    priorityLevelConfiguration: { name: "catch-all" },
    matchingPrecedence: maxPrecedence,
    distinguisherMethod: { type: "ByUser" },
    rules: everything("system:unauthenticated", "system:authenticated"),
  },
};
const mandatoryLevels: Readonly<Record<string, unknown>> = {
  "catch-all": {
    type: "Limited",
    limited: { nominalConcurrencyShares: 5, lendablePercent: 0, limitResponse: { type: "Reject" } },
  },
};

function validateFixed(object: KubeObject, mandatory: Readonly<Record<string, unknown>>, causes: Causes): void {
  const name = object.metadata.name ?? "";
  if (Object.hasOwn(mandatory, name) && !semanticEqual(object.spec, mandatory[name])) {
    causes.push(invalid("spec", object.spec, `spec of '${name}' must equal the fixed value`));
  }
}

function validateFlowSchema(object: KubeObject, causes: Causes): void {
  const spec = object.spec ?? {};
  const precedence = numberOf(spec.matchingPrecedence);
  const refuse = (detail: string) => causes.push(invalid("spec.matchingPrecedence", precedence, detail));
  if (precedence <= 0) refuse("must be a positive value");
  if (precedence > maxPrecedence) refuse(`must not be greater than ${maxPrecedence}`);
  if (precedence === 1 && object.metadata.name !== "exempt")
    refuse("only the schema named 'exempt' may have matchingPrecedence 1");
  const method = spec.distinguisherMethod;
  if (method && method.type !== "ByNamespace" && method.type !== "ByUser") {
    causes.push(notSupported("spec.distinguisherMethod.type", textOf(method.type), ["ByNamespace", "ByUser"]));
  }
  const level = spec.priorityLevelConfiguration?.name;
  if (level) checkText(isDns1123Subdomain, level, "spec.priorityLevelConfiguration.name", causes);
  else causes.push(required("spec.priorityLevelConfiguration.name", "must reference a priority level"));
  for (const [index, rule] of listOf(spec.rules).entries()) validateRule(rule ?? {}, `spec.rules[${index}]`, causes);
  validateFixed(object, mandatorySchemas, causes);
  validateConditions(object, causes);
}

function validateRule(rule: any, path: string, causes: Causes): void {
  const subjects = listOf(rule.subjects);
  if (subjects.length === 0) causes.push(required(`${path}.subjects`, "subjects must contain at least one value"));
  for (const [index, subject] of subjects.entries())
    validateSubject(subject ?? {}, `${path}.subjects[${index}]`, causes);
  const [resourceRules, nonResourceRules] = [listOf(rule.resourceRules), listOf(rule.nonResourceRules)];
  if (resourceRules.length === 0 && nonResourceRules.length === 0) {
    causes.push(required(path, "at least one of resourceRules and nonResourceRules has to be non-empty"));
  }
  for (const [index, entry] of resourceRules.entries())
    validateResourceRule(entry ?? {}, `${path}.resourceRules[${index}]`, causes);
  for (const [index, entry] of nonResourceRules.entries())
    validateNonResourceRule(entry ?? {}, `${path}.nonResourceRules[${index}]`, causes);
}

const subjectFields = { ServiceAccount: "serviceAccount", User: "user", Group: "group" } as const;

function validateSubject(subject: any, path: string, causes: Causes): void {
  const kind = textOf(subject.kind);
  if (!Object.hasOwn(subjectFields, kind)) {
    return void causes.push(notSupported(`${path}.kind`, kind, ["Group", "ServiceAccount", "User"]));
  }
  const own = subjectFields[kind as keyof typeof subjectFields];
  const value = subject[own];
  if (!isSet(value)) causes.push(required(`${path}.${own}`, `${own} is required when subject kind is '${kind}'`));
  else {
    if (!value.name) causes.push(required(`${path}.${own}.name`));
    if (own === "serviceAccount") {
      if (value.name && value.name !== "*") checkText(isDns1123Subdomain, value.name, `${path}.${own}.name`, causes);
      if (value.namespace) checkText(isDns1123Label, value.namespace, `${path}.${own}.namespace`, causes);
      else causes.push(required(`${path}.${own}.namespace`, "must specify namespace for service account"));
    }
  }
  for (const [other, field] of Object.entries(subjectFields)) {
    if (field !== own && isSet(subject[field])) {
      causes.push(forbidden(`${path}.${field}`, `${field} is forbidden when subject kind is not '${other}'`));
    }
  }
}

function validateVerbs(rule: any, path: string, causes: Causes): void {
  const given = listOf(rule.verbs);
  const field = `${path}.verbs`;
  if (given.length === 0) causes.push(required(field, "verbs must contain at least one value"));
  else if (given.includes("*")) {
    if (given.length > 1) causes.push(invalid(field, given, "if '*' is present, must not specify other verbs"));
  } else if (!given.every((verb) => verbs.includes(verb))) causes.push(notSupported(field, given, verbs));
}

function validateResourceRule(rule: any, path: string, causes: Causes): void {
  validateVerbs(rule, path, causes);
  for (const [field, one, others] of [
    ["apiGroups", "api group", "api groups"],
    ["resources", "resource", "resources"],
  ] as const) {
    const given = listOf(rule[field]);
    if (given.length === 0) causes.push(required(`${path}.${field}`, `resource rules must supply at least one ${one}`));
    else if (given.length > 1 && given.includes("*")) {
      causes.push(invalid(`${path}.${field}`, given, `if '*' is present, must not specify other ${others}`));
    }
  }
  const namespaces = listOf(rule.namespaces);
  const field = `${path}.namespaces`;
  if (namespaces.length === 0 && !rule.clusterScope) {
    causes.push(required(field, "resource rules that are not cluster scoped must supply at least one namespace"));
  } else if (namespaces.includes("*")) {
    if (namespaces.length > 1)
      causes.push(invalid(field, namespaces, "if '*' is present, must not specify other namespaces"));
  } else {
    for (const [index, namespace] of namespaces.entries()) {
      for (const text of isDns1123Label(textOf(namespace))) {
        causes.push(
          invalid(`${field}[${index}]`, namespace, `each member of this list must be '*' or a DNS-1123 label; ${text}`),
        );
      }
    }
  }
}

function validateNonResourceRule(rule: any, path: string, causes: Causes): void {
  validateVerbs(rule, path, causes);
  const urls = listOf(rule.nonResourceURLs);
  const field = `${path}.nonResourceURLs`;
  if (urls.length === 0) causes.push(required(field, "nonResourceURLs must contain at least one value"));
  else if (urls.includes("*")) {
    if (urls.length > 1)
      causes.push(invalid(field, urls, "if '*' is present, must not specify other non-resource URLs"));
  } else {
    for (const [index, url] of urls.entries()) {
      const problem = urlProblem(textOf(url));
      if (problem !== undefined) causes.push(invalid(`${field}[${index}]`, url, problem));
    }
  }
}

function urlProblem(url: string): string | undefined {
  if (url === "") return "must not be empty";
  if (url === "/") return undefined;
  if (!url.startsWith("/")) return "must start with slash";
  if (url.includes(" ")) return "must not contain white-space";
  if (url.includes("//")) return "must not contain double slash";
  const wildcards = url.split("*").length - 1;
  return wildcards > 1 || (wildcards === 1 && !url.endsWith("/*")) ? "wildcard can only do suffix matching" : undefined;
}

function validateConditions(object: KubeObject, causes: Causes): void {
  const seen = new Set<string>();
  for (const [index, condition] of listOf(object.status?.conditions).entries()) {
    const path = `status.conditions[${index}].type`;
    const type = textOf(condition?.type);
    if (seen.has(type)) causes.push(duplicate(path, type));
    seen.add(type);
    if (type === "") causes.push(required(path, "must not be empty"));
  }
}

function validatePriorityLevel(object: KubeObject, causes: Causes): void {
  const { type, limited, exempt } = object.spec ?? {};
  if ((object.metadata.name === "exempt") !== (type === "Exempt")) {
    causes.push(invalid("spec.type", textOf(type), "type must be 'Exempt' if and only if `name` is 'exempt'"));
  }
  if (type === "Exempt") {
    if (isSet(limited)) causes.push(forbidden("spec.limited", "must be nil if the type is not Limited"));
    if (isSet(exempt)) validateShares(exempt, "spec.exempt", causes);
  } else if (type === "Limited") {
    if (isSet(exempt)) causes.push(forbidden("spec.exempt", "must be nil if the type is Limited"));
    if (!isSet(limited)) causes.push(required("spec.limited", "must not be empty when type is Limited"));
    else validateLimited(limited, "spec.limited", causes);
  } else causes.push(notSupported("spec.type", textOf(type), ["Exempt", "Limited"]));
  validateFixed(object, mandatoryLevels, causes);
  validateConditions(object, causes);
}

function validateShares(level: any, path: string, causes: Causes): void {
  const { nominalConcurrencyShares: shares, lendablePercent: percent } = level;
  if (isSet(shares) && shares < 0)
    causes.push(invalid(`${path}.nominalConcurrencyShares`, shares, "must be a non-negative integer"));
  if (isSet(percent) && !(percent >= 0 && percent <= 100)) {
    causes.push(invalid(`${path}.lendablePercent`, percent, "must be between 0 and 100, inclusive"));
  }
}

function validateLimited(limited: any, path: string, causes: Causes): void {
  validateShares(limited, path, causes);
  validateLimitResponse(limited.limitResponse ?? {}, `${path}.limitResponse`, causes);
  const borrowing = limited.borrowingLimitPercent;
  if (isSet(borrowing) && borrowing < 0) {
    causes.push(invalid(`${path}.borrowingLimitPercent`, borrowing, "if specified, must be a non-negative integer"));
  }
}

function validateLimitResponse({ type, queuing }: any, path: string, causes: Causes): void {
  if (type === "Reject") {
    if (isSet(queuing))
      causes.push(forbidden(`${path}.queuing`, "must be nil if limited.limitResponse.type is not Limited"));
  } else if (type === "Queue") {
    if (isSet(queuing)) validateQueuing(queuing, `${path}.queuing`, causes);
    else causes.push(required(`${path}.queuing`, "must not be empty if limited.limitResponse.type is Limited"));
  } else causes.push(notSupported(`${path}.type`, textOf(type), ["Queue", "Reject"]));
}

function validateQueuing(queuing: any, path: string, causes: Causes): void {
  const [length, queues, hand] = [queuing.queueLengthLimit, queuing.queues, queuing.handSize].map(numberOf) as [
    number,
    number,
    number,
  ];
  if (length <= 0) causes.push(invalid(`${path}.queueLengthLimit`, length, "must be positive"));
  if (queues <= 0) causes.push(invalid(`${path}.queues`, queues, "must be positive"));
  else if (queues > maxQueues) causes.push(invalid(`${path}.queues`, queues, `must not be greater than ${maxQueues}`));
  const refuse = (detail: string) => causes.push(invalid(`${path}.handSize`, hand, detail));
  if (hand <= 0) refuse("must be positive");
  else if (hand > queues) refuse(`should not be greater than queues (${queues})`);
  else if (Math.ceil(Math.log2(queues) * hand) > maxHashBits) {
    refuse(
      `required entropy bits of deckSize ${queues} and handSize ${hand} should not be greater than ${maxHashBits}`,
    );
  }
}

const group = "flowcontrol.apiserver.k8s.io";
const status = (object: KubeObject, _previous: KubeObject, causes: Causes) => validateConditions(object, causes);

export const flowcontrolValidators: Validators = {
  [`flowschemas.${group}`]: withStatus(checks(validateFlowSchema), status),
  [`prioritylevelconfigurations.${group}`]: withStatus(checks(validatePriorityLevel), status),
};
