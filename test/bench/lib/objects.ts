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

/** A Deployment of objectBytes that no controller takes up. */
export function pausedDeployment(name: string): string {
  const object = JSON.parse(deployment(name, 0)) as { apiVersion: string; metadata: object; spec: object };
  const manifest = {
    ...object,
    metadata: { name, annotations: { filler: "" } },
    spec: { ...object.spec, paused: true },
  };
  manifest.metadata.annotations.filler = filler(objectBytes - JSON.stringify(manifest).length);
  return JSON.stringify(manifest);
}

/** A definition such as operators bring: status, columns, and a schema that says something about every field. */
export function definition(group: string, plural: string, kind: string, rules: boolean): string {
  const text = { type: "string", maxLength: 2_000 };
  const own = (...list: string[]) => (rules ? { "x-kubernetes-validations": list.map((rule) => ({ rule })) } : {});
  const port = {
    type: "object",
    required: ["name", "port"],
    properties: {
      name: { type: "string", maxLength: 63, pattern: "^[a-z]([-a-z0-9]*[a-z0-9])?$" },
      port: { type: "integer", format: "int32", minimum: 1, maximum: 65_535 },
      protocol: { type: "string", enum: ["TCP", "UDP"], default: "TCP" },
    },
  };
  const spec = {
    type: "object",
    required: ["image"],
    properties: {
      image: { ...text, minLength: 1 },
      replicas: { type: "integer", minimum: 0, maximum: 100, default: 1 },
      minReplicas: { type: "integer", default: 0 },
      size: { "x-kubernetes-int-or-string": true },
      filler: text,
      labels: { type: "object", maxProperties: 20, additionalProperties: { type: "string", maxLength: 63 } },
      ports: {
        type: "array",
        maxItems: 20,
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["name"],
        items: { ...port, ...own("self.protocol == 'TCP' || self.port > 1023") },
      },
    },
    ...own(
      "self.minReplicas <= self.replicas",
      "!has(self.labels) || self.labels.all(k, self.labels[k].size() > 0)",
      "!has(self.ports) || self.ports.exists(p, p.name == 'http')",
    ),
  };
  const status = {
    type: "object",
    properties: {
      phase: { type: "string" },
      conditions: { type: "array", items: { type: "object", properties: { type: text, status: text, reason: text } } },
    },
  };
  return JSON.stringify({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List` },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          subresources: { status: {} },
          additionalPrinterColumns: [{ name: "Phase", type: "string", jsonPath: ".status.phase" }],
          schema: { openAPIV3Schema: { type: "object", properties: { spec, status } } },
        },
      ],
    },
  });
}

/** An object of {@link definition}, of objectBytes. */
export function customObject(group: string, kind: string, name: string): string {
  const object = {
    apiVersion: `${group}/v1`,
    kind,
    metadata: { name },
    spec: {
      image: "registry.example/bench:1",
      replicas: 3,
      size: "50%",
      labels: { app: "bench", tier: "back" },
      ports: [
        { name: "http", port: 80 },
        { name: "dns", port: 5_353, protocol: "UDP" },
      ],
      filler: "",
    },
  };
  object.spec.filler = filler(objectBytes - JSON.stringify(object).length);
  return JSON.stringify(object);
}
