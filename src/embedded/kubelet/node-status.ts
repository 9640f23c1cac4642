import type { Node, NodeAddress, NodeCondition, NodeStatus } from "kubernetes-types/core/v1.js";
import { timestamp } from "../timestamp.ts";

const defaultCapacity = { cpu: "4", "ephemeral-storage": "100Gi", memory: "16Gi", pods: "110" };

const healthy: readonly (readonly [type: string, reason: string, message: string])[] = [
  ["MemoryPressure", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"],
  ["DiskPressure", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"],
  ["PIDPressure", "KubeletHasSufficientPID", "kubelet has sufficient PID available"],
];

const notReadyMessage =
  "container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady message:Network plugin returns error: cni plugin not initialized";

export interface NodeReport {
  readonly isReady: boolean;
  readonly address: string;
  readonly now: number;
}

/** What a kubelet posts: what is known of its machine stays, what is missing is filled in, and how it does now. */
export function nodeStatus(node: Node, { isReady, address, now }: NodeReport): NodeStatus {
  const status = node.status ?? {};
  const capacity = entriesOf(status.capacity) ?? entriesOf(status.allocatable) ?? defaultCapacity;
  return {
    ...status,
    capacity,
    allocatable: entriesOf(status.allocatable) ?? capacity,
    addresses: addressesOf(node, address),
    daemonEndpoints: { kubeletEndpoint: { Port: 10250 } },
    nodeInfo: nodeInfoOf(node),
    conditions: conditionsOf(status.conditions ?? [], isReady, now),
  };
}

function entriesOf<T extends object>(list: T | undefined): T | undefined {
  return list === undefined || Object.keys(list).length === 0 ? undefined : list;
}

function addressesOf({ metadata, status }: Node, address: string): NodeAddress[] {
  const known = status?.addresses ?? [];
  if (known.length > 0) return known;
  return [
    { type: "InternalIP", address },
    { type: "Hostname", address: metadata?.name ?? "" },
  ];
}

function nodeInfoOf({ metadata, status }: Node): NonNullable<NodeStatus["nodeInfo"]> {
  const labels = metadata?.labels ?? {};
  const uid = metadata?.uid ?? "";
  const known = Object.entries(status?.nodeInfo ?? {}).filter(([, value]) => value !== "");
  return {
    architecture: labels["kubernetes.io/arch"] ?? "amd64",
    bootID: uid,
    containerRuntimeVersion: "containerd://2.1.0",
    kernelVersion: "6.12.0",
    kubeProxyVersion: "",
    kubeletVersion: "v1.36.3",
    machineID: uid.replaceAll("-", ""),
    operatingSystem: labels["kubernetes.io/os"] ?? "linux",
    osImage: "Embedded Linux",
    systemUUID: uid,
    ...Object.fromEntries(known),
  };
}

function conditionsOf(before: readonly NodeCondition[], isReady: boolean, now: number): NodeCondition[] {
  const own = healthy.map(([type, reason, message]) => ({ type, status: "False", reason, message }));
  const ready = isReady
    ? { status: "True", reason: "KubeletReady", message: "kubelet is posting ready status" }
    : { status: "False", reason: "KubeletNotReady", message: notReadyMessage };
  const types = new Set(["Ready", ...own.map(({ type }) => type)]);
  const time = timestamp(now);
  const posted = [...own, { type: "Ready", ...ready }].map((condition) => {
    const old = before.find(({ type }) => type === condition.type);
    const lastTransitionTime = old?.status === condition.status ? (old.lastTransitionTime ?? time) : time;
    return { ...condition, lastHeartbeatTime: time, lastTransitionTime };
  });
  return [...before.filter(({ type }) => !types.has(type)), ...posted];
}

/** The labels that every kubelet puts on its node. */
export function kubeletLabels({ metadata, status }: Node): Record<string, string> {
  const labels = metadata?.labels ?? {};
  const { architecture, operatingSystem } = status?.nodeInfo ?? {};
  const arch = labels["kubernetes.io/arch"] ?? (architecture || "amd64");
  const system = labels["kubernetes.io/os"] ?? (operatingSystem || "linux");
  const hostname = labels["kubernetes.io/hostname"] ?? metadata?.name ?? "";
  return { ...labels, "kubernetes.io/arch": arch, "kubernetes.io/os": system, "kubernetes.io/hostname": hostname };
}
