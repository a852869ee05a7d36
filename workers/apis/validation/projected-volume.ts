import { forbidden, invalid, required } from "../../apimachinery/field-error.ts";
import { isDns1123Subdomain } from "../../apimachinery/validation-names.ts";
import { isSet, listOf, numberOf, textOf } from "./checks.ts";
import type { Causes } from "./checks.ts";
import type { SourceCheck } from "./disk-sources.ts";
import { validateLabelSelector } from "./label-selector.ts";
import { validateLocalNonReservedPath } from "./paths.ts";
import { validateSignerName } from "./signer-name.ts";
import { validateDownwardFile, validateFileMode, validateKeyToPath } from "./volume-files.ts";

const minExpirationSeconds = 10 * 60;
const maxExpirationSeconds = 2 ** 32;

/** Mirrors validateProjectedVolumeSource of pkg/apis/core/validation (1.36). */
export const projected: SourceCheck = (volume, path, causes) => {
  validateFileMode(volume.defaultMode, `${path}.defaultMode`, causes);
  const paths = new Set<string>();
  const take = (filePath: unknown, shown: unknown) => {
    const text = textOf(filePath);
    if (text === "") return;
    if (paths.has(text)) causes.push(invalid(path, shown, "conflicting duplicate paths"));
    paths.add(text);
  };
  for (const [index, source] of listOf(volume.sources).entries()) {
    const field = `${path}.sources[${index}]`;
    let count = 0;
    for (const kind of ["secret", "configMap"]) {
      const projection = source[kind];
      if (!projection) continue;
      count++;
      if (!projection.name) causes.push(required(`${field}.${kind}.name`));
      for (const [at, item] of listOf(projection.items).entries()) {
        validateKeyToPath(item, `${field}.${kind}.items[${at}]`, causes);
        take(item.path, textOf(projection.name));
      }
    }
    if (source.downwardAPI) {
      count++;
      for (const file of listOf(source.downwardAPI.items)) {
        validateDownwardFile(file, `${field}.downwardAPI`, causes);
        take(file.path, file.path);
      }
    }
    if (source.serviceAccountToken) {
      count++;
      validateToken(source.serviceAccountToken, `${field}.serviceAccountToken`, path, causes);
    }
    if (source.clusterTrustBundle) {
      count++;
      validateTrustBundle(source.clusterTrustBundle, `${field}.clusterTrustBundle`, causes);
      take(source.clusterTrustBundle.path, textOf(source.clusterTrustBundle.path));
    }
    if (source.podCertificate) count++;
    if (count > 1) causes.push(forbidden(field, "may not specify more than 1 volume type per source"));
  }
};

/** The path of the file is reported at the volume, as upstream does. */
function validateToken(token: any, path: string, volumePath: string, causes: Causes): void {
  const seconds = numberOf(token.expirationSeconds);
  if (seconds < minExpirationSeconds) {
    causes.push(invalid(`${path}.expirationSeconds`, seconds, "may not specify a duration less than 10 minutes"));
  }
  if (seconds > maxExpirationSeconds) {
    causes.push(invalid(`${path}.expirationSeconds`, seconds, "may not specify a duration larger than 2^32 seconds"));
  }
  if (!token.path) causes.push(required(`${volumePath}.path`));
  else validateLocalNonReservedPath(token.path, `${volumePath}.path`, causes);
}

function validateTrustBundle(bundle: any, path: string, causes: Causes): void {
  const { name, signerName } = bundle;
  if (isSet(name) && isSet(signerName)) {
    causes.push(invalid(path, bundle, "only one of name and signerName may be used"));
  } else if (isSet(name)) {
    if (name === "") causes.push(required(`${path}.name`, "must be a valid object name"));
    for (const text of bundleNameProblems(name)) {
      causes.push(invalid(`${path}.name`, name, `not a valid clustertrustbundlename: ${text}`));
    }
    if (bundle.labelSelector) {
      causes.push(
        invalid(`${path}.labelSelector`, bundle.labelSelector, "labelSelector must be unset if name is specified"),
      );
    }
  } else if (isSet(signerName)) {
    if (signerName === "") causes.push(required(`${path}.signerName`, "must be a valid signer name"));
    validateSignerName(signerName, `${path}.signerName`, causes);
    validateLabelSelector(bundle.labelSelector, `${path}.labelSelector`, causes);
  } else causes.push(required(path, "either name or signerName must be specified"));
  if (!bundle.path) causes.push(required(`${path}.path`));
  validateLocalNonReservedPath(textOf(bundle.path), `${path}.path`, causes);
}

/** `signer:domain:name`, the part after the last colon being a subdomain. */
function bundleNameProblems(name: string): string[] {
  const colon = name.lastIndexOf(":");
  return colon < 0 ? isDns1123Subdomain(name) : isDns1123Subdomain(name.slice(colon + 1));
}
