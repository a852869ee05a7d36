import { apiVersionOf, type GroupVersionKind } from "../../apimachinery/gvk.ts";
import type { KubeObject } from "../../apimachinery/meta.ts";
import { isJsonObject, type JsonObject } from "../../apimachinery/patch/own-property.ts";
import { newBadRequest, newUnsupportedMediaType, type StatusError } from "../../apimachinery/status-errors.ts";
import { schemaTable } from "../schema-table.ts";
import type { StructInfo } from "../schema.ts";
import { parseCbor } from "./cbor-decode.ts";
import {
  acceptedMediaTypes,
  bareMediaType,
  cborMediaType,
  jsonMediaType,
  protobufMediaType,
  yamlMediaType,
} from "./media-types.ts";
import { normalizeCustom } from "./normalize-custom.ts";
import { normalizeObject } from "./normalize.ts";
import { parseJson, type ParsedDocument } from "./parse-json.ts";
import { parseYaml } from "./parse-yaml.ts";
import { decodeProtobuf } from "./protobuf-decode.ts";
import { decodeUnknown } from "./protobuf-envelope.ts";
import { strictDecodingMessage, UnmarshalError } from "./unmarshal-error.ts";

export type FieldValidation = "Ignore" | "Warn" | "Strict";

export interface DecodedObject {
  object: KubeObject;
  /** What the body says, gaps filled from the expected kind. */
  gvk: GroupVersionKind;
  /** Under "Warn": unknown and duplicate fields, one warning each. */
  warnings: string[];
}

const scheme = "pkg/api/legacyscheme/scheme.go:30";
const utf8 = new TextDecoder();

/** Kinds that every group and version has. */
const optionKinds = new Set([
  "DeleteOptions",
  "CreateOptions",
  "UpdateOptions",
  "PatchOptions",
  "GetOptions",
  "ListOptions",
  "WatchEvent",
]);

/**
 * A request body as an object of its kind, in the form that upstream would store and write again (see
 * normalizeObject). A kind that is not built in is left as it is but for its metadata.
 * `expected` fills missing kind and apiVersion (of a built-in kind; a custom object has to name its own), and a body of another kind is refused (of a custom resource only another
 * version is: the kind is for its validation). Every error is a StatusError:
 * 400 with upstream's text, 415 for an unknown media type.
 * Mirrors k8s.io/apiserver pkg/endpoints/handlers/{create,rest}.go and k8s.io/apimachinery pkg/runtime/serializer (1.36).
 */
export function decodeObject(
  body: Uint8Array,
  mediaType: string,
  expected: GroupVersionKind | undefined,
  options: { fieldValidation: FieldValidation },
): DecodedObject {
  const attempt: Attempt = { gvk: undefined, text: undefined };
  try {
    switch (bareMediaType(mediaType)) {
      case jsonMediaType:
      case yamlMediaType:
        return decodeText(body, bareMediaType(mediaType) === yamlMediaType, expected, options.fieldValidation, attempt);
      case protobufMediaType:
        return decodeBinary(body, expected, options.fieldValidation, attempt);
      case cborMediaType:
        return decodeCbor(body, expected, options.fieldValidation, attempt);
      default:
        throw newUnsupportedMediaType(acceptedMediaTypes);
    }
  } catch (error) {
    if (!(error instanceof UnmarshalError)) throw error;
    throw transformDecodeError(error, attempt.gvk, expected, body);
  }
}

/** How far a decode came, for the error's text. */
interface Attempt {
  gvk: GroupVersionKind | undefined;
  text: string | undefined;
}

function decodeText(
  body: Uint8Array,
  yaml: boolean,
  expected: GroupVersionKind | undefined,
  fieldValidation: FieldValidation,
  attempt: Attempt,
): DecodedObject {
  const text = utf8.decode(body);
  attempt.text = text;
  const strict = fieldValidation !== "Ignore";
  let parsed: ParsedDocument;
  try {
    parsed = (yaml ? parseYaml : parseJson)(text, { findDuplicates: strict });
  } catch (error) {
    if (error instanceof UnmarshalError && !yaml) {
      throw new UnmarshalError(`couldn't get version/kind; json parse error: ${error.message}`);
    }
    throw error;
  }
  return decodeValue(parsed.value, parsed.duplicates, expected, fieldValidation, attempt);
}

