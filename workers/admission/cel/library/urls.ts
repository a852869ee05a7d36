import { quote } from "../../../apimachinery/quote.ts";
import { CelError } from "../errors.ts";
import type { NamedOverload } from "../functions.ts";
import { func, method } from "../functions.ts";
import { boolType, listOf, mapOf, opaque, stringType } from "../types.ts";
import { ArrayList, NativeMap, OpaqueValue } from "../values.ts";
import { spend } from "../work.ts";
import { traverseFirst } from "./costs.ts";
import type { GoUrl } from "./go-url.ts";
import { hostnameOf, parseQuery, parseRequestUri, portOf } from "./go-url.ts";

export class UrlValue extends OpaqueValue {
  readonly typeName = "kubernetes.URL";
  readonly url: GoUrl;
  readonly text: string;

  constructor(url: GoUrl, text: string) {
    super();
    this.url = url;
    this.text = text;
  }

  equals(other: OpaqueValue): boolean {
    return other instanceof UrlValue && other.text === this.text;
  }
}

export const urlType = opaque("kubernetes.URL");

function url(text: string): UrlValue {
  spend(text.length / 4);
  const parsed = parseRequestUri(text);
  if (typeof parsed === "string")
    throw new CelError(`URL parse error during conversion from string: parse ${quote(text)}: ${parsed}`);
  return new UrlValue(parsed, text);
}

function query(value: UrlValue): NativeMap {
  const map = new NativeMap();
  for (const [name, values] of parseQuery(value.url.rawQuery)) map.set(name, new ArrayList(values));
  return map;
}

/** k8s.io/apiserver pkg/cel/library/urls.go (1.36). */
export const urlsLibrary: readonly NamedOverload[] = [
  func("string_to_url", "url", [stringType], urlType, url, traverseFirst),
  func(
    "is_url_string",
    "isURL",
    [stringType],
    boolType,
    (text: string) => typeof parseRequestUri(text) !== "string",
    traverseFirst,
  ),
  method("url_get_scheme", "getScheme", [urlType], stringType, (value: UrlValue) => value.url.scheme),
  method("url_get_host", "getHost", [urlType], stringType, (value: UrlValue) => value.url.host),
  method("url_get_hostname", "getHostname", [urlType], stringType, (value: UrlValue) => hostnameOf(value.url.host)),
  method("url_get_port", "getPort", [urlType], stringType, (value: UrlValue) => portOf(value.url.host)),
  method("url_get_escaped_path", "getEscapedPath", [urlType], stringType, (value: UrlValue) => value.url.escapedPath),
  method("url_get_query", "getQuery", [urlType], mapOf(stringType, listOf(stringType)), query),
];
