import { notSupported, invalid } from "../../apimachinery/field-error.ts";
import { newBadRequest, newInvalid } from "../../apimachinery/status-errors.ts";
import type { InvalidCause } from "../../apimachinery/status-errors.ts";
import type { DeleteOptions } from "../../registry/options.ts";
import { isTrue } from "./request-info.ts";

export type FieldValidation = "Ignore" | "Warn" | "Strict";

export interface WriteOptions {
  dryRun: boolean;
  fieldValidation: FieldValidation;
  fieldManager: string;
  force: boolean;
}

const fieldValidations = ["Ignore", "Strict", "Warn"];

/**
 * CreateOptions, UpdateOptions and PatchOptions of a query.
 * Mirrors k8s.io/apimachinery pkg/apis/meta/v1/validation (1.36).
 */
export function parseWriteOptions(
  query: URLSearchParams,
  kind: "CreateOptions" | "UpdateOptions" | "PatchOptions",
): WriteOptions {
  const causes: InvalidCause[] = validateDryRun(query.getAll("dryRun"));
  const fieldValidation = query.get("fieldValidation") || "Warn";
  if (!fieldValidations.includes(fieldValidation)) {
    causes.push(notSupported("fieldValidation", fieldValidation, ["", ...fieldValidations]));
  }
  const fieldManager = query.get("fieldManager") ?? "";
  if (fieldManager.length > 128) {
    causes.push({
      reason: "FieldValueTooLong",
      message: "Too long: may not be more than 128 bytes",
      field: "fieldManager",
    });
  }
  // oxlint-disable-next-line no-control-regex
  if (/[\u0000-\u001f\u007f]/.test(fieldManager))
    causes.push(invalid("fieldManager", fieldManager, "should only contain printable characters"));
  if (causes.length > 0) throw newInvalid({ group: "meta.k8s.io", kind }, "", causes);
  return {
    dryRun: query.getAll("dryRun").length > 0,
    fieldValidation: fieldValidation as FieldValidation,
    fieldManager,
    force: isTrue(query.get("force")),
  };
}

function validateDryRun(values: string[]): InvalidCause[] {
  return values.every((value) => value === "All") ? [] : [notSupported("dryRun", values, ["All"])];
}

/** DeleteOptions from the query, for requests without a body. */
export function deleteOptionsOf(query: URLSearchParams): DeleteOptions {
  const options: DeleteOptions = {};
  const seconds = query.get("gracePeriodSeconds");
  if (seconds !== null && seconds !== "") {
    if (!/^-?[0-9]+$/.test(seconds)) {
      throw newBadRequest(`strconv.ParseInt: parsing ${JSON.stringify(seconds)}: invalid syntax`);
    }
    options.gracePeriodSeconds = Number(seconds);
  }
  const policy = query.get("propagationPolicy");
  if (policy) options.propagationPolicy = policy as NonNullable<DeleteOptions["propagationPolicy"]>;
  const orphan = query.get("orphanDependents");
  if (orphan !== null) options.orphanDependents = isTrue(orphan);
  const dryRun = query.getAll("dryRun");
  if (dryRun.length > 0) options.dryRun = dryRun;
  return options;
}

/** Mirrors ValidateDeleteOptions. */
export function validateDeleteOptions(options: DeleteOptions): void {
  const causes: InvalidCause[] = validateDryRun(options.dryRun ?? []);
  if (options.propagationPolicy !== undefined && options.orphanDependents !== undefined) {
    causes.push(
      invalid(
        "propagationPolicy",
        options.propagationPolicy,
        "orphanDependents and deletionPropagation cannot be both set",
      ),
    );
  }
  if (
    options.propagationPolicy !== undefined &&
    !["Foreground", "Background", "Orphan"].includes(options.propagationPolicy)
  ) {
    causes.push(
      notSupported("propagationPolicy", options.propagationPolicy, ["Foreground", "Background", "Orphan", "nil"]),
    );
  }
  if (causes.length > 0) throw newInvalid({ group: "meta.k8s.io", kind: "DeleteOptions" }, "", causes);
}