/** A key given twice is an error here whatever the validation. */
function decodeCbor(
  body: Uint8Array,
  expected: GroupVersionKind | undefined,
  fieldValidation: FieldValidation,
  attempt: Attempt,
): DecodedObject {
  let value: unknown;
  try {
    value = parseCbor(body);
  } catch (error) {
    if (!(error instanceof UnmarshalError)) throw error;
    throw new UnmarshalError(`unable to determine group/version/kind: ${error.message}`);
  }
  return decodeValue(value, [], expected, fieldValidation, attempt);
}

/** A parsed document. `duplicates` are field paths, or whole messages (YAML). */
function decodeValue(
  value: unknown,
  duplicates: readonly string[],
  expected: GroupVersionKind | undefined,
  fieldValidation: FieldValidation,
  attempt: Attempt,
): DecodedObject {
  const gvk = interpretKind(value, expected, attempt);
  attempt.gvk = gvk;
  const struct = structOf(gvk, expected);
  const strict = fieldValidation !== "Ignore";
  const { object, unknownFields } =
    struct === undefined
      ? normalizeCustom(value as JsonObject, { collectUnknown: strict })
      : normalizeObject(value, struct, { collectUnknown: strict });
  const repeated = duplicateProblems(duplicates, unknownFields);
  // An unstructured decoder finds duplicates; unknown fields are found afterwards.
  const problems = struct === undefined ? [...repeated, ...unknownFields] : [...unknownFields, ...repeated];
  const warnings = fieldValidation === "Warn" ? problems : [];
  const result = withKind(object, gvk);
  if (fieldValidation === "Strict" && problems.length > 0) throw new UnmarshalError(strictDecodingMessage(problems));
  checkExpected(gvk, expected);
  return { object: result, gvk, warnings };
}

function decodeBinary(
  body: Uint8Array,
  expected: GroupVersionKind | undefined,
  fieldValidation: FieldValidation,
  attempt: Attempt,
): DecodedObject {
  const unknown = decodeUnknown(body);
  const gvk = withDefaults(unknown, expected);
  attempt.gvk = gvk;
  if (unknown.contentType === jsonMediaType) {
    const { value, duplicates } = parseJson(utf8.decode(unknown.raw), { findDuplicates: fieldValidation !== "Ignore" });
    return decodeValue(value, duplicates, expected ?? gvk, fieldValidation, attempt);
  }
  const struct = structOf(gvk, expected);
  if (struct === undefined) {
    throw new UnmarshalError(
      "object *unstructured.Unstructured does not implement the protobuf marshalling interface and cannot be encoded to a protobuf message",
    );
  }
  const object = withKind(decodeProtobuf(struct, unknown.raw), gvk);
  checkExpected(gvk, expected);
  return { object, gvk, warnings: [] };
}

const typeMetaStruct =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

/** json.DefaultMetaFactory.Interpret, then the defaults. */
function interpretKind(value: unknown, expected: GroupVersionKind | undefined, attempt: Attempt): GroupVersionKind {
  const refuse = (message: string): never => {
    throw new UnmarshalError(`couldn't get version/kind; json parse error: json: cannot unmarshal ${message}`);
  };
  if (value !== null && !isJsonObject(value)) {
    const word = Array.isArray(value) ? "array" : typeof value === "boolean" ? "bool" : typeof value;
    refuse(`${word} into Go value of type ${typeMetaStruct}`);
  }
  const { kind = "", apiVersion = "" } = (value ?? {}) as JsonObject;
  for (const [name, member] of Object.entries({ apiVersion, kind })) {
    if (member !== null && typeof member !== "string") {
      const word = Array.isArray(member) ? "array" : typeof member === "boolean" ? "bool" : typeof member;
      refuse(`${word} into Go struct field .${name} of type string`);
    }
  }
  const custom = isCustom(expected);
  const gvk = withDefaults(
    { kind: (kind as string | null) ?? "", apiVersion: (apiVersion as string | null) ?? "" },
    custom ? undefined : expected,
  );
  const shown = attempt.text ?? JSON.stringify(value);
  if (custom && gvk.kind !== "") return gvk;
  if (gvk.kind === "") throw new UnmarshalError(`Object 'Kind' is missing in '${shown}'`);
  if (gvk.version === "") throw new UnmarshalError(`Object 'apiVersion' is missing in '${shown}'`);
  return gvk;
}

