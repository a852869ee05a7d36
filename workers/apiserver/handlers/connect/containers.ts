import type { KubeObject } from "../../../apimachinery/meta.ts";
import { newBadRequest } from "../../../apimachinery/status-errors.ts";

/** The container that is meant, of any kind; without a name the only one. Mirrors validateContainer of pkg/registry/core/pod/strategy.go (1.36). */
export function containerOf(pod: KubeObject, name: string | null): string {
  const { spec } = pod;
  const containers: string[] = (spec?.containers ?? []).map((container: { name: string }) => container.name);
  const all = ["initContainers", "containers", "ephemeralContainers"].flatMap((field) =>
    ((spec?.[field] ?? []) as { name: string }[]).map((container) => container.name),
  );
  const podName = pod.metadata.name ?? "";
  if (name) {
    if (!all.includes(name)) throw newBadRequest(`container ${name} is not valid for pod ${podName}`);
    return name;
  }
  if (containers.length === 1) return containers[0]!;
  const choice = containers.length === 0 ? "" : `, choose one of: [${all.join(" ")}]`;
  throw newBadRequest(`a container name must be specified for pod ${podName}${choice}`);
}
