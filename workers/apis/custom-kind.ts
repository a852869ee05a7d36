import type { KubeObject } from "../apimachinery/meta.ts";
import type { SchemaType } from "../apimachinery/structured-merge/schema.ts";
import type { InvalidCause } from "../apimachinery/status-errors.ts";
import type { TablePrinter } from "./printers/printer.ts";

/** Where a custom kind keeps what autoscaling/v1 Scale shows: field names from the root. */
export interface ScalePaths {
  specReplicas: readonly string[];
  statusReplicas: readonly string[];
  labelSelector: readonly string[] | undefined;
}

/** Which part of a custom object a write may change. */
export type CustomPart = "object" | "status";

/** What serving a version of a custom resource takes beyond its {@link ResourceInfo}; made from its definition. */
export interface CustomKind {
  /** Stored objects are this version's objects to the byte; otherwise each one goes through `fromStorage` when read. */
  readonly passThrough: boolean;
  /** Pruned and defaulted as this version's schema says, in place. For objects from the store. */
  fromStorage(object: KubeObject): void;
  /** The same for a request's object. The result names what was dropped: `unknown field "spec.foo"`. */
  fit(object: KubeObject): string[];
  /** What is wrong with an object of the storage version, which is this one unless a webhook converts. */
  validate(object: KubeObject, previous: KubeObject | undefined, part: CustomPart): InvalidCause[];
  /** What is wrong with an object of this version before a webhook converts it; nothing where none does. */
  validateBeforeConversion(object: KubeObject): InvalidCause[];
  /** The version for structured merge: which lists and maps are one value, and what tells entries apart. */
  readonly fieldType: SchemaType;
  readonly printer: TablePrinter;
  /** The printer as text, from which {@link TablePrinter} can be made again elsewhere. */
  readonly columns: string;
  /** Paths that field selectors may name besides metadata.name and metadata.namespace, such as `spec.color`. */
  readonly selectableFields: readonly string[];
  readonly scale: ScalePaths | undefined;
  /** For clients that use a deprecated version. */
  readonly warning: string | undefined;
  /** The definition is being deleted: nothing new may come. */
  readonly terminating: boolean;
  /** Calls the conversion webhook; undefined when all versions have the same form. Objects carry their apiVersion. */
  readonly convert: ((objects: KubeObject[], version: string) => Promise<KubeObject[]>) | undefined;
}
