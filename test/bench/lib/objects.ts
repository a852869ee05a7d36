/** Objects of about 1.5 KB as JSON, the size that all rows use. */
export const objectBytes = 1_500;

function filler(bytes: number): string {
  const words = "edgeplane bench value with words that no compressor is asked about 0123456789 ";
  return words.repeat(Math.ceil(bytes / words.length)).slice(0, bytes);
}

export function configMap(name: string, extra: Record<string, string> = {}): string {
  const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { ...extra, filler: "" } };
  object.data.filler = filler(objectBytes - JSON.stringify(object).length);
  return JSON.stringify(object);
}

/** A pod that no scheduler takes, so that it stays as it was created. */
export function unscheduledPod(name: string): string {
  const object = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, labels: { app: "bench", tier: "back" }, annotations: { filler: "" } },
    spec: {
      schedulerName: "none",
      containers: [
        {
          name: "main",
          image: "registry.example/bench:1",
          ports: [{ containerPort: 80 }],
          env: [{ name: "MODE", value: "bench" }],
          resources: { requests: { cpu: "10m", memory: "16Mi" } },
        },
      ],
    },
  };
  // What defaulting adds is about 700 bytes; the stored object is the 1.5 KB.
  object.metadata.annotations.filler = filler(Math.max(0, 800 - JSON.stringify(object).length));
  return JSON.stringify(object);
}

export function deployment(name: string, replicas: number): string {
  return JSON.stringify({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name },
    spec: {
      replicas,
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: {
          containers: [
            {
              name: "main",
              image: "registry.example/bench:1",
              resources: { requests: { cpu: "10m", memory: "16Mi" } },
            },
          ],
        },
      },
    },
  });
}
