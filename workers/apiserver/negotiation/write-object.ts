import * as yaml from "js-yaml";
import type { KubeObject } from "../../apimachinery/meta.ts";
import { newNotAcceptable } from "../../apimachinery/status-errors.ts";
import { encodeBinary } from "../../apis/codec/encode.ts";
import {
  acceptedMediaTypes,
  cborMediaType,
  jsonMediaType,
  protobufMediaType,
  yamlMediaType,
} from "../../apis/codec/media-types.ts";
import type { OutputForm } from "./negotiate.ts";

/** A JSON text in the encoding that was asked for. */
export function writeText(text: string, form: OutputForm, status = 200): Response {
  if (form.format === "json") return answer(`${text}\n`, jsonMediaType, status);
  return writeObject(JSON.parse(text) as KubeObject, form, status);
}

export function writeObject(object: KubeObject, form: OutputForm, status = 200): Response {
  switch (form.format) {
    case "json":
      return answer(`${JSON.stringify(object)}\n`, jsonMediaType, status);
    case "yaml":
      return answer(yaml.dump(object, { noRefs: true, sortKeys: true, lineWidth: -1 }), yamlMediaType, status);
    case "cbor":
      return answer(encodeBinary(object, "cbor")!, cborMediaType, status);
    case "protobuf": {
      const body = encodeBinary(object, "protobuf");
      if (body === undefined) throw newNotAcceptable(acceptedMediaTypes);
      return answer(body, protobufMediaType, status);
    }
  }
}

function answer(body: string | Uint8Array, mediaType: string, status: number): Response {
  return new Response(body as string | Uint8Array<ArrayBuffer>, { status, headers: { "Content-Type": mediaType } });
}
