import type { KubeObject } from "../../apimachinery/meta.ts";
import { count, list, quantity, text } from "./cells.ts";
import { age, column, integer, name, tablePrinter } from "./columns.ts";

/** Group autoscaling. Mirrors pkg/printers/internalversion/printers.go (1.36). */

const metricsAnnotation = "autoscaling.alpha.kubernetes.io/metrics";
const currentMetricsAnnotation = "autoscaling.alpha.kubernetes.io/current-metrics";

const sources: Record<string, string> = {
  External: "external",
  Pods: "pods",
  Object: "object",
  Resource: "resource",
  ContainerResource: "containerResource",
};

/** `current/target` of the first two metrics, and how many more there are. */
function targets(object: KubeObject): string {
  const current = currentMetricsOf(object);
  const metrics = metricsOf(object).map((metric, index) => metricText(metric, current[index]));
  if (metrics.length === 0) return "<none>";
  const shown = metrics.slice(0, 2).join(", ");
  return metrics.length > 2 ? `${shown} + ${metrics.length - 2} more...` : shown;
}

function metricText(metric: any, status: any): string {
  const source = Object.hasOwn(sources, text(metric.type)) ? sources[metric.type]! : undefined;
  if (source === undefined) return "<unknown type>";
  const target = metric[source]?.target ?? {};
  const current = status?.[source]?.current;
  const average = target.averageValue !== undefined && target.averageValue !== null;
  switch (source) {
    case "resource":
    case "containerResource": {
      const resource = text(metric[source]?.name);
      if (average) return `${resource}: ${known(current, "averageValue")}/${quantity(target.averageValue)}`;
      return `${resource}: ${percent(current?.averageUtilization, "<unknown>")}/${percent(target.averageUtilization, "<auto>")}`;
    }
    case "pods":
      return `${known(current, "averageValue")}/${quantity(target.averageValue, "<nil>")}`;
    default: {
      if (!average) return `${known(current, "value")}/${quantity(target.value, "<nil>")}`;
      const value = current?.averageValue === undefined ? "<unknown>" : quantity(current.averageValue);
      return `${value}/${quantity(target.averageValue)} (avg)`;
    }
  }
}

const known = (current: any, field: string): string =>
  current === undefined ? "<unknown>" : quantity(current[field], "<nil>");

const percent = (value: unknown, absent: string): string => (typeof value === "number" ? `${value}%` : absent);

/** In autoscaling/v1, CPU utilisation is a field of its own and the other metrics are an annotation. */
function metricsOf(object: KubeObject): any[] {
  const { metrics, targetCPUUtilizationPercentage: cpu } = object.spec ?? {};
  if (metrics !== undefined) return list(metrics);
  const others = annotatedMetrics(object, metricsAnnotation);
  return cpu === undefined ? others : [cpuMetric({ target: { averageUtilization: cpu } }), ...others];
}

function currentMetricsOf(object: KubeObject): any[] {
  const { currentMetrics, currentCPUUtilizationPercentage: cpu } = object.status ?? {};
  if (currentMetrics !== undefined) return list(currentMetrics);
  const others = annotatedMetrics(object, currentMetricsAnnotation);
  return cpu === undefined ? others : [cpuMetric({ current: { averageUtilization: cpu } }), ...others];
}

function annotatedMetrics(object: KubeObject, annotation: string): any[] {
  try {
    return list(JSON.parse(object.metadata?.annotations?.[annotation] ?? "[]"));
  } catch {
    return [];
  }
}

function cpuMetric(values: object): object {
  return { type: "Resource", resource: { name: "cpu", ...values } };
}

const horizontalpodautoscalers = tablePrinter(
  name,
  column(
    "Reference",
    "Object that is scaled.",
    ({ spec }) => `${text(spec?.scaleTargetRef?.kind)}/${text(spec?.scaleTargetRef?.name)}`,
  ),
  column("Targets", "Current and target values of the metrics.", targets),
  column("MinPods", "Least number of pods.", (object) => String(object.spec?.minReplicas ?? "<unset>")),
  column("MaxPods", "Greatest number of pods.", (object) => count(object.spec?.maxReplicas)),
  column("Replicas", "Current number of pods.", (object) => count(object.status?.currentReplicas)),
  age,
);

/** autoscaling/v1 Scale, the body of the scale subresources. */
export const scalePrinter = tablePrinter(
  column("Name", "Name of the scaled object.", (object) => object.metadata?.name ?? ""),
  integer("Desired", "Desired pods.", (object) => count(object.spec?.replicas)),
  integer("Available", "Existing pods.", (object) => count(object.status?.replicas)),
  age,
);

export const autoscalingPrinters = { horizontalpodautoscalers };
