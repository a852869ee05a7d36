import { invalid, required } from "../../apimachinery/field-error.ts";
import { isConfigMapKey, isRelaxedEnvVarName } from "../../apimachinery/validation-names.ts";
import { checkText, dnsSubdomain } from "./checks.ts";
import type { Causes } from "./checks.ts";
import { envFieldPaths, validateObjectFieldSelector, validateResourceFieldSelector } from "./downward-api.ts";
import { validateLocalNonReservedPath } from "./paths.ts";

/** Environment variables. Mirrors ValidateEnv and ValidateEnvFrom of pkg/apis/core/validation (1.36). */
export function validateEnv(variables: any[], path: string, causes: Causes): void {
  for (let index = 0; index < variables.length; index++) {
    const variable = variables[index];
    if (!variable.name) causes.push(required(`${path}[${index}].name`));
    else checkText(isRelaxedEnvVarName, variable.name, `${path}[${index}].name`, causes);
    if (variable.valueFrom) validateValueFrom(variable, `${path}[${index}].valueFrom`, causes);
  }
}

function validateValueFrom({ value, valueFrom }: any, path: string, causes: Causes): void {
  let sources = 0;
  if (valueFrom.fieldRef) {
    sources++;
    validateObjectFieldSelector(valueFrom.fieldRef, envFieldPaths, `${path}.fieldRef`, causes);
  }
  if (valueFrom.resourceFieldRef) {
    sources++;
    validateResourceFieldSelector(valueFrom.resourceFieldRef, false, `${path}.resourceFieldRef`, causes);
  }
  for (const source of ["configMapKeyRef", "secretKeyRef"]) {
    const ref = valueFrom[source];
    if (!ref) continue;
    sources++;
    dnsSubdomain(ref.name, `${path}.${source}.name`, causes);
    if (!ref.key) causes.push(required(`${path}.${source}.key`));
    else checkText(isConfigMapKey, ref.key, `${path}.${source}.key`, causes);
  }
  if (valueFrom.fileKeyRef) {
    sources++;
    validateFileKeyRef(valueFrom.fileKeyRef, `${path}.fileKeyRef`, causes);
  }
  if (sources === 0) {
    causes.push(
      invalid(path, "", "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`"),
    );
  } else if (value) {
    causes.push(invalid(path, "", "may not be specified when `value` is not empty"));
  } else if (sources > 1) {
    causes.push(invalid(path, "", "may not have more than one field specified at a time"));
  }
}

function validateFileKeyRef(ref: any, path: string, causes: Causes): void {
  if (!ref.volumeName) causes.push(required(`${path}.volumeName`));
  if (!ref.path) causes.push(required(`${path}.path`));
  else validateLocalNonReservedPath(ref.path, `${path}.path`, causes);
  if (!ref.key) causes.push(required(`${path}.key`));
  else checkText(isRelaxedEnvVarName, ref.key, `${path}.key`, causes);
}

export function validateEnvFrom(sources: any[], path: string, causes: Causes): void {
  for (const [index, source] of sources.entries()) {
    if (source.prefix) checkText(isRelaxedEnvVarName, source.prefix, `${path}[${index}].prefix`, causes);
    let count = 0;
    for (const kind of ["configMapRef", "secretRef"]) {
      const ref = source[kind];
      if (!ref) continue;
      count++;
      if (!ref.name) causes.push(required(`${path}[${index}].${kind}.name`));
      else dnsSubdomain(ref.name, `${path}[${index}].${kind}.name`, causes);
    }
    if (count === 0) causes.push(invalid(path, "", "must specify one of: `configMapRef` or `secretRef`"));
    else if (count > 1) causes.push(invalid(path, "", "may not have more than one field specified at a time"));
  }
}
