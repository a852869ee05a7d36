import type { KubeObject } from "../../apimachinery/meta.ts";
import type { InvalidCause } from "../../apimachinery/status-errors.ts";

/** The checks of one kind. Objects are in the storage version, defaulted; metadata is checked elsewhere. Never throws. */
export interface Validator {
  validate(object: KubeObject): InvalidCause[];
  /** All that an update is checked for, the new object's own checks included where upstream has them. Absent: as {@link validate}. */
  validateUpdate?(object: KubeObject, previous: KubeObject): InvalidCause[];
}

/** By `group/resource`; `/pods` is core. */
export type Validators = Record<string, Validator>;
