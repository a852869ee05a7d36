import { duplicate, forbidden, invalid, notSupported, required, tooMany } from "../../apimachinery/field-error.ts";
import type { InvalidCause } from "../../apimachinery/status-errors.ts";
import { isDns1035Label, isDns1123Subdomain } from "../../apimachinery/validation-names.ts";
import { deepEqual } from "../../apimachinery/deep-equal.ts";
import { validateImmutable } from "../../registry/object-meta.ts";
import { validateApproval } from "./api-approval.ts";
import type {
  CustomResourceDefinition,
  DefinitionConversion,
  DefinitionNames,
  DefinitionScale,
  DefinitionSpec,
  DefinitionVersion,
  PrinterColumn,
} from "./definition.ts";
import { isConditionTrue } from "./definition.ts";
import { validateDefinitionSchema } from "./schema/definition-schema.ts";
import type { JsonSchema } from "./schema/json-schema.ts";

/** Mirrors pkg/apis/apiextensions/validation/validation.go of k8s.io/apiextensions-apiserver (1.36), for apiextensions.k8s.io/v1. */
export function validateDefinition(definition: CustomResourceDefinition): InvalidCause[] {
  const { spec, metadata } = definition;
  const causes: InvalidCause[] = [];
  if (metadata.name !== `${spec.names?.plural ?? ""}.${spec.group ?? ""}`) {
    causes.push(invalid("metadata.name", metadata.name ?? "", 'must be spec.names.plural+"."+spec.group'));
  }
  return [...causes, ...validateSpec(spec, []), ...validateApproval(definition, undefined)];
}

export function validateDefinitionUpdate(
  definition: CustomResourceDefinition,
  previous: CustomResourceDefinition,
): InvalidCause[] {
  const { spec } = definition;
  const causes = validateSpec(spec, previous.spec.versions);
  if (isConditionTrue(previous, "Established")) {
    causes.push(...validateImmutable("spec.scope", spec.scope, previous.spec.scope));
    causes.push(...validateImmutable("spec.names.kind", spec.names?.kind, previous.spec.names.kind));
  }
  causes.push(...validateImmutable("spec.group", spec.group, previous.spec.group));
  causes.push(...validateImmutable("spec.names.plural", spec.names?.plural, previous.spec.names.plural));
  return [...causes, ...validateStoredVersions(definition), ...validateApproval(definition, previous)];
}

function validateStoredVersions({ spec, status }: CustomResourceDefinition): InvalidCause[] {
  const stored = status?.storedVersions ?? [];
  if (stored.length === 0) return [invalid("status.storedVersions", stored, "must have at least one stored version")];
  const names = new Set((spec.versions ?? []).map(({ name }) => name));
  const causes: InvalidCause[] = [];
  for (const [index, name] of stored.entries()) {
    if (names.has(name)) continue;
    causes.push(
      invalid(
        `status.storedVersions[${index}]`,
        name,
        `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`,
      ),
    );
  }
  return causes;
}

/** Schemas that are as they were in `previous` have been looked at before. */
function validateSpec(spec: DefinitionSpec, previous: readonly DefinitionVersion[]): InvalidCause[] {
  const causes: InvalidCause[] = [];
  if (!spec.group) causes.push(required("spec.group"));
  else {
    const errors = isDns1123Subdomain(spec.group);
    if (errors.length > 0) causes.push(invalid("spec.group", spec.group, errors.join(",")));
    else if (!spec.group.includes("."))
      causes.push(invalid("spec.group", spec.group, "should be a domain with at least one dot"));
  }
  causes.push(...oneOf("spec.scope", spec.scope, ["Cluster", "Namespaced"]));
  if (spec.preserveUnknownFields === true) {
    causes.push(
      invalid(
        "spec.preserveUnknownFields",
        true,
        "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead",
      ),
    );
  }
  const versions = spec.versions ?? [];
  for (const [index, version] of versions.entries()) {
    if (version.schema?.openAPIV3Schema === undefined) {
      causes.push(required(`spec.versions[${index}].schema.openAPIV3Schema`, "schemas are required"));
    }
  }
  for (const [index, version] of versions.entries()) {
    const before = previous.find(({ name }) => name === version.name);
    causes.push(...validateVersion(version, before, `spec.versions[${index}]`));
  }
  const shown = () => versions.map(({ schema: _schema, ...version }) => version);
  if (new Set(versions.map(({ name }) => name)).size < versions.length)
    causes.push(invalid("spec.versions", shown(), "must contain unique version names"));
  if (versions.filter(({ storage }) => storage).length !== 1) {
    causes.push(invalid("spec.versions", shown(), "must have exactly one version marked as storage version"));
  }
  const names = spec.names ?? { plural: "", kind: "" };
  for (const field of ["plural", "singular", "kind", "listKind"] as const)
    if (!names[field]) causes.push(required(`spec.names.${field}`));
  return [...causes, ...validateNames(names, "spec.names"), ...validateConversion(spec.conversion)];
}

