import { apiVersionOf } from "../../apimachinery/gvk.ts";
import type { GroupVersionKind } from "../../apimachinery/gvk.ts";
import { invalid } from "../../apimachinery/field-error.ts";
import type { KubeObject } from "../../apimachinery/meta.ts";
import { goFormat } from "../../apimachinery/patch/go-format.ts";
import { newInvalid } from "../../apimachinery/status-errors.ts";
import { schemaTable } from "../schema-table.ts";
import type { FieldValidation } from "./decode.ts";
import { normalizeCustom } from "./normalize-custom.ts";
import { normalizeObject } from "./normalize.ts";
import { strictDecodingMessage, UnmarshalError } from "./unmarshal-error.ts";

export interface PatchedForm {
  /**
   * True for a strategic merge patch: the error then quotes the patch and has the unstructured converter's words.
   * Otherwise it quotes the patched object and has those of encoding/json.
   */
  strategic: boolean;
}

/**
 * The result of a patch as an object of its kind again. A value of a wrong type, and under "Strict" an unknown field, is a
 * 422 about the field `patch`. Mirrors applyPatchToObject and jsonPatcher of k8s.io/apiserver
 * pkg/endpoints/handlers/patch.go (1.36).
 */
export function decodePatched(
  patched: KubeObject,
  gvk: GroupVersionKind,
  patch: unknown,
  fieldValidation: FieldValidation,
  form: PatchedForm = { strategic: !Array.isArray(patch) },
): { object: KubeObject; warnings: string[] } {
  const struct = schemaTable.structOfKind(gvk.group, gvk.version, gvk.kind);
  const collectUnknown = fieldValidation !== "Ignore";
  try {
    const { object, unknownFields } =
      struct === undefined
        ? normalizeCustom(patched, { collectUnknown })
        : normalizeObject(patched, struct, { collectUnknown });
    if (fieldValidation === "Strict" && unknownFields.length > 0)
      throw new UnmarshalError(strictDecodingMessage(unknownFields));
    const warnings = fieldValidation === "Warn" ? unknownFields : [];
    if (struct === undefined) return { object: object as unknown as KubeObject, warnings };
    const { kind: _kind, apiVersion: _apiVersion, ...rest } = object;
    return { object: { kind: gvk.kind, apiVersion: apiVersionOf(gvk), ...rest } as unknown as KubeObject, warnings };
  } catch (error) {
    if (!(error instanceof UnmarshalError)) throw error;
    const quoted = form.strategic ? goFormat(patch) : JSON.stringify(patched);
    const detail = form.strategic ? error.converterMessage : error.message;
    throw newInvalid({ group: "", kind: "" }, "", [invalid("patch", quoted, detail)]);
  }
}