function withDefaults(
  typeMeta: { kind: string; apiVersion: string },
  expected: GroupVersionKind | undefined,
): GroupVersionKind {
  const parts = typeMeta.apiVersion.split("/");
  if (parts.length > 2) throw new UnmarshalError(`unexpected GroupVersion string: ${typeMeta.apiVersion}`);
  let [group = "", version = ""] = parts.length === 2 ? parts : ["", ...parts];
  if (expected !== undefined && version === "" && (group === "" || group === expected.group)) {
    group = expected.group;
    version = expected.version;
  }
  return { group, version, kind: typeMeta.kind === "" ? (expected?.kind ?? "") : typeMeta.kind };
}

/** undefined for custom resources: whatever the body says where one is expected. */
function structOf(gvk: GroupVersionKind, expected: GroupVersionKind | undefined): StructInfo | undefined {
  if (isCustom(expected)) return undefined;
  const struct = schemaTable.structOfKind(gvk.group, gvk.version, gvk.kind);
  if (struct !== undefined) return struct;
  throw new UnmarshalError(
    `no kind "${gvk.kind}" is registered for version "${apiVersionOf(gvk)}" in scheme "${scheme}"`,
  );
}

function isCustom(expected: GroupVersionKind | undefined): boolean {
  return (
    expected !== undefined && schemaTable.structOfKind(expected.group, expected.version, expected.kind) === undefined
  );
}

/** Duplicates inside an unknown field go unseen upstream: its value is skipped. */
function duplicateProblems(duplicates: readonly string[], unknownFields: readonly string[]): string[] {
  if (duplicates.length === 0) return [];
  const unknown = unknownFields.map((message) => JSON.parse(message.slice("unknown field ".length)) as string);
  return duplicates
    .filter((path) => !unknown.some((prefix) => path.startsWith(`${prefix}.`) || path.startsWith(`${prefix}[`)))
    .map((path) => (path.startsWith("yaml: ") ? path : `duplicate field ${JSON.stringify(path)}`));
}

function withKind(object: JsonObject, gvk: GroupVersionKind): KubeObject {
  return { kind: gvk.kind, apiVersion: apiVersionOf(gvk), ...withoutKind(object) } as KubeObject;
}

function withoutKind(object: JsonObject): JsonObject {
  const { kind: _kind, apiVersion: _apiVersion, ...rest } = object;
  return rest;
}

function checkExpected(gvk: GroupVersionKind, expected: GroupVersionKind | undefined): void {
  if (expected === undefined || (gvk.kind === expected.kind && optionKinds.has(gvk.kind))) return;
  if (gvk.kind !== expected.kind && !isCustom(expected)) {
    throw new UnmarshalError(
      `converting (${gvk.version}.${gvk.kind}) to (${internalPackage(expected.group)}.${expected.kind}): unknown conversion`,
    );
  }
  if (gvk.group !== expected.group || gvk.version !== expected.version) {
    throw newBadRequest(
      `the API version in the data (${apiVersionOf(gvk)}) does not match the expected API version (${apiVersionOf(expected)})`,
    );
  }
}

/** Go package of a group's internal types. */
function internalPackage(group: string): string {
  if (group === "") return "core";
  const first = group.slice(0, group.indexOf(".") < 0 ? undefined : group.indexOf("."));
  return group === "rbac.authorization.k8s.io" ? "rbac" : first;
}

/** transformDecodeError of k8s.io/apiserver pkg/endpoints/handlers/rest.go. */
function transformDecodeError(
  error: UnmarshalError,
  gvk: GroupVersionKind | undefined,
  expected: GroupVersionKind | undefined,
  body: Uint8Array,
): StatusError {
  const expectedKind = expected?.kind ?? gvk?.kind ?? "Unknown";
  return newBadRequest(
    gvk !== undefined && gvk.kind !== ""
      ? `${gvk.kind} in version "${gvk.version}" cannot be handled as a ${expectedKind}: ${error.message}`
      : `the object provided is unrecognized (must be of type ${expectedKind}): ${error.message} (${summarize(body)})`,
  );
}

function summarize(body: Uint8Array): string {
  if (body.length === 0) return "<empty>";
  const head = body.subarray(0, 30);
  const text =
    body[0] === 0x7b ? utf8.decode(head) : Array.from(head, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return body.length > 30 ? `${text} ...` : text;
}
