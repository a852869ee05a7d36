import type { CustomKind } from "./custom-kind.ts";

/** One served resource of one group and version: what discovery says, and what the registry installs. */
export interface ResourceInfo {
  group: string;
  version: string;
  /** Plural, lower case. */
  resource: string;
  singular: string;
  kind: string;
  listKind: string;
  namespaced: boolean;
  shortNames: string[];
  categories: string[];
  /** Discovery verbs, in upstream's order. */
  verbs: string[];
  subresources: SubresourceInfo[];
  /** The version whose form is stored; the same for all versions of a group's resource. */
  storageVersion: string;
  /**
   * Group under which the objects are stored when it is not `group`: events of events.k8s.io are stored as core events,
   * in the form of `storageVersion` of that group.
   */
  storageGroup?: string;
  /** False for create-only kinds such as TokenReview. */
  persisted: boolean;
  /** Set when the resource comes from a CustomResourceDefinition. */
  custom?: CustomKind;
}

export interface SubresourceInfo {
  name: string;
  /** The kind of the body; may be of another group (Scale is autoscaling/v1). */
  kind: { group: string; version: string; kind: string };
  verbs: string[];
}

/** All served groups in discovery order (upstream's priorities), versions in order of preference. */
export interface ResourceCatalog {
  groups(): { group: string; versions: string[]; preferred: string }[];
  resources(group: string, version: string): ResourceInfo[];
  find(group: string, version: string, resource: string): ResourceInfo | undefined;
  findKind(group: string, version: string, kind: string): ResourceInfo | undefined;
  /** Any served version of a group's resource, preferred one first. */
  versionsOf(group: string, resource: string): ResourceInfo[];
}
