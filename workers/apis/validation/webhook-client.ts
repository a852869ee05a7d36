import { invalid, required } from "../../apimachinery/field-error.ts";
import { isDns1123Subdomain, isValidPortNum } from "../../apimachinery/validation-names.ts";
import { isSet, numberOf, textOf } from "./checks.ts";
import type { Causes } from "./checks.ts";

const form = "; desired format: https://host[/path]";
const urlPattern =
  /^(?:([A-Za-z][A-Za-z0-9+.-]*):)?(?:\/\/(?:([^/?#@]*)@)?([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/s;

/** Where a webhook is. Mirrors k8s.io/apiserver pkg/util/webhook/validation.go (1.36). */
export function validateWebhookClient(config: any, path: string, causes: Causes): void {
  const { url, service } = config ?? {};
  if (isSet(url) === isSet(service)) causes.push(required(path, "exactly one of url or service is required"));
  else if (isSet(url)) validateWebhookUrl(textOf(url), `${path}.url`, causes);
  else validateWebhookService(service, `${path}.service`, causes);
}

function validateWebhookUrl(url: string, path: string, causes: Causes): void {
  const match = urlPattern.exec(url);
  if (match === null || /[\x00-\x20\x7f]/.test(url)) {
    return void causes.push(
      required(path, `url must be a valid URL: parse ${JSON.stringify(url)}: invalid character in URL${form}`),
    );
  }
  const [, scheme = "", user, host = "", , query = "", fragment = ""] = match;
  if (scheme.toLowerCase() !== "https")
    causes.push(invalid(path, scheme, `'https' is the only allowed URL scheme${form}`));
  if (host === "") causes.push(invalid(path, host, `host must be specified${form}`));
  if (user !== undefined) causes.push(invalid(path, user, "user information is not permitted in the URL"));
  if (fragment !== "") causes.push(invalid(path, fragment, "fragments are not permitted in the URL"));
  if (query !== "") causes.push(invalid(path, query, "query parameters are not permitted in the URL"));
}

export function validateWebhookService(service: any, path: string, causes: Causes): void {
  if (!service.name) causes.push(required(`${path}.name`, "service name is required"));
  if (!service.namespace) causes.push(required(`${path}.namespace`, "service namespace is required"));
  const port = numberOf(service.port);
  const problems = isValidPortNum(port);
  if (problems.length > 0) causes.push(invalid(`${path}.port`, port, `port is not valid: ${problems.join(",")}`));
  const text = textOf(service.path);
  if (text === "" || text === "/") return;
  const refuse = (detail: string) => causes.push(invalid(`${path}.path`, text, detail));
  if (text === "//") return void refuse("segment[0] may not be empty");
  if (!text.startsWith("/")) refuse("must start with a '/'");
  for (const [index, step] of text.slice(1).replace(/\/$/, "").split("/").entries()) {
    if (step === "") refuse(`segment[${index}] may not be empty`);
    else for (const problem of isDns1123Subdomain(step)) refuse(`segment[${index}]: ${problem}`);
  }
}
