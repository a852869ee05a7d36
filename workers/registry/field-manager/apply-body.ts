import type { KubeObject } from "../../apimachinery/meta.ts";
import type { GroupResource } from "../../apimachinery/gvk.ts";
import { forbidden, required } from "../../apimachinery/field-error.ts";
import { newBadRequest, newConflict, newInvalid } from "../../apimachinery/status-errors.ts";
import { parseCbor } from "../../apis/codec/cbor-decode.ts";
import { parseYaml } from "../../apis/codec/parse-yaml.ts";
import { UnmarshalError } from "../../apis/codec/unmarshal-error.ts";

export const applyPatchType = "application/apply-patch+yaml";
export const applyCborPatchType = "application/apply-patch+cbor";

/**
 * The configuration of an apply request, YAML or JSON. A key given twice is an error under "Strict", a warning under
 * "Warn". Mirrors applyPatcher of k8s.io/apiserver pkg/endpoints/handlers/patch.go (1.36).
 */
export function readApplyBody(
  text: string,
  fieldValidation: "Ignore" | "Warn" | "Strict",
): { applied: KubeObject; warnings: string[] } {
  try {
    const { value, duplicates } = parseYaml(text, { findDuplicates: fieldValidation !== "Ignore" });
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      const word = Array.isArray(value) ? "array" : value === null ? "null" : typeof value;
      throw new UnmarshalError(
        `error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${word} into Go value of type map[string]interface {}`,
      );
    }
    if (fieldValidation === "Strict" && duplicates.length > 0) {
      throw newBadRequest(`error strict decoding YAML: error converting YAML to JSON: ${duplicates.join(", ")}`);
    }
    const applied = value as KubeObject;
    return { applied: { ...applied, metadata: applied.metadata ?? {} }, warnings: duplicates };
  } catch (error) {
    if (error instanceof UnmarshalError) throw newBadRequest(`error decoding YAML: ${error.message}`);
    throw error;
  }
}

/** The same in CBOR, where a key given twice is always an error. */
export function readCborApplyBody(body: Uint8Array): { applied: KubeObject; warnings: string[] } {
  try {
    const value = parseCbor(body);
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      throw new UnmarshalError("cbor: cannot unmarshal into Go value of type map[string]interface {}");
    }
    const applied = value as KubeObject;
    return { applied: { ...applied, metadata: applied.metadata ?? {} }, warnings: [] };
  } catch (error) {
    if (error instanceof UnmarshalError) throw newBadRequest(`error decoding CBOR: ${error.message}`);
    throw error;
  }
}

/** 422 as ValidatePatchOptions: apply names its manager, and nothing else is forced. `force` is null when not given. */
export function validateApplyOptions(isApply: boolean, fieldManager: string, force: string | null): void {
  const causes = [];
  if (isApply) {
    if (fieldManager === "") causes.push(required("fieldManager", "is required for apply patch"));
  } else if (force !== null && force !== "") {
    causes.push(forbidden("force", "may not be specified for non-apply patch"));
  }
  if (causes.length > 0) throw newInvalid({ group: "meta.k8s.io", kind: "PatchOptions" }, "", causes);
}

/** 409: the configuration names the uid of an object, and there is none. */
export function checkNoUid(gr: GroupResource, name: string, object: KubeObject): void {
  const { uid } = object.metadata;
  if (!uid) return;
  throw newConflict(
    gr,
    name,
    `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`,
  );
}
