import { hexDigest, uuidOf } from "../hash.ts";
import { nodeAddress } from "../pod-network.ts";

/** The size of the simulated machines. */
export interface MachineSize {
  cpus: number;
  memoryKi: number;
  ephemeralStorageKi: number;
  pods: number;
}

export const defaultMachineSize: MachineSize = {
  cpus: 8,
  memoryKi: 32_873_404,
  ephemeralStorageKi: 101_430_960,
  pods: 110,
};

/** One simulated machine; everything about it follows from its name and index. */
export interface SimulatedMachine {
  name: string;
  /** Decides the addresses; unique in the cluster. */
  index: number;
  size: MachineSize;
  labels: Record<string, string>;
  taints: { key: string; value?: string; effect: string }[];
  /** When the machine was booted, milliseconds since the epoch. */
  bootTime: number;
}

export const kubeletVersion = "v1.36.0";
const containerRuntimeVersion = "containerd://2.2.1";
/** --eviction-hard memory.available: 100Mi */
const evictionReserveKi = 100 * 1024;

export function hostIPOf(machine: SimulatedMachine): string {
  return nodeAddress(machine.index);
}

/** Labels that every kubelet sets on its Node. */
export function defaultLabels(machine: SimulatedMachine): Record<string, string> {
  return {
    "beta.kubernetes.io/arch": "amd64",
    "beta.kubernetes.io/os": "linux",
    "kubernetes.io/arch": "amd64",
    "kubernetes.io/hostname": machine.name,
    "kubernetes.io/os": "linux",
    ...machine.labels,
  };
}

/** The parts of v1.NodeStatus that do not change while the machine runs. */
export function staticNodeStatus(machine: SimulatedMachine): Record<string, unknown> {
  const { size } = machine;
  const fixed = { "hugepages-1Gi": "0", "hugepages-2Mi": "0" };
  return {
    addresses: [
      { type: "InternalIP", address: hostIPOf(machine) },
      { type: "Hostname", address: machine.name },
    ],
    capacity: {
      cpu: String(size.cpus),
      "ephemeral-storage": `${size.ephemeralStorageKi}Ki`,
      ...fixed,
      memory: `${size.memoryKi}Ki`,
      pods: String(size.pods),
    },
    allocatable: {
      cpu: String(size.cpus),
      "ephemeral-storage": String(Math.floor((size.ephemeralStorageKi * 1024 * 9) / 10)),
      ...fixed,
      memory: `${size.memoryKi - evictionReserveKi}Ki`,
      pods: String(size.pods),
    },
    daemonEndpoints: { kubeletEndpoint: { Port: 10250 } },
    features: { supplementalGroupsPolicy: true },
    nodeInfo: {
      architecture: "amd64",
      bootID: uuidOf(`boot/${machine.name}/${machine.bootTime}`),
      containerRuntimeVersion,
      kernelVersion: "6.12.48+deb13-amd64",
      kubeProxyVersion: "",
      kubeletVersion,
      machineID: hexDigest(`machine/${machine.name}`, 32),
      operatingSystem: "linux",
      osImage: "Debian GNU/Linux 13 (trixie)",
      swap: { capacity: 0 },
      systemUUID: uuidOf(`system/${machine.name}`),
    },
    runtimeHandlers: ["", "runc"].map((name) => ({
      name,
      features: { recursiveReadOnlyMounts: true, userNamespaces: true },
    })),
  };
}
