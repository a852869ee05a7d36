import { forbidden } from "../../apimachinery/field-error.ts";
import type { KubeObject } from "../../apimachinery/meta.ts";
import type { InvalidCause } from "../../apimachinery/status-errors.ts";
import { deepEqual } from "../deep-equal.ts";
import { validateImmutable } from "../object-meta.ts";

/** Fields that keep what they were created with, by kind. */
export type ValidateUpdate = (object: KubeObject, previous: KubeObject) => InvalidCause[];

/** Each named member, `metadata` excepted, may not change. */
export function immutableFields(...paths: string[]): ValidateUpdate {
  return (object, previous) => paths.flatMap((path) => validateImmutable(path, at(object, path), at(previous, path)));
}

function at(object: KubeObject, path: string): unknown {
  let value: any = object;
  for (const name of path.split(".")) value = value?.[name];
  return value;
}

/** Mirrors ValidateConfigMapUpdate and ValidateSecretUpdate of pkg/apis/core/validation (1.36). */
export function validateImmutableContents(...contents: string[]): ValidateUpdate {
  return (object, previous) => {
    if (previous.immutable !== true) return [];
    const causes = contents
      .filter((field) => !deepEqual(object[field] ?? {}, previous[field] ?? {}))
      .map((field) => forbidden(field, "field is immutable when `immutable` is set"));
    if (object.immutable !== true) causes.push(forbidden("immutable", "field is immutable when `immutable` is set"));
    return causes;
  };
}

/** Mirrors ValidateRoleBindingUpdate of pkg/apis/rbac/validation (1.36). */
export const validateRoleRef: ValidateUpdate = (object, previous) =>
  deepEqual(object.roleRef, previous.roleRef)
    ? []
    : [{ reason: "FieldValueInvalid", field: "roleRef", message: `Invalid value: ${JSON.stringify(object.roleRef)}: cannot change roleRef` }];

/** Mirrors ValidatePriorityClassUpdate of pkg/apis/scheduling/validation (1.36). */
export const validatePriorityClassUpdate: ValidateUpdate = (object, previous) => [
  ...((object.value ?? 0) === (previous.value ?? 0) ? [] : [forbidden("value", "may not be changed in an update.")]),
  ...validateImmutable("preemptionPolicy", object.preemptionPolicy, previous.preemptionPolicy),
];

/** Mirrors ValidateStatefulSetUpdate of pkg/apis/apps/validation (1.36). */
export const validateStatefulSetUpdate: ValidateUpdate = (object, previous) => {
  const mutable = [
    "replicas",
    "ordinals",
    "template",
    "updateStrategy",
    "revisionHistoryLimit",
    "persistentVolumeClaimRetentionPolicy",
    "minReadySeconds",
  ];
  const rest = (spec: any) => Object.fromEntries(Object.entries(spec ?? {}).filter(([name]) => !mutable.includes(name)));
  return deepEqual(rest(object.spec), rest(previous.spec))
    ? []
    : [
        forbidden(
          "spec",
          "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
        ),
      ];
};

/** Mirrors ValidateJobSpecUpdate of pkg/apis/batch/validation (1.36): the template may change only while suspended and not yet started. */
export const validateJobUpdate: ValidateUpdate = (object, previous) => {
  const suspended = previous.spec?.suspend === true && previous.status?.startTime === undefined;
  return immutableFields(
    "spec.selector",
    "spec.completionMode",
    "spec.podFailurePolicy",
    "spec.backoffLimitPerIndex",
    "spec.managedBy",
    "spec.successPolicy",
    ...(suspended ? [] : ["spec.template"]),
  )(object, previous);
};

