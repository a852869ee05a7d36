import { newNotAcceptable } from "../../apimachinery/status-errors.ts";
import {
  acceptedMediaTypes,
  cborMediaType,
  cborSequenceMediaType,
  jsonMediaType,
  protobufMediaType,
  yamlMediaType,
} from "../../apis/codec/media-types.ts";

const streamMediaTypes = [jsonMediaType, protobufMediaType].map((type) => `${type};stream=watch`);

/** The form of an answer: encoding, and which object stands for the stored one. */
export interface OutputForm {
  format: "json" | "yaml" | "protobuf" | "cbor";
  as: "object" | "table" | "partial" | "partialList";
  /** Version of meta.k8s.io for everything but "object". */
  version: "v1" | "v1beta1";
}

interface Clause {
  type: string;
  parameters: Record<string, string>;
  q: number;
}

function parseAccept(header: string): Clause[] {
  const clauses: Clause[] = [];
  for (const part of header.split(",")) {
    const [type, ...rest] = part.split(";").map((text) => text.trim());
    if (!type) continue;
    const parameters: Record<string, string> = {};
    for (const parameter of rest) {
      const [name, value = ""] = parameter.split("=");
      if (name) parameters[name.trim()] = value.trim().replace(/^"|"$/g, "");
    }
    const q = parameters.q === undefined ? 1 : Number(parameters.q);
    clauses.push({ type: type.toLowerCase(), parameters, q: Number.isFinite(q) ? q : 0 });
  }
  return clauses.toSorted((a, b) => b.q - a.q);
}

const transforms: Record<string, OutputForm["as"]> = {
  Table: "table",
  PartialObjectMetadata: "partial",
  PartialObjectMetadataList: "partialList",
};

/** What an answer may be shown as: one object, a list, a stream of events, or nothing but what it is. */
export type Shows = "object" | "list" | "watch" | "plain";

const transformsOf: Record<Shows, ReadonlySet<OutputForm["as"]>> = {
  object: new Set(["table", "partial"]),
  list: new Set(["table", "partialList"]),
  watch: new Set(["table", "partial"]),
  plain: new Set(),
};

/**
 * Picks the first clause of Accept that can be served. `resource` is that of the objects: custom ones have no protobuf form
 * of their own, but their metadata has.
 * Throws 406 when there is no such clause, and for a watch when that clause has no form for streams (YAML).
 * Mirrors k8s.io/apiserver pkg/endpoints/handlers/negotiation/negotiate.go (1.36).
 */
export function negotiate(accept: string | undefined, shows: Shows, resource?: { custom?: unknown }): OutputForm {
  const form = firstServed(accept, shows, resource?.custom !== undefined);
  if (form === undefined) throw newNotAcceptable(acceptedMediaTypes);
  if (shows === "watch" && form.format === "yaml") throw newNotAcceptable(streamMediaTypes);
  return form;
}

/** The form of an error: undefined when the client accepts none, and then it gets JSON. */
export function negotiateStatus(accept: string | undefined): OutputForm | undefined {
  return firstServed(accept, "plain", false);
}

function firstServed(accept: string | undefined, shows: Shows, custom: boolean): OutputForm | undefined {
  if (accept === undefined || accept.trim() === "") return { format: "json", as: "object", version: "v1" };
  for (const { type, parameters } of parseAccept(accept)) {
    const format = formatOf(type);
    const { as, g, v, stream } = parameters;
    if (format === undefined || (stream && (stream !== "watch" || format === "yaml"))) continue;
    if (as === undefined && g === undefined && v === undefined) {
      if (custom && format === "protobuf") continue;
      return { format, as: "object", version: "v1" };
    }
    const transform = as !== undefined && Object.hasOwn(transforms, as) ? transforms[as] : undefined;
    if (transform === undefined || !transformsOf[shows].has(transform) || g !== "meta.k8s.io") continue;
    if (v !== "v1" && v !== "v1beta1") continue;
    // Tables are text.
    if (transform === "table" && format !== "json" && format !== "yaml") continue;
    return { format, as: transform, version: v };
  }
  return undefined;
}

function formatOf(type: string): OutputForm["format"] | undefined {
  switch (type) {
    case "*/*":
    case "application/*":
    case jsonMediaType:
      return "json";
    case yamlMediaType:
      return "yaml";
    case protobufMediaType:
      return "protobuf";
    case cborMediaType:
    case cborSequenceMediaType:
      return "cbor";
    default:
      return undefined;
  }
}
