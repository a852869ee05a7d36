import type { KubeObject } from "../../apimachinery/meta.ts";

/** Objects for tests, in as few words as the case needs. */
export interface PodOptions {
  namespace?: string;
  labels?: Record<string, string>;
  requests?: Record<string, string>;
  node?: string;
  priority?: number;
  ports?: number[];
  spec?: Record<string, unknown>;
  status?: Record<string, unknown>;
}

export function makePod(name: string, options: PodOptions = {}): KubeObject {
  const { namespace = "default", labels, requests, node, priority, ports, spec, status } = options;
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace, uid: `uid-${namespace}-${name}`, ...(labels ? { labels } : {}) },
    spec: {
      schedulerName: "default-scheduler",
      containers: [
        {
          name: "main",
          image: "nginx",
          ...(requests ? { resources: { requests } } : {}),
          ...(ports
            ? { ports: ports.map((hostPort) => ({ hostPort, containerPort: hostPort, protocol: "TCP" })) }
            : {}),
        },
      ],
      ...(node ? { nodeName: node } : {}),
      ...(priority === undefined ? {} : { priority }),
      ...spec,
    },
    status: { phase: "Pending", ...status },
  };
}

export interface NodeOptions {
  labels?: Record<string, string>;
  allocatable?: Record<string, string>;
  taints?: { key: string; value?: string; effect: string }[];
  unschedulable?: boolean;
  images?: { names: string[]; sizeBytes: number }[];
}

export function makeNode(name: string, options: NodeOptions = {}): KubeObject {
  const { labels, allocatable = { cpu: "4", memory: "16Gi", pods: "110" }, taints, unschedulable, images } = options;
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name, uid: `uid-${name}`, labels: { "kubernetes.io/hostname": name, ...labels } },
    spec: { ...(taints ? { taints } : {}), ...(unschedulable ? { unschedulable } : {}) },
    status: { allocatable, capacity: allocatable, ...(images ? { images } : {}) },
  };
}
