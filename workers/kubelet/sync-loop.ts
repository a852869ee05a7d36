import type { SharedInformer } from "../informers/interfaces.ts";
import { simulationAnnotations } from "./cri/behaviour.ts";
import type { Kubelet } from "./kubelet.ts";
import type { Pod, PodCondition } from "./types.ts";

/**
 * Turns the events of one pod informer into the configuration updates of all kubelets of a pool, by spec.nodeName
 * (pkg/kubelet/config and syncLoopIteration in pkg/kubelet/kubelet.go, 1.36). Returns the removal.
 */
export function startSyncLoop(
  pods: SharedInformer<Pod>,
  kubeletOf: (nodeName: string) => Kubelet | undefined,
): () => void {
  const kubeletOfPod = (pod: Pod): Kubelet | undefined =>
    typeof pod.spec?.nodeName === "string" ? kubeletOf(pod.spec.nodeName) : undefined;

  const dispatch = (pod: Pod): void => {
    const kubelet = kubeletOfPod(pod);
    if (kubelet === undefined) return;
    const known = kubelet.podManager.get(pod.metadata.uid!);
    if (known === undefined) kubelet.handlePodAddition(pod);
    else if (needsSync(known, pod)) kubelet.handlePodUpdate(pod);
    else kubelet.handlePodReconcile(pod);
  };
  const remove = (pod: Pod): void => {
    const kubelet = kubeletOfPod(pod);
    if (kubelet?.podManager.get(pod.metadata.uid!) !== undefined) kubelet.handlePodRemove(pod);
  };
  return pods.addEventHandler({
    onAdd: dispatch,
    onUpdate: (previous, pod) => {
      if (previous.metadata.uid !== pod.metadata.uid) remove(previous);
      dispatch(pod);
    },
    onDelete: remove,
  });
}

/** Whether a change concerns more than what the kubelet itself reports. */
function needsSync(known: Pod, pod: Pod): boolean {
  const before = known.metadata;
  const after = pod.metadata;
  return (
    before.generation !== after.generation ||
    before.deletionTimestamp !== after.deletionTimestamp ||
    before.deletionGracePeriodSeconds !== after.deletionGracePeriodSeconds ||
    isTerminal(known) !== isTerminal(pod) ||
    (known.spec?.ephemeralContainers?.length ?? 0) !== (pod.spec?.ephemeralContainers?.length ?? 0) ||
    gatesOf(known) !== gatesOf(pod) ||
    known.metadata.annotations?.[simulationAnnotations.ready] !==
      pod.metadata.annotations?.[simulationAnnotations.ready]
  );
}

function isTerminal(pod: Pod): boolean {
  return pod.status?.phase === "Succeeded" || pod.status?.phase === "Failed";
}

/** The conditions that readiness gates look at, as one text. */
function gatesOf(pod: Pod): string {
  const gates: { conditionType: string }[] = pod.spec?.readinessGates ?? [];
  if (gates.length === 0) return "";
  const conditions: PodCondition[] = pod.status?.conditions ?? [];
  return gates
    .map(({ conditionType }) => conditions.find(({ type }) => type === conditionType)?.status ?? "")
    .join(",");
}
