import { formatTime } from "../apimachinery/clock.ts";
import type { KubeObject } from "../apimachinery/meta.ts";
import type { GroupResource } from "../apimachinery/gvk.ts";
import { poolNames } from "../kubelet/pool-names.ts";
import { ipAddresses, ipAddressLabels, serviceCidrs } from "../registry/allocators/ip-allocator.ts";
import { encodeObject } from "../storage/encode-object.ts";
import { isStorageError } from "../storage/errors.ts";
import { objectKey } from "../storage/keys.ts";
import { createBuiltInApiServices } from "./aggregator/local-api-services.ts";
import type { AppContext } from "./request/context.ts";

const namespaces = { group: "", resource: "namespaces" };
const services = { group: "", resource: "services" };
const serviceCidrResource = { group: "networking.k8s.io", resource: "servicecidrs" };
const systemNamespaces = ["default", "kube-system", "kube-public", "kube-node-lease"];
const kubernetesAddress = "10.96.0.1";

/** Clusters that this isolate has seen to; bounded, a forgotten one is looked at again. */
const known = new Set<string>();
const maxKnown = 10_000;

/**
 * What upstream's post-start hooks do (system namespaces, the `kubernetes` service and ServiceCIDR), at the first authorised write that an
 * isolate sees for a cluster: a cluster is a name prefix, so this is all there is to creating one. Then its loops are woken.
 */
export async function bootstrapCluster(c: AppContext): Promise<void> {
  const { cluster } = c.get("info");
  if (known.has(cluster)) return;
  const env = c.env.env;
  const storage = c.get("storage").for(namespaces);
  const present = await storage.get(objectKey(namespaces, undefined, "kube-node-lease"));
  if (present === undefined) {
    const directory = env.CLUSTER_DIRECTORY.get(env.CLUSTER_DIRECTORY.idFromName("clusters"));
    await Promise.all([
      directory.addCluster(cluster),
      createBuiltInApiServices({ storage: c.get("storage"), clock: c.env.clock }),
      ...systemNamespaces.map((name) =>
        createIfAbsent(c, namespaces, undefined, {
          metadata: { name, ...stamp(c), labels: { "kubernetes.io/metadata.name": name } },
          spec: { finalizers: ["kubernetes"] },
          status: { phase: "Active" },
        }),
      ),
      createIfAbsent(c, ipAddresses, undefined, {
        metadata: {
          name: kubernetesAddress,
          ...stamp(c),
          labels: ipAddressLabels(kubernetesAddress),
        },
        spec: { parentRef: { resource: "services", namespace: "default", name: "kubernetes" } },
      }),
      createIfAbsent(c, serviceCidrResource, undefined, {
        metadata: { name: "kubernetes", ...stamp(c) },
        spec: { cidrs: [...serviceCidrs] },
        status: {
          conditions: [
            {
              type: "Ready",
              status: "True",
              lastTransitionTime: formatTime(c.env.clock.now()),
              reason: "",
              message: "Kubernetes default Service CIDR is ready",
            },
          ],
        },
      }),
      createIfAbsent(c, services, "default", {
        metadata: {
          name: "kubernetes",
          namespace: "default",
          ...stamp(c),
          labels: { component: "apiserver", provider: "kubernetes" },
        },
        spec: {
          ports: [{ name: "https", protocol: "TCP", port: 443, targetPort: 6443 }],
          clusterIP: kubernetesAddress,
          clusterIPs: [kubernetesAddress],
          type: "ClusterIP",
          sessionAffinity: "None",
          ipFamilies: ["IPv4"],
          ipFamilyPolicy: "SingleStack",
          internalTrafficPolicy: "Cluster",
        },
        status: { loadBalancer: {} },
      }),
    ]);
  }
  if (known.size >= maxKnown) known.clear();
  known.add(cluster);
  await Promise.all([
    env.CONTROLLER_MANAGER.get(env.CONTROLLER_MANAGER.idFromName(cluster)).wake(),
    env.SCHEDULER.get(env.SCHEDULER.idFromName(cluster)).wake(),
    ...poolNames(cluster, env).map((name) => env.NODE_POOL.get(env.NODE_POOL.idFromName(name)).wake()),
  ]);
}

function stamp(c: AppContext) {
  return { uid: crypto.randomUUID(), creationTimestamp: formatTime(c.env.clock.now()) };
}

async function createIfAbsent(
  c: AppContext,
  gr: GroupResource,
  namespace: string | undefined,
  object: KubeObject,
): Promise<void> {
  try {
    await c
      .get("storage")
      .for(gr)
      .create(objectKey(gr, namespace, object.metadata.name!), encodeObject(object));
  } catch (error) {
    if (!isStorageError(error, "KeyExists")) throw error;
  }
}
