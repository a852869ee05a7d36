import { ensureObject, setDefault, type Json } from "./set-default.ts";

/** autoscaling/v1. Mirrors pkg/apis/autoscaling/v1/defaults.go (1.36). */
export function defaultHorizontalPodAutoscalerV1(autoscaler: Json): void {
  setDefault(ensureObject(autoscaler, "spec"), "minReplicas", 1);
}

/** autoscaling/v2. Mirrors pkg/apis/autoscaling/v2/defaults.go (1.36). */
export function defaultHorizontalPodAutoscaler(autoscaler: Json): void {
  const spec = ensureObject(autoscaler, "spec");
  setDefault(spec, "minReplicas", 1);
  if (!spec["metrics"]?.length) {
    spec["metrics"] = [
      { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 80 } } },
    ];
  }
  const { behavior } = spec;
  if (!behavior) return;
  behavior.scaleUp = {
    stabilizationWindowSeconds: 0,
    selectPolicy: "Max",
    policies: [
      { type: "Pods", value: 4, periodSeconds: 15 },
      { type: "Percent", value: 100, periodSeconds: 15 },
    ],
    ...behavior.scaleUp,
  };
  behavior.scaleDown = {
    selectPolicy: "Max",
    policies: [{ type: "Percent", value: 100, periodSeconds: 15 }],
    ...behavior.scaleDown,
  };
}