function oneOf(field: string, value: string | undefined, accepted: string[]): InvalidCause[] {
  if (!value) return [required(field)];
  return accepted.includes(value) ? [] : [notSupported(field, value, accepted)];
}

function validateNames(names: DefinitionNames, path: string): InvalidCause[] {
  const causes: InvalidCause[] = [];
  const check = (field: string, value: string | undefined, prefix = "", checked = value ?? "") => {
    const errors = value ? isDns1035Label(checked) : [];
    if (errors.length > 0) causes.push(invalid(`${path}.${field}`, value, prefix + errors.join(",")));
  };
  const mixedCase = "may have mixed case, but should otherwise match: ";
  check("plural", names.plural);
  check("singular", names.singular);
  check("kind", names.kind, mixedCase, names.kind?.toLowerCase());
  check("listKind", names.listKind, mixedCase, names.listKind?.toLowerCase());
  for (const [index, name] of (names.shortNames ?? []).entries()) check(`shortNames[${index}]`, name);
  if (names.kind && names.kind === names.listKind)
    causes.push(invalid(`${path}.listKind`, names.listKind, "kind and listKind may not be the same"));
  for (const [index, name] of (names.categories ?? []).entries()) check(`categories[${index}]`, name);
  return causes;
}

function validateVersion(
  version: DefinitionVersion,
  previous: DefinitionVersion | undefined,
  path: string,
): InvalidCause[] {
  const causes: InvalidCause[] = [];
  const errors = isDns1035Label(version.name ?? "");
  if (errors.length > 0) causes.push(invalid(`${path}.name`, version.name ?? "", errors.join(",")));
  for (const text of deprecationErrors(version))
    causes.push(invalid(`${path}.deprecationWarning`, version.deprecationWarning, text));
  const schema = version.schema?.openAPIV3Schema;
  const hasStatus = version.subresources?.status !== undefined;
  const unchanged =
    previous !== undefined &&
    hasStatus === (previous.subresources?.status !== undefined) &&
    deepEqual(schema, previous.schema?.openAPIV3Schema);
  if (schema !== undefined && !unchanged) causes.push(...validateDefinitionSchema(schema, `${path}.schema`, hasStatus));
  if (version.subresources?.scale !== undefined)
    causes.push(...validateScale(version.subresources.scale, `${path}.subresources.scale`));
  for (const [index, column] of (version.additionalPrinterColumns ?? []).entries()) {
    causes.push(...validateColumn(column, `${path}.additionalPrinterColumns[${index}]`));
  }
  if (schema !== undefined)
    causes.push(...validateSelectableFields(version.selectableFields ?? [], schema, `${path}.selectableFields`));
  return causes;
}

function deprecationErrors({ deprecated, deprecationWarning: text }: DefinitionVersion): string[] {
  if (text === undefined) return [];
  if (deprecated !== true) return ["can only be set for deprecated versions"];
  const errors: string[] = [];
  if (text.length > 256) errors.push("must be <= 256 characters long");
  if (text === "") errors.push("must not be an empty string");
  // oxlint-disable-next-line no-control-regex
  const unprintable = text.search(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/);
  if (unprintable >= 0)
    errors.push(`must only contain printable UTF-8 characters; non-printable character found at index ${unprintable}`);
  return errors;
}

const columnTypes = ["boolean", "date", "integer", "number", "string"];
const columnFormats = ["byte", "date", "date-time", "double", "float", "int32", "int64", "password"];

function validateColumn(column: PrinterColumn, path: string): InvalidCause[] {
  const causes: InvalidCause[] = [];
  if (!column.name) causes.push(required(`${path}.name`));
  const types = `must be one of ${columnTypes.join(",")}`;
  if (!column.type) causes.push(required(`${path}.type`, types));
  else if (!columnTypes.includes(column.type)) causes.push(invalid(`${path}.type`, column.type, types));
  if (column.format && !columnFormats.includes(column.format)) {
    causes.push(invalid(`${path}.format`, column.format, `must be one of ${columnFormats.join(",")}`));
  }
  if (!column.jsonPath) causes.push(required(`${path}.JSONPath`));
  else causes.push(...validateSimplePath(column.jsonPath, `${path}.JSONPath`));
  return causes;
}

function validateSimplePath(path: string, field: string): InvalidCause[] {
  return path.startsWith(".") ? [] : [invalid(field, path, "must be a simple json path starting with .")];
}

