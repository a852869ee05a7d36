import { each, ensureObject, setDefault, type Json } from "./set-default.ts";

/* Mirrors pkg/apis/admissionregistration/v1/defaults.go (1.36). */

export function defaultValidatingWebhooks(configuration: Json): void {
  each(configuration["webhooks"], defaultWebhook);
}

export function defaultMutatingWebhooks(configuration: Json): void {
  each(configuration["webhooks"], (webhook) => {
    defaultWebhook(webhook);
    setDefault(webhook, "reinvocationPolicy", "Never");
  });
}

function defaultWebhook(webhook: Json): void {
  setDefault(webhook, "failurePolicy", "Fail");
  setDefault(webhook, "matchPolicy", "Equivalent");
  setDefault(webhook, "namespaceSelector", {});
  setDefault(webhook, "objectSelector", {});
  setDefault(webhook, "timeoutSeconds", 10);
  defaultServiceReference(webhook["clientConfig"]?.service);
  each(webhook["rules"], defaultRule);
}

/** ValidatingAdmissionPolicy and MutatingAdmissionPolicy. */
export function defaultAdmissionPolicy(policy: Json): void {
  const spec = ensureObject(policy, "spec");
  setDefault(spec, "failurePolicy", "Fail");
  defaultMatchResources(spec["matchConstraints"]);
}

/** The bindings of both. */
export function defaultAdmissionPolicyBinding(binding: Json): void {
  defaultMatchResources(binding["spec"]?.matchResources);
}

function defaultMatchResources(match: Json | undefined): void {
  if (!match) return;
  setDefault(match, "matchPolicy", "Equivalent");
  setDefault(match, "namespaceSelector", {});
  setDefault(match, "objectSelector", {});
  each(match["resourceRules"], defaultRule);
  each(match["excludeResourceRules"], defaultRule);
}

function defaultRule(rule: Json): void {
  setDefault(rule, "scope", "*");
}

/** A service that a webhook or an API extension is served by. */
export function defaultServiceReference(service: Json | undefined): void {
  if (service) setDefault(service, "port", 443);
}
