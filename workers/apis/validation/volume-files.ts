import { invalid, required } from "../../apimachinery/field-error.ts";
import { textOf } from "./checks.ts";
import type { Causes } from "./checks.ts";
import { validateObjectFieldSelector, validateResourceFieldSelector, volumeFieldPaths } from "./downward-api.ts";
import { validateLocalNonReservedPath } from "./paths.ts";

/** Files that volumes make of keys and fields. Mirrors pkg/apis/core/validation (1.36). */
export function validateFileMode(mode: unknown, path: string, causes: Causes): void {
  if (typeof mode === "number" && (mode > 0o777 || mode < 0)) {
    causes.push(invalid(path, mode, "must be a number between 0 and 0777 (octal), both inclusive"));
  }
}

export function validateKeyToPath(item: any, path: string, causes: Causes): void {
  if (!item.key) causes.push(required(`${path}.key`));
  if (!item.path) causes.push(required(`${path}.path`));
  validateLocalNonReservedPath(textOf(item.path), `${path}.path`, causes);
  validateFileMode(item.mode, `${path}.mode`, causes);
}

export function validateDownwardFile(file: any, path: string, causes: Causes): void {
  if (!file.path) causes.push(required(`${path}.path`));
  validateLocalNonReservedPath(textOf(file.path), `${path}.path`, causes);
  if (file.fieldRef) {
    validateObjectFieldSelector(file.fieldRef, volumeFieldPaths, `${path}.fieldRef`, causes);
    if (file.resourceFieldRef) {
      causes.push(invalid(path, "resource", "fieldRef and resourceFieldRef can not be specified simultaneously"));
    }
  } else if (file.resourceFieldRef) {
    validateResourceFieldSelector(file.resourceFieldRef, true, `${path}.resourceFieldRef`, causes);
  } else causes.push(required(path, "one of fieldRef and resourceFieldRef is required"));
  validateFileMode(file.mode, `${path}.mode`, causes);
}
