import { formatTime } from "../../apimachinery/clock.ts";
import type { KubeObject } from "../../apimachinery/meta.ts";
import type { RequestScope, Strategy } from "../../registry/strategy.ts";
import { approvalCondition } from "./api-approval.ts";
import type { CustomResourceDefinition } from "./definition.ts";
import { cleanupFinalizer, setCondition } from "./definition.ts";
import { validateDefinition, validateDefinitionUpdate } from "./definition-validation.ts";
import { formatWarnings } from "./definition-warnings.ts";
import { acceptNames, usedNames } from "./naming.ts";
import { knownDefinitions } from "./snapshot.ts";

/**
 * CustomResourceDefinitions. Their status is settled in the write itself: names accepted, established, storage version
 * recorded. The director has brought the snapshot up to date before. Mirrors
 * pkg/registry/customresourcedefinition/strategy.go and etcd.go of k8s.io/apiextensions-apiserver (1.36).
 */
export const definitionStrategy: Strategy = {
  generation: "spec",
  requireResourceVersion: true,

  prepareForCreate(object, scope) {
    const definition = object as CustomResourceDefinition;
    const storage = definition.spec?.versions?.find((version) => version.storage);
    definition.status = { conditions: [], storedVersions: storage === undefined ? [] : [storage.name] };
    if (isWhole(definition)) settle(definition, scope);
  },

  validate(object, scope) {
    const definition = object as CustomResourceDefinition;
    scope.warnings.push(...formatWarnings(definition));
    return validateDefinition(definition);
  },

  prepareForUpdate(object, _previous, scope) {
    const definition = object as CustomResourceDefinition;
    const storage = definition.spec.versions?.find((version) => version.storage);
    const stored = definition.status?.storedVersions ?? [];
    if (storage !== undefined && !stored.includes(storage.name)) {
      definition.status = { ...definition.status, storedVersions: [...stored, storage.name] };
    }
    if (isWhole(definition)) settle(definition, scope);
  },

  validateUpdate(object, previous, scope) {
    const definition = object as CustomResourceDefinition;
    scope.warnings.push(...formatWarnings(definition));
    return validateDefinitionUpdate(definition, previous as CustomResourceDefinition);
  },

  prepareForStatusUpdate(object, _previous, scope) {
    settle(object as CustomResourceDefinition, scope);
  },

  /** The first deletion only marks the definition; it goes when its objects are gone. */
  terminate(object: KubeObject, now: number) {
    if (object.metadata.deletionTimestamp !== undefined) return (object.metadata.finalizers?.length ?? 0) > 0;
    const time = formatTime(now);
    object.metadata.deletionTimestamp = time;
    object.metadata.deletionGracePeriodSeconds = 0;
    if (object.metadata.generation !== undefined) object.metadata.generation++;
    markTerminating(object, time);
    return true;
  },
};

function markTerminating(object: KubeObject, time: string): void {
  const finalizers = (object.metadata.finalizers ??= []);
  if (!finalizers.includes(cleanupFinalizer)) finalizers.push(cleanupFinalizer);
  setCondition(
    object,
    {
      type: "Terminating",
      status: "True",
      reason: "InstanceDeletionPending",
      message: "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon",
    },
    time,
  );
}

function settle(definition: CustomResourceDefinition, scope: RequestScope): void {
  const time = formatTime(scope.clock.now());
  definition.status = structuredClone(definition.status ?? {});
  const others = knownDefinitions(scope.storage.cluster).filter(
    ({ metadata }) => metadata.name !== definition.metadata.name,
  );
  if (definition.metadata.deletionTimestamp === undefined)
    acceptNames(definition, usedNames(definition.spec.group, others), time);
  const approval = approvalCondition(definition);
  if (approval !== undefined) setCondition(definition, approval, time);
}

/** Far enough from nonsense that names can be read; validation tells what is wrong with the rest. */
function isWhole({ spec }: CustomResourceDefinition): boolean {
  return typeof spec?.names?.plural === "string" && typeof spec.names.kind === "string" && Array.isArray(spec.versions);
}