function validateScale(scale: DefinitionScale, path: string): InvalidCause[] {
  const check = (field: keyof DefinitionScale, parent: string, needed: boolean): InvalidCause[] => {
    const value = scale[field];
    if (!value) return needed ? [required(`${path}.${field}`)] : [];
    const causes = validateSimplePath(value, `${path}.${field}`);
    if (causes.length === 0 && !value.startsWith(`.${parent}.`))
      return [invalid(`${path}.${field}`, value, `should be a json path under .${parent}`)];
    return causes;
  };
  const selector = scale.labelSelectorPath;
  return [
    ...check("specReplicasPath", "spec", true),
    ...check("statusReplicasPath", "status", true),
    ...(selector?.startsWith(".spec.") ? [] : check("labelSelectorPath", "status", false)),
  ];
}

const maxSelectableFields = 8;

function validateSelectableFields(fields: { jsonPath: string }[], schema: JsonSchema, path: string): InvalidCause[] {
  const causes: InvalidCause[] = [];
  const seen = new Set<string>();
  for (const [index, { jsonPath }] of fields.entries()) {
    const field = `${path}[${index}].jsonPath`;
    if (!jsonPath) {
      causes.push(required(field));
      continue;
    }
    const names = jsonPath.split(".").slice(1);
    let found: JsonSchema | undefined = schema;
    for (const name of names) found = found?.properties?.[name];
    if (!jsonPath.startsWith(".") || names.length === 0 || (found === undefined && names[0] !== "metadata")) {
      causes.push(invalid(field, jsonPath, "is an invalid path: does not refer to a valid field"));
      continue;
    }
    if (names[0] === "metadata") causes.push(invalid(field, jsonPath, "must not point to fields in metadata"));
    if (!["string", "boolean", "integer"].includes(found?.type ?? "")) {
      causes.push(
        invalid(
          field,
          jsonPath,
          "must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.",
        ),
      );
    }
    if (seen.has(jsonPath)) causes.push(duplicate(field, jsonPath));
    seen.add(jsonPath);
  }
  if (seen.size > maxSelectableFields) causes.push(tooMany(path, seen.size, maxSelectableFields));
  return causes;
}

function validateConversion(conversion: DefinitionConversion | undefined): InvalidCause[] {
  if (conversion === undefined) return [];
  const path = "spec.conversion";
  const config = `${path}.webhookClientConfig`;
  const causes = oneOf(`${path}.strategy`, conversion.strategy, ["None", "Webhook"]);
  const client = conversion.webhook?.clientConfig;
  const versions = conversion.webhook?.conversionReviewVersions ?? [];
  if (conversion.strategy !== "Webhook") {
    const detail = "should not be set when strategy is not set to Webhook";
    if (client !== undefined) causes.push(forbidden(config, detail));
    if (versions.length > 0) causes.push(forbidden(`${path}.conversionReviewVersions`, detail));
    return causes;
  }
  if (client === undefined) causes.push(required(config, "required when strategy is set to Webhook"));
  else if ((client.url === undefined) === (client.service === undefined))
    causes.push(required(config, "exactly one of url or service is required"));
  else if (client.url !== undefined) causes.push(...validateUrl(client.url, `${config}.url`));
  else {
    if (!client.service?.name) causes.push(required(`${config}.service.name`, "service name is required"));
    if (!client.service?.namespace)
      causes.push(required(`${config}.service.namespace`, "service namespace is required"));
  }
  return [...causes, ...validateReviewVersions(versions, `${path}.conversionReviewVersions`)];
}

function validateUrl(text: string, field: string): InvalidCause[] {
  const form = "; desired format: https://host[/path]";
  if (!URL.canParse(text)) return [required(field, `url must be a valid URL${form}`)];
  const url = new URL(text);
  const causes: InvalidCause[] = [];
  if (url.protocol !== "https:")
    causes.push(invalid(field, url.protocol.slice(0, -1), `'https' is the only allowed URL scheme${form}`));
  if (url.host === "") causes.push(invalid(field, url.host, `host must be specified${form}`));
  if (url.username !== "") causes.push(invalid(field, url.username, "user information is not permitted in the URL"));
  if (url.hash !== "") causes.push(invalid(field, url.hash.slice(1), "fragments are not permitted in the URL"));
  if (url.search !== "")
    causes.push(invalid(field, url.search.slice(1), "query parameters are not permitted in the URL"));
  return causes;
}

function validateReviewVersions(versions: string[], field: string): InvalidCause[] {
  if (versions.length === 0) return [required(field)];
  const causes: InvalidCause[] = [];
  const seen = new Set<string>();
  for (const [index, version] of versions.entries()) {
    if (seen.has(version)) causes.push(invalid(`${field}[${index}]`, version, "duplicate version"));
    else for (const text of isDns1035Label(version)) causes.push(invalid(`${field}[${index}]`, version, text));
    seen.add(version);
  }
  if (!seen.has("v1") && !seen.has("v1beta1"))
    causes.push(invalid(field, versions, "must include at least one of v1, v1beta1"));
  return causes;
}
