import type { KubeObject } from "../../apimachinery/meta.ts";
import type { Converter } from "../conversion.ts";

const metricsAnnotation = "autoscaling.alpha.kubernetes.io/metrics";
const currentMetricsAnnotation = "autoscaling.alpha.kubernetes.io/current-metrics";
const conditionsAnnotation = "autoscaling.alpha.kubernetes.io/conditions";
const behaviorAnnotation = "autoscaling.alpha.kubernetes.io/behavior";

/**
 * autoscaling/v1 shows average CPU utilisation as fields of its own and everything else of v2 as annotations.
 * Mirrors pkg/apis/autoscaling/v1/conversion.go (1.36).
 */
export const horizontalPodAutoscalerV1: Converter = {
  toStorage(object) {
    const { targetCPUUtilizationPercentage: target, ...spec } = object.spec ?? {};
    const { currentCPUUtilizationPercentage: current, ...status } = object.status ?? {};
    const annotations = { ...object.metadata.annotations };
    const take = (name: string) => {
      const text = annotations[name];
      delete annotations[name];
      try {
        return text === undefined ? undefined : JSON.parse(text);
      } catch {
        return undefined;
      }
    };
    const others = take(metricsAnnotation) ?? [];
    const metrics =
      target === undefined ? others : [cpu({ target: { type: "Utilization", averageUtilization: target } }), ...others];
    const otherCurrent = take(currentMetricsAnnotation) ?? [];
    const currentMetrics =
      current === undefined
        ? otherCurrent
        : [cpu({ current: { averageUtilization: current, averageValue: "0" } }), ...otherCurrent];
    const conditions = take(conditionsAnnotation);
    const behavior = take(behaviorAnnotation);
    return {
      ...object,
      metadata: withAnnotations(object, annotations),
      spec: { ...spec, ...(metrics.length > 0 ? { metrics } : {}), ...(behavior === undefined ? {} : { behavior }) },
      status: {
        ...status,
        ...(currentMetrics.length > 0 ? { currentMetrics } : {}),
        ...(conditions === undefined ? {} : { conditions }),
      },
    };
  },
  fromStorage(object) {
    const { metrics = [], behavior, ...spec } = object.spec ?? {};
    const { currentMetrics = [], conditions, ...status } = object.status ?? {};
    const annotations = { ...object.metadata.annotations };
    const isCpu = (metric: any) => metric.type === "Resource" && metric.resource?.name === "cpu";
    const target = metrics.find(
      (metric: any) => isCpu(metric) && metric.resource.target?.averageUtilization !== undefined,
    );
    const current = currentMetrics.find(
      (metric: any) => isCpu(metric) && metric.resource.current?.averageUtilization !== undefined,
    );
    const put = (name: string, value: unknown) => {
      if (value !== undefined && !(Array.isArray(value) && value.length === 0))
        annotations[name] = JSON.stringify(value);
    };
    put(
      metricsAnnotation,
      metrics.filter((metric: unknown) => metric !== target),
    );
    put(
      currentMetricsAnnotation,
      currentMetrics.filter((metric: unknown) => metric !== current),
    );
    put(conditionsAnnotation, conditions);
    put(behaviorAnnotation, behavior);
    return {
      ...object,
      metadata: withAnnotations(object, annotations),
      spec: {
        ...spec,
        ...(target === undefined ? {} : { targetCPUUtilizationPercentage: target.resource.target.averageUtilization }),
      },
      status: {
        // Optional only in v2.
        currentReplicas: 0,
        ...status,
        ...(current === undefined
          ? {}
          : { currentCPUUtilizationPercentage: current.resource.current.averageUtilization }),
      },
    };
  },
};

function cpu(values: object) {
  return { type: "Resource", resource: { name: "cpu", ...values } };
}

function withAnnotations({ metadata }: KubeObject, annotations: Record<string, string>): KubeObject["metadata"] {
  const { annotations: _annotations, ...rest } = metadata;
  return Object.keys(annotations).length > 0 ? { ...rest, annotations } : rest;
}
