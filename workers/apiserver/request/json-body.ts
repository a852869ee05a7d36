import { newBadRequest } from "../../apimachinery/status-errors.ts";
import { parseJson } from "../../apis/codec/parse-json.ts";
import { UnmarshalError } from "../../apis/codec/unmarshal-error.ts";
import { readBody } from "./body.ts";

/** The body of a request as a JSON value; 400 with Go's words when it is none. */
export async function readJson(request: Request): Promise<unknown> {
  const text = new TextDecoder().decode(await readBody(request));
  try {
    return parseJson(text, { findDuplicates: false }).value;
  } catch (error) {
    throw error instanceof UnmarshalError ? newBadRequest(error.message) : error;
  }
}
