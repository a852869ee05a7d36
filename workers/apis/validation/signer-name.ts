import { invalid, required, tooLong } from "../../apimachinery/field-error.ts";
import { isDns1123Subdomain } from "../../apimachinery/validation-names.ts";
import { textOf } from "./checks.ts";
import type { Causes } from "./checks.ts";

const maxSignerNameLength = 571;

/** `domain/path`. Mirrors ValidateSignerName of pkg/apis/core/validation/names.go (1.36). */
export function validateSignerName(value: unknown, path: string, causes: Causes): void {
  const name = textOf(value);
  if (name === "") return void causes.push(required(path));
  const slash = name.indexOf("/");
  if (slash < 0 || slash === name.length - 1) {
    return void causes.push(
      invalid(path, name, 'must be a fully qualified domain and path of the form "example.com/signer-name"'),
    );
  }
  if (name.indexOf("/", slash + 1) >= 0) {
    return void causes.push(
      invalid(path, name, 'must be a fully qualified domain and path of the form "example.com/signer-name"'),
    );
  }
  for (const part of [name.slice(0, slash), name.slice(slash + 1)]) {
    for (const text of isDns1123Subdomain(part))
      causes.push(invalid(path, part, `validating label "${part}": ${text}`));
  }
  if (name.length > maxSignerNameLength) causes.push(tooLong(path, maxSignerNameLength));
}
