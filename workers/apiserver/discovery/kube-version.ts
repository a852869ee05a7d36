/**
 * Order of Kubernetes-like versions: stable before beta before alpha, higher numbers first; other names after them,
 * alphabetically. Mirrors k8s.io/apimachinery pkg/version/helpers.go (1.36).
 */
export function compareKubeAwareVersions(a: string, b: string): number {
  const left = parseKubeVersion(a);
  const right = parseKubeVersion(b);
  if (!left && !right) return a < b ? -1 : a > b ? 1 : 0;
  if (!left) return 1;
  if (!right) return -1;
  for (let index = 0; index < left.length; index++) {
    const difference = (right[index] ?? 0) - (left[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** [stability, major, minor]; undefined for a name of another form. */
function parseKubeVersion(version: string): [number, number, number] | undefined {
  const match = /^v([1-9]\d*)(?:(alpha|beta)([1-9]\d*))?$/.exec(version);
  if (!match) return undefined;
  const stability = match[2] === "alpha" ? 0 : match[2] === "beta" ? 1 : 2;
  return [stability, Number(match[1]), Number(match[3] ?? 0)];
}
