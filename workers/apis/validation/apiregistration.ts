import { invalid, notSupported, required } from "../../apimachinery/field-error.ts";
import type { KubeObject } from "../../apimachinery/meta.ts";
import { quote } from "../../apimachinery/quote.ts";
import { isDns1035Label, isDns1123Subdomain, isValidPathSegmentName } from "../../apimachinery/validation-names.ts";
import { checkText, listOf, numberOf, textOf } from "./checks.ts";
import type { Causes } from "./checks.ts";
import { decodeBase64 } from "./pem.ts";
import { checks, withStatus } from "./registry.ts";
import type { Validators } from "./registry.ts";

/** Mirrors k8s.io/kube-aggregator pkg/apis/apiregistration/validation/validation.go (1.36). */
function validateApiService(object: KubeObject, causes: Causes): void {
  const spec = object.spec ?? {};
  const [group, version] = [textOf(spec.group), textOf(spec.version)];
  const name = object.metadata.name ?? "";
  const wanted = `${version}.${group}`;
  const problems = isValidPathSegmentName(name);
  if (problems.length === 0 && name !== wanted)
    problems.push(`must be \`spec.version+"."+spec.group\`: ${quote(wanted)}`);
  for (const text of problems) causes.push(invalid("metadata.name", name, text));
  if (group === "" && version !== "v1") {
    causes.push(required("spec.group", "only v1 may have an empty group and it better be legacy kube"));
  }
  if (group !== "") checkText(isDns1123Subdomain, group, "spec.group", causes);
  checkText(isDns1035Label, version, "spec.version", causes);
  const priority = (field: string, maximum: number) => {
    const value = numberOf(spec[field]);
    if (value <= 0 || value > maximum)
      causes.push(invalid(`spec.${field}`, value, `must be positive and less than ${maximum}`));
  };
  priority("groupPriorityMinimum", 20_000);
  priority("versionPriority", 1_000);
  const { service, caBundle, insecureSkipTLSVerify } = spec;
  if (!service) {
    if (caBundle) {
      const length = decodeBase64(textOf(caBundle))?.length ?? 0;
      causes.push(invalid("spec.caBundle", `${length} bytes`, "local APIServices may not have a caBundle"));
    }
    if (insecureSkipTLSVerify) {
      causes.push(invalid("spec.insecureSkipTLSVerify", true, "local APIServices may not have insecureSkipTLSVerify"));
    }
    return;
  }
  if (!service.namespace) causes.push(required("spec.service.namespace"));
  if (!service.name) causes.push(required("spec.service.name"));
  if (typeof service.port === "number" && (service.port < 1 || service.port > 65_535)) {
    causes.push(
      invalid("spec.service.port", service.port, "port is not valid: must be between 1 and 65535, inclusive"),
    );
  }
  if (insecureSkipTLSVerify && caBundle) {
    causes.push(invalid("spec.insecureSkipTLSVerify", true, "may not be true if caBundle is present"));
  }
}

function validateStatus(object: KubeObject, _previous: KubeObject, causes: Causes): void {
  const values = ["True", "False", "Unknown"];
  for (const [index, condition] of listOf(object.status?.conditions).entries()) {
    if (!values.includes(condition?.status)) {
      causes.push(notSupported(`status.conditions[${index}].status`, textOf(condition?.status), values));
    }
  }
}

export const apiregistrationValidators: Validators = {
  "apiservices.apiregistration.k8s.io": withStatus(checks(validateApiService), validateStatus),
};
