import { invalid, required } from "../../apimachinery/field-error.ts";
import { isDns1123Subdomain, isValidPathSegmentName } from "../../apimachinery/validation-names.ts";
import { checkText, isSet, textOf } from "./checks.ts";
import type { Causes } from "./checks.ts";

/** A name that must be given and fit into a path. */
export function requiredPathSegment(value: unknown, path: string, causes: Causes): void {
  if (!value) causes.push(required(path));
  else checkText(isValidPathSegmentName, value, path, causes);
}

/** TypedLocalObjectReference: apiGroup, kind, name. */
export function validateTypedReference(reference: any, path: string, causes: Causes): void {
  if (isSet(reference.apiGroup)) checkText(isDns1123Subdomain, reference.apiGroup, `${path}.apiGroup`, causes);
  requiredPathSegment(reference.kind, `${path}.kind`, causes);
  requiredPathSegment(reference.name, `${path}.name`, causes);
}

/** `example.com/path`. Mirrors IsDomainPrefixedPath of k8s.io/apimachinery pkg/util/validation (1.36). */
export function validateDomainPrefixedPath(value: unknown, path: string, causes: Causes): void {
  const text = textOf(value);
  const slash = text.indexOf("/");
  if (text === "") return void causes.push(required(path));
  if (slash <= 0 || slash === text.length - 1) {
    return void causes.push(invalid(path, text, 'must be a domain-prefixed path (such as "acme.io/foo")'));
  }
  const host = text.slice(0, slash);
  for (const problem of isDns1123Subdomain(host)) causes.push(invalid(path, host, problem));
  const segment = text.slice(slash + 1);
  if (!/^[A-Za-z0-9/\-._~%!$&'()*+,;=:]+$/.test(segment)) {
    causes.push(
      invalid(path, segment, "Invalid path (regex used for validation is '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')"),
    );
  }
}

/** Mirrors IsFullyQualifiedName of k8s.io/apimachinery pkg/util/validation (1.36). */
export function validateFullyQualifiedName(value: unknown, path: string, causes: Causes): void {
  const name = textOf(value);
  if (name === "") return void causes.push(required(path));
  const problems = isDns1123Subdomain(name);
  if (problems.length > 0) return void causes.push(invalid(path, name, problems.join(",")));
  if (name.split(".").length < 3)
    causes.push(invalid(path, name, "should be a domain with at least three segments separated by dots"));
}
