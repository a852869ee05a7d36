import type { Value } from "./values.ts";
import { CelList, CelMap } from "./values.ts";

/** JSON without a schema as a dyn value: whole numbers are int. Mirrors cel-go's native type adapter on unstructured data. */
export function jsonValue(json: unknown): Value {
  switch (typeof json) {
    case "string":
    case "boolean":
    case "bigint":
      return json;
    case "number":
      return Number.isInteger(json) ? BigInt(json) : json;
    case "object":
      if (json === null) return null;
      return Array.isArray(json) ? new JsonList(json) : new JsonMap(json as Record<string, unknown>);
    default:
      return null;
  }
}

class JsonList extends CelList {
  readonly #json: readonly unknown[];

  constructor(json: readonly unknown[]) {
    super();
    this.#json = json;
  }

  get size(): number {
    return this.#json.length;
  }

  at(index: number): Value {
    return jsonValue(this.#json[index]);
  }
}

class JsonMap extends CelMap {
  readonly #json: Readonly<Record<string, unknown>>;

  constructor(json: Readonly<Record<string, unknown>>) {
    super();
    this.#json = json;
  }

  get size(): number {
    return Object.keys(this.#json).length;
  }

  get(key: Value): Value | undefined {
    return typeof key === "string" && this.has(key) ? jsonValue(this.#json[key]) : undefined;
  }

  has(key: Value): boolean {
    return typeof key === "string" && Object.hasOwn(this.#json, key) && this.#json[key] !== undefined;
  }

  keys(): Iterable<Value> {
    return Object.keys(this.#json);
  }
}
