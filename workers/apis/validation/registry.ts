import type { KubeObject } from "../../apimachinery/meta.ts";
import type { InvalidCause } from "../../apimachinery/status-errors.ts";
import type { Causes } from "./checks.ts";

/** The checks of one kind. Objects are in the storage version, defaulted; metadata is checked elsewhere. Never throws. */
export interface Validator {
  validate(object: KubeObject): InvalidCause[];
  /** All that an update is checked for, the new object's own checks included where upstream has them. Absent: as {@link validate}. */
  validateUpdate?(object: KubeObject, previous: KubeObject): InvalidCause[];
}

/** By `group/resource`; `/pods` is core. */
export type Validators = Record<string, Validator>;

type Check = (object: KubeObject, causes: Causes) => void;
type CheckUpdate = (object: KubeObject, previous: KubeObject, causes: Causes) => void;

/** `updateOnly` is checked on updates besides `check`; with `replaces`, instead of it. */
export function validator(check: Check, updateOnly?: CheckUpdate, replaces = false): Validator {
  return {
    validate(object) {
      const causes: Causes = [];
      check(object, causes);
      return causes;
    },
    validateUpdate(object, previous) {
      const causes: Causes = [];
      if (!replaces) check(object, causes);
      updateOnly?.(object, previous, causes);
      return causes;
    },
  };
}
