import type { Environment } from "./environment.ts";
import { extend, kubernetesEnvironment } from "./environment.ts";
import { CelError } from "./errors.ts";
import { quantityOf, quantityType } from "./library/quantity.ts";
import { semverOf } from "./library/semver.ts";
import { bindingMacros } from "./macros.ts";
import { boolType, dynType, mapOf, stringType } from "./types.ts";
import type { CelType } from "./types.ts";
import type { Value } from "./values.ts";
import { CelMap, NativeMap } from "./values.ts";

const deviceType: CelType = {
  kind: "object",
  name: "kubernetes.DRADevice",
  fields: new Map([
    ["driver", stringType],
    ["attributes", mapOf(stringType, mapOf(stringType, dynType))],
    ["capacity", mapOf(stringType, mapOf(stringType, quantityType))],
    ["allowMultipleAllocations", boolType],
  ]),
};

/** Selectors of device classes and claims. Mirrors k8s.io/dynamic-resource-allocation cel/compile.go (1.36). */
export const deviceEnvironment: Environment = extend(kubernetesEnvironment, {
  variables: { device: deviceType },
  macros: bindingMacros,
});

/** resource.k8s.io DeviceAttribute: one of its members is set. */
export interface DeviceAttribute {
  readonly bool?: boolean;
  readonly int?: number;
  readonly string?: string;
  readonly version?: string;
}

export interface DeviceInput {
  readonly driver: string;
  readonly allowMultipleAllocations?: boolean;
  /** By qualified name; one without a domain is in the driver's. */
  readonly attributes?: Readonly<Record<string, DeviceAttribute>>;
  readonly capacity?: Readonly<Record<string, { readonly value: string | number }>>;
}

/** The value of the variable `device`. Raises CelError for an attribute or capacity that cannot be read. */
export function deviceValue(input: DeviceInput): Value {
  const device = new NativeMap();
  device.set("driver", input.driver);
  device.set("attributes", byDomain(input.driver, input.attributes ?? {}, attributeValue));
  device.set(
    "capacity",
    byDomain(input.driver, input.capacity ?? {}, (capacity) => quantityOf(String(capacity.value))),
  );
  device.set("allowMultipleAllocations", input.allowMultipleAllocations ?? false);
  return device;
}

function attributeValue(attribute: DeviceAttribute): Value {
  if (attribute.bool !== undefined) return attribute.bool;
  if (attribute.int !== undefined) return BigInt(attribute.int);
  if (attribute.string !== undefined) return attribute.string;
  if (attribute.version !== undefined) return semverOf(attribute.version);
  throw new CelError("unsupported attribute value");
}

function byDomain<T>(driver: string, named: Readonly<Record<string, T>>, convert: (item: T) => Value): CelMap {
  const domains = new Map<string, NativeMap>();
  for (const [name, item] of Object.entries(named)) {
    const slash = name.indexOf("/");
    const domain = slash === -1 ? driver : name.slice(0, slash);
    const members = domains.get(domain) ?? new NativeMap();
    members.set(name.slice(slash + 1), convert(item));
    domains.set(domain, members);
  }
  return new Domains(domains);
}

/** A domain that no name uses is an empty map, not an error. */
class Domains extends CelMap {
  readonly #domains: ReadonlyMap<string, NativeMap>;

  constructor(domains: ReadonlyMap<string, NativeMap>) {
    super();
    this.#domains = domains;
  }

  get size(): number {
    return this.#domains.size;
  }

  get(key: Value): Value | undefined {
    return typeof key === "string" ? (this.#domains.get(key) ?? new NativeMap()) : undefined;
  }

  has(key: Value): boolean {
    return typeof key === "string" && this.#domains.has(key);
  }

  keys(): Iterable<Value> {
    return this.#domains.keys();
  }
}
