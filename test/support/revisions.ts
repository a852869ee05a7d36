import { emptyRevision } from "../../workers/storage/interfaces.ts";

/** The revision of a type's nth change, counted from 1; of 0 that of the empty type. */
export function nth(change: number): number {
  return emptyRevision + change;
}

/** Which change of its type a revision (or resourceVersion) is. Inverse of {@link nth}. */
export function ordinal(revision: number | string): number {
  return Number(revision) - emptyRevision;
}
