import { quote } from "../../apimachinery/quote.ts";
import { isSet, listOf, textOf } from "../validation/checks.ts";

interface VirtualPath {
  path: string;
  /** Of a projected volume: which of its sources. */
  source: string;
}

/**
 * Files of one volume that would lie in each other's place.
 * Mirrors warningsForOverlappingVirtualPaths of pkg/api/pod/warnings.go (1.36).
 */
export function warningsForOverlappingPaths(volumes: unknown): string[] {
  const warnings: string[] = [];
  for (const volume of listOf(volumes)) {
    const name = quote(textOf(volume.name));
    const warn = (what: string, paths: VirtualPath[]) => {
      for (const overlap of overlaps(paths)) warnings.push(`volume ${name} (${what}): overlapping paths: ${overlap}`);
    };
    const { configMap, secret, downwardAPI, projected } = volume;
    if (configMap) warn(`ConfigMap ${quote(textOf(configMap.name))}`, pathsOf(configMap.items));
    if (secret) warn(`Secret ${quote(textOf(secret.secretName))}`, pathsOf(secret.items));
    if (downwardAPI) warn("DownwardAPI", pathsOf(downwardAPI.items));
    if (!projected) continue;
    const all: VirtualPath[] = [];
    for (const source of listOf(projected.sources)) {
      if (Object.values(source).some(isSet)) all.push(...projectedPaths(source));
      else warnings.push(`volume ${name} (Projected) has no sources provided`);
    }
    warn("Projected", all);
  }
  return warnings;
}

function pathsOf(items: unknown, source = ""): VirtualPath[] {
  return listOf(items).map((item) => ({ path: textOf(item.path), source }));
}

function projectedPaths(projection: any): VirtualPath[] {
  const { configMap, secret, downwardAPI, serviceAccountToken, clusterTrustBundle, podCertificate } = projection;
  if (configMap?.items) return pathsOf(configMap.items, `ConfigMap ${quote(textOf(configMap.name))}`);
  if (secret?.items) return pathsOf(secret.items, `Secret ${quote(textOf(secret.name))}`);
  if (downwardAPI?.items) return pathsOf(downwardAPI.items, "DownwardAPI");
  if (serviceAccountToken) return pathsOf([serviceAccountToken], "ServiceAccountToken");
  if (clusterTrustBundle) {
    const name = textOf(clusterTrustBundle.name ?? clusterTrustBundle.signerName);
    return pathsOf([clusterTrustBundle], `ClusterTrustBundle ${quote(name)}`);
  }
  if (!podCertificate) return [];
  return [
    { path: textOf(podCertificate.certificateChainPath), source: "PodCertificate chain" },
    { path: textOf(podCertificate.keyPath), source: "PodCertificate key" },
    { path: textOf(podCertificate.credentialBundlePath), source: "PodCertificate credential bundle" },
  ].filter(({ path }) => path !== "");
}

function overlaps(paths: VirtualPath[]): string[] {
  const found: string[] = [];
  const seen: VirtualPath[] = [];
  for (const { path, source } of paths) {
    const next = { path: path.replace(/\/+$/, ""), source };
    if (next.path !== "") {
      for (const other of seen) if (isOverlap(next.path, other.path)) found.push(`${show(next)} with ${show(other)}`);
    }
    seen.push(next);
  }
  return found;
}

function isOverlap(left: string, right: string): boolean {
  return right !== "" && (`${left}/`.startsWith(`${right}/`) || `${right}/`.startsWith(`${left}/`));
}

function show({ path, source }: VirtualPath): string {
  return source === "" ? quote(path) : `${quote(path)} (${source})`;
}
