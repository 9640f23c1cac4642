import type { RepairPolicy } from "../../../ports/cloud-provider.ts";

const minute = 60_000;

/** Conditions of nodes, most of them told by EKS's monitoring agent, that a new machine mends. */
export const repairPolicies: readonly RepairPolicy[] = [
  policy("Ready", "False", 30),
  policy("Ready", "Unknown", 30),
  policy("AcceleratedHardwareReady", "False", 10),
  policy("StorageReady", "False", 30),
  policy("NetworkingReady", "False", 30),
  policy("KernelReady", "False", 30),
  policy("ContainerRuntimeReady", "False", 30),
];

function policy(conditionType: string, conditionStatus: string, minutes: number): RepairPolicy {
  return { conditionType, conditionStatus, tolerationMilliseconds: minutes * minute };
}
