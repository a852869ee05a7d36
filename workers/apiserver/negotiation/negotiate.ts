import { newNotAcceptable } from "../../apimachinery/status-errors.ts";

export const yamlType = "application/yaml";
export const protobufType = "application/vnd.kubernetes.protobuf";
const produced = ["application/json", yamlType, protobufType];

/** The form of an answer: encoding, and which object stands for the stored one. */
export interface OutputForm {
  format: "json" | "yaml" | "protobuf";
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
 * Picks the first clause of Accept that can be served. Events are streamed as JSON only.
 * Mirrors k8s.io/apiserver pkg/endpoints/handlers/negotiation/negotiate.go (1.36).
 */
export function negotiate(accept: string | undefined, shows: Shows): OutputForm {
  if (accept === undefined || accept.trim() === "") return { format: "json", as: "object", version: "v1" };
  for (const { type, parameters } of parseAccept(accept)) {
    const format = formatOf(type);
    if (format === undefined || (shows === "watch" && format !== "json")) continue;
    const { as, g, v } = parameters;
    if (as === undefined && g === undefined) return { format, as: "object", version: "v1" };
    const transform = as !== undefined && Object.hasOwn(transforms, as) ? transforms[as] : undefined;
    if (transform === undefined || !transformsOf[shows].has(transform) || g !== "meta.k8s.io") continue;
    if (v !== "v1" && v !== "v1beta1") continue;
    // Tables have no protobuf form.
    if (transform === "table" && format === "protobuf") continue;
    return { format, as: transform, version: v };
  }
  throw newNotAcceptable(shows === "watch" ? [produced[0]!] : produced);
}

function formatOf(type: string): OutputForm["format"] | undefined {
  switch (type) {
    case "*/*":
    case "application/*":
    case "application/json":
      return "json";
    case yamlType:
      return "yaml";
    case protobufType:
      return "protobuf";
    default:
      return undefined;
  }
}
