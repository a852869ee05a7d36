import { invalid, required } from "../../apimachinery/field-error.ts";
import { isDns1123SubdomainWithUnderscore } from "../../apimachinery/validation-names.ts";
import { checkText, dnsSubdomain, listOf, textOf } from "./checks.ts";
import type { Causes } from "./checks.ts";
import { validateIp } from "./ip.ts";

export const dnsPolicies = ["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"];

const maxNameservers = 3;
const maxSearchPaths = 32;
const maxSearchListCharacters = 2048;

/** Mirrors validatePodDNSConfig of pkg/apis/core/validation (1.36). */
export function validateDnsConfig(config: any, policy: unknown, path: string, causes: Causes): void {
  const nameservers = listOf(config?.nameservers);
  if (policy === "None") {
    if (!config) return void causes.push(required(path, "must provide `dnsConfig` when `dnsPolicy` is None"));
    if (nameservers.length === 0) {
      return void causes.push(
        required(`${path}.nameservers`, "must provide at least one DNS nameserver when `dnsPolicy` is None"),
      );
    }
  }
  if (!config) return;
  if (nameservers.length > maxNameservers) {
    causes.push(invalid(`${path}.nameservers`, nameservers, `must not have more than ${maxNameservers} nameservers`));
  }
  for (const [index, server] of nameservers.entries()) validateIp(server, `${path}.nameservers[${index}]`, causes);
  const searches = listOf(config.searches);
  if (searches.length > maxSearchPaths) {
    causes.push(invalid(`${path}.searches`, searches, `must not have more than ${maxSearchPaths} search paths`));
  }
  if (searches.join(" ").length > maxSearchListCharacters) {
    causes.push(
      invalid(
        `${path}.searches`,
        searches,
        `must not have more than ${maxSearchListCharacters} characters (including spaces) in the search list`,
      ),
    );
  }
  for (const [index, search] of searches.entries()) {
    if (search === ".") continue;
    const name = textOf(search).replace(/\.$/, "");
    checkText(isDns1123SubdomainWithUnderscore, name, `${path}.searches[${index}]`, causes);
  }
  for (const [index, option] of listOf(config.options).entries()) {
    if (!option.name) causes.push(required(`${path}.options[${index}]`, "must not be empty"));
  }
}

export function validateHostAliases(aliases: any[], path: string, causes: Causes): void {
  for (const [index, alias] of aliases.entries()) {
    validateIp(alias.ip, `${path}[${index}].ip`, causes);
    for (const [at, name] of listOf(alias.hostnames).entries()) {
      dnsSubdomain(name, `${path}[${index}].hostnames[${at}]`, causes);
    }
  }
}
