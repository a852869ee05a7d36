import type { KubeObject } from "../../apimachinery/meta.ts";
import type { Causes } from "./checks.ts";

export type Check = (object: KubeObject, causes: Causes) => void;
export type UpdateCheck = (object: KubeObject, previous: KubeObject, causes: Causes) => void;

/** The checks of one kind; an update without a check of its own is checked like a creation. None of them throws. */
export interface KindChecks {
  create: Check;
  update?: UpdateCheck;
  subresources?: Readonly<Record<string, UpdateCheck>>;
}

/** By `resource.group`. */
export type Validators = Readonly<Record<string, KindChecks>>;

/** An update is checked as a creation and by `update`. */
export function checks(create: Check, update?: UpdateCheck): KindChecks {
  if (update === undefined) return { create };
  return {
    create,
    update(object, previous, causes) {
      create(object, causes);
      update(object, previous, causes);
    },
  };
}

export function withStatus(base: KindChecks, status: UpdateCheck): KindChecks {
  return { ...base, subresources: { ...base.subresources, status } };
}
