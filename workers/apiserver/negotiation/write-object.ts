import * as yaml from "js-yaml";
import type { KubeObject } from "../../apimachinery/meta.ts";
import { newNotAcceptable } from "../../apimachinery/status-errors.ts";
import { encodeUnknown, encodeProtobuf } from "../../apis/codec/protobuf.ts";
import { schemaTable } from "../../apis/schema-table.ts";
import { parseApiVersion } from "../../apimachinery/gvk.ts";
import { jsonResponse } from "../responses.ts";
import { protobufType, yamlType } from "./negotiate.ts";
import type { OutputForm } from "./negotiate.ts";

/** A JSON text in the encoding that was asked for. */
export function writeText(text: string, form: OutputForm, status = 200): Response {
  if (form.format === "json") return jsonResponse(`${text}\n`, status);
  return writeObject(JSON.parse(text) as KubeObject, form, status);
}

export function writeObject(object: KubeObject, form: OutputForm, status = 200): Response {
  switch (form.format) {
    case "json":
      return jsonResponse(`${JSON.stringify(object)}\n`, status);
    case "yaml":
      return new Response(yaml.dump(object, { noRefs: true, sortKeys: true, lineWidth: -1 }), { status, headers: { "Content-Type": yamlType } });
    case "protobuf": {
      const { group, version } = parseApiVersion(object.apiVersion ?? "");
      const struct = schemaTable.structOfKind(group, version, object.kind ?? "");
      // Kinds without a protobuf form (custom resources, tables) are not offered in it.
      if (struct === undefined) throw newNotAcceptable(["application/json", yamlType]);
      const body = encodeUnknown(object.apiVersion ?? "", object.kind ?? "", encodeProtobuf(struct, object));
      return new Response(body as Uint8Array<ArrayBuffer>, { status, headers: { "Content-Type": protobufType } });
    }
  }
}
