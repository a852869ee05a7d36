import { invalid } from "../../apimachinery/field-error.ts";
import type { Causes } from "./checks.ts";

/** File paths inside volumes. Mirrors the path checks of pkg/apis/core/validation (1.36). */
export function validatePathNoBacksteps(text: string, path: string, causes: Causes): boolean {
  if (!text.includes("..") || !text.split("/").includes("..")) return true;
  causes.push(invalid(path, text, "must not contain '..'"));
  return false;
}

/** Relative and without `..`. */
export function validateLocalDescendingPath(text: string, path: string, causes: Causes): void {
  if (text.startsWith("/")) causes.push(invalid(path, text, "must be a relative path"));
  validatePathNoBacksteps(text, path, causes);
}

/** As {@link validateLocalDescendingPath}, and no name that starts with two dots. */
export function validateLocalNonReservedPath(text: string, path: string, causes: Causes): void {
  validateLocalDescendingPath(text, path, causes);
  if (text.startsWith("..") && !text.startsWith("../")) causes.push(invalid(path, text, "must not start with '..'"));
}
