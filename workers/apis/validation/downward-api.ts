import { invalid, notSupported, required } from "../../apimachinery/field-error.ts";
import { quantityOf, qualifiedName, textOf } from "./checks.ts";
import type { Causes } from "./checks.ts";

/** `fieldRef` and `resourceFieldRef` of env variables and volume files. Mirrors pkg/apis/core/validation (1.36). */
export const envFieldPaths = [
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
  "spec.nodeName",
  "spec.serviceAccountName",
  "status.hostIP",
  "status.hostIPs",
  "status.podIP",
  "status.podIPs",
];
export const volumeFieldPaths = [
  "metadata.annotations",
  "metadata.labels",
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
];
/** What ConvertDownwardAPIFieldLabel of pkg/apis/core/pods knows. */
const fieldLabels = new Set([
  ...envFieldPaths,
  ...volumeFieldPaths,
  "spec.restartPolicy",
  "spec.schedulerName",
  "status.phase",
  "spec.host",
]);
const resourcePaths = [
  "limits.cpu",
  "limits.ephemeral-storage",
  "limits.memory",
  "requests.cpu",
  "requests.ephemeral-storage",
  "requests.memory",
];
const byteDivisors = new Set(["1", "1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei"]);

export function validateObjectFieldSelector(
  ref: any,
  supported: readonly string[],
  path: string,
  causes: Causes,
): void {
  const label = textOf(ref.fieldPath);
  if (!ref.apiVersion) return void causes.push(required(`${path}.apiVersion`));
  if (!label) return void causes.push(required(`${path}.fieldPath`));
  const failed = (why: string) =>
    causes.push(invalid(`${path}.fieldPath`, label, `error converting fieldPath: ${why}`));
  if (ref.apiVersion !== "v1") return void failed(`unsupported pod version: ${ref.apiVersion}`);
  const subscript = /^(.+?)\['(.*)'\]$/.exec(label);
  if (subscript !== null) {
    const [, field, key] = subscript;
    if (field === "metadata.annotations") qualifiedName(key!.toLowerCase(), path, causes);
    else if (field === "metadata.labels") qualifiedName(key, path, causes);
    else failed(`field label does not support subscript: ${label}`);
    return;
  }
  if (!fieldLabels.has(label)) return void failed(`field label not supported: ${label}`);
  const field = label === "spec.host" ? "spec.nodeName" : label;
  if (!supported.includes(field)) causes.push(notSupported(`${path}.fieldPath`, field, supported));
}

export function validateResourceFieldSelector(ref: any, inVolume: boolean, path: string, causes: Causes): void {
  const name = textOf(ref.resource);
  const hugePages = name.startsWith("requests.hugepages-") || name.startsWith("limits.hugepages-");
  if (inVolume && !ref.containerName) causes.push(required(`${path}.containerName`));
  else if (!name) causes.push(required(`${path}.resource`));
  else if (!resourcePaths.includes(name) && !hugePages)
    causes.push(notSupported(`${path}.resource`, name, resourcePaths));
  const divisor = quantityOf(ref.divisor ?? "0");
  if (divisor.isZero()) return;
  const text = divisor.toString();
  const refuse = (detail: string) => causes.push(invalid(`${path}.divisor`, name, detail));
  if (name.endsWith(".cpu")) {
    if (text !== "1m" && text !== "1") refuse("only divisor's values 1m and 1 are supported with the cpu resource");
    return;
  }
  const what = name.endsWith(".memory")
    ? "memory"
    : name.endsWith(".ephemeral-storage")
      ? "local ephemeral storage"
      : hugePages
        ? "hugepages"
        : undefined;
  if (what !== undefined && !byteDivisors.has(text)) {
    refuse(
      `only divisor's values 1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei are supported with the ${what} resource`,
    );
  }
}
