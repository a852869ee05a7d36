import { formatGroupResource } from "../apimachinery/gvk.ts";
import type { GroupVersionResource } from "../apimachinery/gvk.ts";
import type { Controller, ControllerContext } from "../informers/controller-context.ts";
import { newCRDFinalizer } from "./crdfinalizer/crd-finalizer.ts";
import { newDeploymentController } from "./deployment/deployment-controller.ts";
import type { DiscoveredResources } from "./discovery.ts";
import { serverPreferredResources } from "./discovery.ts";
import { newGarbageCollector } from "./garbagecollector/garbage-collector.ts";
import { newNamespaceController } from "./namespace/namespace-controller.ts";
import { newNodeIPAMController } from "./nodeipam/node-ipam-controller.ts";
import type { NodeIPAMOptions } from "./nodeipam/node-ipam-controller.ts";
import { newNodeLifecycleController } from "./nodelifecycle/node-lifecycle-controller.ts";
import type { NodeLifecycleOptions } from "./nodelifecycle/node-lifecycle-controller.ts";
import { newPodGCController } from "./podgc/pod-gc-controller.ts";
import type { PodGCOptions } from "./podgc/pod-gc-controller.ts";
import { newReplicaSetController } from "./replicaset/replica-set.ts";
import { newReplicationController } from "./replication/replication.ts";
import { newRootCACertPublisher } from "./rootcacertpublisher/root-ca-cert-publisher.ts";
import { newServiceAccountsController } from "./serviceaccount/service-accounts-controller.ts";
import { newTaintEvictionController } from "./tainteviction/taint-eviction-controller.ts";

/** What controllers need beyond their context. */
export interface ControllerOptions extends NodeIPAMOptions, NodeLifecycleOptions, PodGCOptions {
  /** The types of which objects exist (or existed). Neither an informer nor a list is spent on any other. */
  resources: () => Promise<GroupVersionResource[]>;
  /** PEM bundle that pods verify the API server with. */
  rootCA?: string;
}

type NewController = (context: ControllerContext, options: ControllerOptions) => Controller;

/** All controllers by their upstream names (cmd/kube-controller-manager/names, 1.36). */
export const controllers: Readonly<Record<string, NewController>> = {
  "deployment-controller": newDeploymentController,
  "replicaset-controller": newReplicaSetController,
  "replicationcontroller-controller": newReplicationController,
  "garbage-collector-controller": newGarbageCollector,
  "namespace-controller": (context, options) =>
    newNamespaceController(context, { discover: () => discoverUsed(context, options) }),
  "serviceaccount-controller": newServiceAccountsController,
  "root-ca-certificate-publisher-controller": newRootCACertPublisher,
  "node-ipam-controller": newNodeIPAMController,
  "node-lifecycle-controller": newNodeLifecycleController,
  "taint-eviction-controller": newTaintEvictionController,
  "pod-garbage-collector-controller": newPodGCController,
  "crd-finalizer-controller": newCRDFinalizer,
};

/**
 * Makes all controllers, or those named; informers of the context may be started afterwards. What any of them watches
 * counts as in use for the others: it costs nothing more.
 */
export function newControllers(
  context: ControllerContext,
  options: ControllerOptions,
  names: readonly string[] = Object.keys(controllers),
): Controller[] {
  const watched = new Map<string, GroupVersionResource>();
  const recording: ControllerContext = {
    ...context,
    informers: {
      forResource(gvr) {
        watched.set(formatGroupResource(gvr), gvr);
        return context.informers.forResource(gvr);
      },
    },
  };
  const resources = async (): Promise<GroupVersionResource[]> => {
    const used = (await options.resources()).map((gvr) => [formatGroupResource(gvr), gvr] as const);
    return [...new Map([...watched, ...used]).values()];
  };
  return names.map((name) => {
    const newController = controllers[name];
    if (newController === undefined) throw new Error(`"${name}" is not a known controller`);
    return newController(recording, { ...options, resources });
  });
}

/** Discovery, less the types that have no objects. */
async function discoverUsed(context: ControllerContext, options: ControllerOptions): Promise<DiscoveredResources> {
  const [{ resources, failures }, used] = await Promise.all([
    serverPreferredResources(context.client),
    options.resources(),
  ]);
  const keys = new Set(used.map(formatGroupResource));
  return { resources: resources.filter(({ gvr }) => keys.has(formatGroupResource(gvr))), failures };
}
