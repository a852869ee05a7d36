import { catalog } from "../../apis/catalog.ts";
import { quote } from "../../apimachinery/quote.ts";
import { deepEqual } from "../../apimachinery/deep-equal.ts";
import type { CustomResourceDefinition, DefinitionCondition, DefinitionNames } from "./definition.ts";
import { findCondition, isConditionTrue, setCondition } from "./definition.ts";

/** Names that are taken in a group. */
export interface UsedNames {
  resources: ReadonlySet<string>;
  kinds: ReadonlySet<string>;
}

/** The accepted names of the other definitions of a group, and those of built-in resources. */
export function usedNames(group: string, others: Iterable<CustomResourceDefinition>): UsedNames {
  const resources = new Set<string>();
  const kinds = new Set<string>();
  const add = (names: {
    plural: string;
    singular?: string;
    shortNames?: string[];
    kind: string;
    listKind?: string;
  }) => {
    for (const name of [names.plural, names.singular, ...(names.shortNames ?? [])]) if (name) resources.add(name);
    for (const kind of [names.kind, names.listKind]) if (kind) kinds.add(kind);
  };
  for (const { spec, status } of others) if (spec.group === group && status?.acceptedNames) add(status.acceptedNames);
  for (const { group: builtIn, versions } of catalog.groups()) {
    if (builtIn !== group) continue;
    for (const version of versions)
      for (const info of catalog.resources(group, version)) add({ ...info, plural: info.resource });
  }
  return { resources, kinds };
}

/**
 * Accepts the names of a definition that nobody else has, and says so in its conditions; serves it from then on. Upstream does
 * the same in two controllers, a moment after the write. Mirrors pkg/controller/status/naming_controller.go and
 * pkg/controller/establish of k8s.io/apiextensions-apiserver (1.36). `time` in RFC 3339.
 */
export function acceptNames(definition: CustomResourceDefinition, used: UsedNames, time: string): void {
  const requested = definition.spec.names;
  const status = (definition.status ??= {});
  const accepted: DefinitionNames = status.acceptedNames ?? { plural: "", kind: "" };
  if (!deepEqual(requested, accepted) || findCondition(definition, "NamesAccepted") === undefined) {
    const { names, condition } = decide(requested, accepted, used);
    status.acceptedNames = names;
    setCondition(definition, condition, time);
  }
  if (isConditionTrue(definition, "Established")) return;
  setCondition(
    definition,
    isConditionTrue(definition, "NamesAccepted")
      ? {
          type: "Established",
          status: "True",
          reason: "InitialNamesAccepted",
          message: "the initial names have been accepted",
        }
      : { type: "Established", status: "False", reason: "NotAccepted", message: "not all names are accepted" },
    time,
  );
}

function decide(
  requested: DefinitionNames,
  accepted: DefinitionNames,
  used: UsedNames,
): { names: DefinitionNames; condition: DefinitionCondition } {
  const names: DefinitionNames = { ...accepted };
  let condition: DefinitionCondition = {
    type: "NamesAccepted",
    status: "True",
    reason: "NoConflicts",
    message: "no conflicts found",
  };
  const refuse = (reason: string, message: string) => {
    condition = { type: "NamesAccepted", status: "False", reason, message };
  };
  const inUse = (name: string) => `${quote(name)} is already in use`;
  const take = (field: "plural" | "singular" | "kind" | "listKind", reason: string, taken: ReadonlySet<string>) => {
    const name = requested[field] ?? "";
    if (name !== (accepted[field] ?? "") && taken.has(name)) refuse(reason, inUse(name));
    else if (name !== "") names[field] = name;
  };
  take("plural", "PluralConflict", used.resources);
  take("singular", "SingularConflict", used.resources);
  const own = new Set([...(accepted.shortNames ?? []), accepted.plural, accepted.singular]);
  const conflicts = (requested.shortNames ?? [])
    .filter((name) => !own.has(name) && used.resources.has(name))
    .map(inUse);
  if (conflicts.length > 0)
    refuse("ShortNamesConflict", conflicts.length === 1 ? conflicts[0]! : `[${conflicts.join(", ")}]`);
  else if (requested.shortNames === undefined) delete names.shortNames;
  else names.shortNames = requested.shortNames;
  take("kind", "KindConflict", used.kinds);
  take("listKind", "ListKindConflict", used.kinds);
  if (requested.categories === undefined) delete names.categories;
  else names.categories = requested.categories;
  return { names, condition };
}
