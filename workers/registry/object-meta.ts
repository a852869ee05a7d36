import { forbidden, invalid, required, tooLong } from "../apimachinery/field-error.ts";
import type { KubeObject, OwnerReference } from "../apimachinery/meta.ts";
import type { InvalidCause } from "../apimachinery/status-errors.ts";
import {
  byteLength,
  isDns1035Label,
  isDns1123Label,
  isDns1123Subdomain,
  isLabelKey,
  isLabelValue,
  isValidPathSegmentName,
  validateNamePrefix,
} from "../apimachinery/validation-names.ts";
import type { ResourceInfo } from "../apis/resource-info.ts";
import { deepEqual } from "../apimachinery/deep-equal.ts";

const totalAnnotationBytes = 256 * 1024;

type NameCheck = (value: string) => string[];

/** How names are checked, by resource; all others are DNS-1123 subdomains. */
const nameChecks: Record<string, NameCheck> = {
  namespaces: isDns1123Label,
  services: isDns1035Label,
  "statefulsets.apps": isDns1123Label,
  "clusterroles.rbac.authorization.k8s.io": isValidPathSegmentName,
  "clusterrolebindings.rbac.authorization.k8s.io": isValidPathSegmentName,
  "roles.rbac.authorization.k8s.io": isValidPathSegmentName,
  "rolebindings.rbac.authorization.k8s.io": isValidPathSegmentName,
  "certificatesigningrequests.certificates.k8s.io": isValidPathSegmentName,
  // What else these have to be depends on the rest of the object.
  "clustertrustbundles.certificates.k8s.io": isValidPathSegmentName,
  "apiservices.apiregistration.k8s.io": isValidPathSegmentName,
  "ipaddresses.networking.k8s.io": isValidPathSegmentName,
  "leasecandidates.coordination.k8s.io": isValidPathSegmentName,
};

function nameCheckOf(resource: ResourceInfo): NameCheck {
  return (
    nameChecks[resource.group === "" ? resource.resource : `${resource.resource}.${resource.group}`] ??
    isDns1123Subdomain
  );
}

/** Mirrors k8s.io/apimachinery pkg/api/validation/objectmeta.go ValidateObjectMeta (1.36). */
export function validateObjectMeta(object: KubeObject, resource: ResourceInfo): InvalidCause[] {
  const metadata = object.metadata;
  const check = nameCheckOf(resource);
  const causes: InvalidCause[] = [];
  if (metadata.generateName) {
    for (const text of validateNamePrefix(metadata.generateName, check)) {
      causes.push(invalid("metadata.generateName", metadata.generateName, text));
    }
  }
  if (!metadata.name) causes.push(required("metadata.name", "name or generateName is required"));
  else for (const text of check(metadata.name)) causes.push(invalid("metadata.name", metadata.name, text));
  if (resource.namespaced) {
    if (!metadata.namespace) causes.push(required("metadata.namespace"));
    else {
      for (const text of isDns1123Label(metadata.namespace))
        causes.push(invalid("metadata.namespace", metadata.namespace, text));
    }
  }
  return [...causes, ...validateCommon(object)];
}

/** Mirrors ValidateObjectMetaUpdate. */
export function validateObjectMetaUpdate(object: KubeObject, previous: KubeObject): InvalidCause[] {
  const causes: InvalidCause[] = [];
  for (const field of ["uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds"] as const) {
    causes.push(...validateImmutable(`metadata.${field}`, object.metadata[field], previous.metadata[field]));
  }
  // Unchanged metadata has been valid before.
  if (!deepEqual(checked(object), checked(previous))) causes.push(...validateCommon(object));
  if (previous.metadata.deletionTimestamp !== undefined) {
    const before = new Set(previous.metadata.finalizers ?? []);
    const added = (object.metadata.finalizers ?? []).filter((finalizer) => !before.has(finalizer));
    if (added.length > 0) {
      causes.push(
        forbidden(
          "metadata.finalizers",
          `no new finalizers can be added if the object is being deleted, found new finalizers []string{${added.map((text) => JSON.stringify(text)).join(", ")}}`,
        ),
      );
    }
  }
  return causes;
}

function checked({ metadata: { labels, annotations, ownerReferences, finalizers } }: KubeObject) {
  return { labels, annotations, ownerReferences, finalizers };
}

function validateCommon({ metadata }: KubeObject): InvalidCause[] {
  const causes: InvalidCause[] = [];
  for (const [key, value] of Object.entries(metadata.labels ?? {})) {
    for (const text of isLabelKey(key)) causes.push(invalid("metadata.labels", key, text));
    for (const text of isLabelValue(value)) causes.push(invalid("metadata.labels", value, text));
  }
  let size = 0;
  for (const [key, value] of Object.entries(metadata.annotations ?? {})) {
    for (const text of isLabelKey(key.toLowerCase())) causes.push(invalid("metadata.annotations", key, text));
    size += byteLength(key) + byteLength(value);
  }
  if (size > totalAnnotationBytes) causes.push(tooLong("metadata.annotations", totalAnnotationBytes));
  causes.push(...validateOwnerReferences(metadata.ownerReferences ?? []));
  for (const finalizer of metadata.finalizers ?? []) {
    for (const text of isLabelKey(finalizer)) causes.push(invalid("metadata.finalizers", finalizer, text));
  }
  const finalizers = new Set(metadata.finalizers ?? []);
  if (finalizers.has("orphan") && finalizers.has("foregroundDeletion")) {
    causes.push(
      invalid("metadata.finalizers", metadata.finalizers, "finalizer orphan and foregroundDeletion cannot be both set"),
    );
  }
  return causes;
}

function validateOwnerReferences(references: OwnerReference[]): InvalidCause[] {
  const causes: InvalidCause[] = [];
  let controller: OwnerReference | undefined;
  // As upstream, the path tells no index.
  const field = "metadata.ownerReferences";
  for (const reference of references) {
    if (!reference.apiVersion)
      causes.push(invalid(`${field}.apiVersion`, reference.apiVersion ?? "", "version must not be empty"));
    if (!reference.kind) causes.push(invalid(`${field}.kind`, reference.kind ?? "", "must not be empty"));
    if (!reference.name) causes.push(invalid(`${field}.name`, reference.name ?? "", "must not be empty"));
    if (!reference.uid) causes.push(invalid(`${field}.uid`, reference.uid ?? "", "must not be empty"));
    if (reference.apiVersion === "v1" && reference.kind === "Event")
      causes.push(invalid(field, reference, "/v1, Kind=Event is disallowed from being an owner"));
    if (reference.controller === true) {
      if (controller !== undefined) {
        causes.push(
          invalid(
            "metadata.ownerReferences",
            references,
            `Only one reference can have Controller set to true. Found "true" in references for ${controller.kind}/${controller.name} and ${reference.kind}/${reference.name}`,
          ),
        );
      }
      controller ??= reference;
    }
  }
  return causes;
}

/** `field: Invalid value: … : field is immutable` when a value differs from what it was. */
export function validateImmutable(field: string, value: unknown, previous: unknown): InvalidCause[] {
  return deepEqual(value, previous) ? [] : [invalid(field, value, "field is immutable")];
}
