import type { KubeObject } from "../../apimachinery/meta.ts";
import { compare } from "../../apimachinery/structured-merge/compare.ts";
import { difference, has } from "../../apimachinery/structured-merge/field-set.ts";
import type { FieldSet } from "../../apimachinery/structured-merge/field-set.ts";
import { jsonText } from "../../apimachinery/structured-merge/path-element.ts";
import type { SchemaType } from "../../apimachinery/structured-merge/schema.ts";
import { toFieldSet } from "../../apimachinery/structured-merge/to-field-set.ts";
import type { Conflict } from "../../apimachinery/structured-merge/updater.ts";
import { validate } from "../../apimachinery/structured-merge/validate.ts";

export const lastAppliedAnnotation = "kubectl.kubernetes.io/last-applied-configuration";
/** The field manager of `kubectl apply --server-side`; no other takes over from client-side apply. */
export const kubectlManager = "kubectl";
const totalAnnotationBytes = 256 * 1024;

/**
 * The conflicts that remain when fields count as kubectl's own which client-side apply has set and nobody has changed
 * since. Mirrors k8s.io/apimachinery pkg/util/managedfields/internal/lastappliedmanager.go (1.36).
 */
export function conflictsBesidesLastApplied(
  conflicts: readonly Conflict[],
  live: KubeObject,
  type: SchemaType,
  apiVersion: string,
): readonly Conflict[] {
  const allowed = unchangedSinceLastApplied(live, type, apiVersion);
  return allowed === undefined ? conflicts : conflicts.filter(({ path }) => !has(allowed, path));
}

function unchangedSinceLastApplied(live: KubeObject, type: SchemaType, apiVersion: string): FieldSet | undefined {
  const text = live.metadata.annotations?.[lastAppliedAnnotation];
  if (!text) return undefined;
  try {
    const lastApplied = JSON.parse(text) as KubeObject;
    if (lastApplied.apiVersion !== apiVersion) return undefined;
    validate(type, lastApplied);
    const { added, modified, removed } = compare(type, lastApplied, live);
    return [modified, added, removed].reduce(difference, toFieldSet(type, lastApplied));
  } catch {
    return undefined;
  }
}

/**
 * Keeps the annotation of client-side apply, where an object has it, in step with what is applied server-side; in place.
 * Left out when it would be too long. Mirrors lastappliedupdater.go and lastapplied.go of the same folder.
 */
export function updateLastApplied(object: KubeObject, applied: KubeObject): void {
  if (!object.metadata.annotations?.[lastAppliedAnnotation]) return;
  const { [lastAppliedAnnotation]: _previous, ...annotations } = applied.metadata.annotations ?? {};
  const { annotations: _annotations, ...metadata } = applied.metadata;
  const bare = {
    ...applied,
    metadata: applied.metadata.annotations === undefined ? metadata : { ...metadata, annotations },
  };
  const value = `${jsonText(sortKeys(bare))}\n`;
  const next: Record<string, string> = { ...object.metadata.annotations, [lastAppliedAnnotation]: value };
  const size = Object.entries(next).reduce((total, [key, text]) => total + key.length + text.length, 0);
  if (size > totalAnnotationBytes) delete next[lastAppliedAnnotation];
  object.metadata = { ...object.metadata, annotations: next };
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, entry]) => [key, sortKeys(entry)]));
}
