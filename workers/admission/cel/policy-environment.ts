import type { Environment } from "./environment.ts";
import { extend, kubernetesEnvironment } from "./environment.ts";
import { jsonValue } from "./json-values.ts";
import type { Authorize, CheckAttributes } from "./library/authorizer.ts";
import { authorizerType, newAuthorizerValue, newResourceCheckValue, resourceCheckType } from "./library/authorizer.ts";
import { jsonPatchLibrary, mutationStructs } from "./mutation-types.ts";
import type { Activation } from "./planner.ts";
import { converterOf } from "./schema-values.ts";
import { schemaType } from "./schema-types.ts";
import type { StructuralSchema } from "./structural-schema.ts";
import type { CelType, ObjectType } from "./types.ts";
import { dynType } from "./types.ts";
import type { Value } from "./values.ts";
import { CelMap } from "./values.ts";

const string: StructuralSchema = { type: "string" };
const strings: StructuralSchema = { type: "array", items: string };
const time: StructuralSchema = { type: "string", format: "date-time" };
const stringMap: StructuralSchema = { type: "object", additionalProperties: string };
const object = (properties: Record<string, StructuralSchema>): StructuralSchema => ({ type: "object", properties });

const kind = object({ group: string, version: string, kind: string });
const resource = object({ group: string, version: string, resource: string });
const requestSchema = object({
  kind,
  resource,
  subResource: string,
  requestKind: kind,
  requestResource: resource,
  requestSubResource: string,
  name: string,
  namespace: string,
  operation: string,
  userInfo: object({
    username: string,
    uid: string,
    groups: strings,
    extra: { type: "object", additionalProperties: strings },
  }),
  dryRun: { type: "boolean" },
});
const namespaceSchema = object({
  metadata: object({
    name: string,
    generateName: string,
    namespace: string,
    labels: stringMap,
    annotations: stringMap,
    uid: string,
    resourceVersion: string,
    generation: { type: "integer" },
    creationTimestamp: time,
    deletionTimestamp: time,
    deletionGracePeriodSeconds: { type: "integer" },
    finalizers: strings,
  }),
  spec: object({ finalizers: strings }),
  status: object({ phase: string }),
});

const requestType = withOptions(schemaType(requestSchema, false, "kubernetes.AdmissionRequest")?.type as ObjectType);
const namespaceType = schemaType(namespaceSchema, false, "kubernetes.Namespace")?.type ?? dynType;

/** `request.options` has no schema. */
function withOptions(type: ObjectType): ObjectType {
  return { ...type, fields: { get: (name) => (name === "options" ? dynType : type.fields.get(name)) } };
}

export interface PolicyOptions {
  readonly params?: boolean;
  readonly authorizer?: boolean;
  /** `Object{}` and `JSONPatch{}` of mutating policies. */
  readonly mutation?: boolean;
  /** Types of the policy's variables, those already compiled: `variables.name`. */
  readonly variables?: Readonly<Record<string, CelType>>;
}

/**
 * What expressions of admission policies and match conditions may name: object, oldObject, request, namespaceObject and
 * what the options add. Mirrors k8s.io/apiserver pkg/admission/plugin/cel/compile.go (1.36).
 */
export function policyEnvironment(options: PolicyOptions = {}): Environment {
  const variables: Record<string, CelType> = {
    object: dynType,
    oldObject: dynType,
    request: requestType,
    namespaceObject: namespaceType,
  };
  if (options.params === true) variables["params"] = dynType;
  if (options.authorizer === true) {
    variables["authorizer"] = authorizerType;
    variables["authorizer.requestResource"] = resourceCheckType;
  }
  if (options.variables !== undefined) {
    const fields = new Map(Object.entries(options.variables));
    variables["variables"] = { kind: "object", name: "kubernetes.variables", fields };
  }
  const mutation = options.mutation === true;
  return extend(kubernetesEnvironment, {
    variables,
    ...(mutation ? { structs: mutationStructs, functions: jsonPatchLibrary } : {}),
  });
}

export interface PolicyInput {
  /** JSON; null or absent where the request has none. */
  readonly object?: unknown;
  readonly oldObject?: unknown;
  readonly params?: unknown;
  /** The fields of an AdmissionRequest. */
  readonly request: Readonly<Record<string, unknown>>;
  readonly namespaceObject?: unknown;
  readonly authorize?: Authorize;
  /** What `authorizer.requestResource` begins with. */
  readonly requestResource?: Omit<CheckAttributes, "verb">;
  /** Evaluates a variable when it is first read. May raise CelError. */
  readonly variable?: (name: string) => Value | undefined;
}

/** Values for the environment of the same options. */
export function policyActivation(input: PolicyInput): Activation {
  const { authorize } = input;
  return (name) => {
    switch (name) {
      case "object":
        return jsonValue(input.object ?? null);
      case "oldObject":
        return jsonValue(input.oldObject ?? null);
      case "params":
        return jsonValue(input.params ?? null);
      case "request":
        return new RequestValue(converterOf(requestSchema)(input.request) as CelMap, input.request["options"]);
      case "namespaceObject":
        return input.namespaceObject === undefined || input.namespaceObject === null
          ? null
          : converterOf(namespaceSchema)(input.namespaceObject);
      case "authorizer":
        return authorize === undefined ? undefined : newAuthorizerValue(authorize);
      case "authorizer.requestResource":
        return authorize === undefined ? undefined : newResourceCheckValue(authorize, input.requestResource ?? {});
      case "variables":
        return new LazyVariables(input.variable ?? (() => undefined));
      default:
        return undefined;
    }
  };
}

class RequestValue extends CelMap {
  override readonly typeName = "kubernetes.AdmissionRequest";
  readonly #fields: CelMap;
  readonly #options: unknown;

  constructor(fields: CelMap, options: unknown) {
    super();
    this.#fields = fields;
    this.#options = options;
  }

  get size(): number {
    return this.#fields.size;
  }

  get(key: Value): Value | undefined {
    if (key !== "options") return this.#fields.get(key);
    return this.has(key) ? jsonValue(this.#options) : undefined;
  }

  has(key: Value): boolean {
    return key === "options" ? this.#options !== undefined && this.#options !== null : this.#fields.has(key);
  }

  *keys(): Generator<Value> {
    yield* this.#fields.keys();
    if (this.has("options")) yield "options";
  }
}

class LazyVariables extends CelMap {
  override readonly typeName = "kubernetes.variables";
  readonly size = 0;
  readonly #values = new Map<string, Value | undefined>();
  readonly #evaluate: (name: string) => Value | undefined;

  constructor(evaluate: (name: string) => Value | undefined) {
    super();
    this.#evaluate = evaluate;
  }

  get(key: Value): Value | undefined {
    if (typeof key !== "string") return undefined;
    if (!this.#values.has(key)) this.#values.set(key, this.#evaluate(key));
    return this.#values.get(key);
  }

  has(key: Value): boolean {
    return this.get(key) !== undefined;
  }

  keys(): Iterable<Value> {
    return [];
  }
}
