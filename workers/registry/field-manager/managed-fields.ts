import type { ManagedFieldsEntry } from "../../apimachinery/meta.ts";
import { parseFieldSet, sortSet } from "../../apimachinery/structured-merge/field-set.ts";
import type { FieldSet } from "../../apimachinery/structured-merge/field-set.ts";
import type { ManagedSet, Managers } from "../../apimachinery/structured-merge/updater.ts";

/** Managers by identifier, with the time of each one's last change. */
export interface Managed {
  managers: Managers;
  times: Map<string, string | undefined>;
  /** What they were decoded from; one that has not changed is written as it was. */
  entries?: ReadonlyMap<string, ManagedFieldsEntry>;
}

export function emptyManaged(): Managed {
  return { managers: new Map(), times: new Map() };
}

type Identity = Pick<ManagedFieldsEntry, "manager" | "operation" | "apiVersion" | "subresource">;

/** What tells entries apart. Of an apply the version is not part, so that there is one entry whatever the version. */
export function managerIdentifier({ manager, operation, apiVersion, subresource }: Identity): string {
  return JSON.stringify({
    ...(manager ? { manager } : {}),
    ...(operation ? { operation } : {}),
    ...(apiVersion && operation !== "Apply" ? { apiVersion } : {}),
    ...(subresource ? { subresource } : {}),
  });
}

export function parseManagerIdentifier(identifier: string): Identity {
  return JSON.parse(identifier) as Identity;
}

/**
 * Mirrors k8s.io/apimachinery pkg/util/managedfields/internal/managedfields.go (1.36). Throws an Error with upstream's
 * words on entries that make no sense.
 */
export function decodeManagedFields(entries: readonly ManagedFieldsEntry[] | undefined | null): Managed {
  const managers = new Map<string, ManagedSet>();
  const times = new Map<string, string | undefined>();
  const decoded = new Map<string, ManagedFieldsEntry>();
  for (const [index, entry] of (entries ?? []).entries()) {
    if (entry.operation !== "Apply" && entry.operation !== "Update")
      throw new Error("operation must be `Apply` or `Update`");
    if (!entry.apiVersion) throw new Error("apiVersion must not be empty");
    if (entry.fieldsType !== "FieldsV1") {
      throw new Error(
        entry.fieldsType === undefined || (entry.fieldsType as string) === ""
          ? `missing fieldsType in managed fields entry ${index}`
          : `invalid fieldsType ${JSON.stringify(entry.fieldsType)} in managed fields entry ${index}`,
      );
    }
    const identifier = managerIdentifier(entry);
    let set: FieldSet;
    try {
      set = parseFieldSet(entry.fieldsV1 ?? {});
    } catch (error) {
      throw new Error(
        `error decoding versioned set from ${identifier}: error decoding set: ${(error as Error).message}`,
        { cause: error },
      );
    }
    managers.set(identifier, { set, apiVersion: entry.apiVersion, applied: entry.operation === "Apply" });
    times.set(identifier, entry.time);
    decoded.set(identifier, entry);
  }
  return { managers, times, entries: decoded };
}

/** undefined when there are no managers. */
export function encodeManagedFields({ managers, times, entries: decoded }: Managed): ManagedFieldsEntry[] | undefined {
  if (managers.size === 0) return undefined;
  const entries: ManagedFieldsEntry[] = [];
  for (const [identifier, { set, apiVersion }] of managers) {
    const time = times.get(identifier);
    const before = decoded?.get(identifier);
    if (before !== undefined && before.fieldsV1 === set && before.time === time && before.apiVersion === apiVersion) {
      entries.push(before);
      continue;
    }
    const { manager, operation, subresource } = parseManagerIdentifier(identifier);
    entries.push({
      ...(manager ? { manager } : {}),
      operation: operation!,
      apiVersion,
      ...(time ? { time } : {}),
      fieldsType: "FieldsV1",
      fieldsV1: sortSet(set),
      ...(subresource ? { subresource } : {}),
    });
  }
  return entries.sort(compareEntries);
}

function compareEntries(a: ManagedFieldsEntry, b: ManagedFieldsEntry): number {
  return (
    compareText(a.operation, b.operation) ||
    compareText(a.time, b.time) ||
    compareText(a.manager, b.manager) ||
    compareText(a.apiVersion, b.apiVersion) ||
    compareText(a.subresource, b.subresource)
  );
}

function compareText(a = "", b = ""): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** A client asks for managedFields to be emptied: `[]` or `[{}]`. */
export function isReset(entries: readonly ManagedFieldsEntry[] | undefined | null): boolean {
  if (!Array.isArray(entries)) return false;
  if (entries.length === 0) return true;
  return (
    entries.length === 1 &&
    Object.values(entries[0] ?? {}).every((value) => value === undefined || value === null || value === "")
  );
}
