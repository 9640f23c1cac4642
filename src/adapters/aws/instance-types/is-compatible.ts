import type { PlacementGroup } from "../aws-parts.ts";
import type { Ec2NodeClassSpec, NetworkInterface } from "../node-class/ec2-node-class.ts";
import type { MachineType } from "./machine-type.ts";

/** Whether EC2 would launch such a machine with what the node class asks for. */
export function isCompatible(machine: MachineType, spec: Ec2NodeClassSpec, group: PlacementGroup | undefined): boolean {
  // Amazon Linux 2023 does not run on the first Graviton.
  if (spec.amiFamily === "AL2023" && machine.name.startsWith("a1.")) return false;
  if (spec.networkInterfaces.length > 0 && !takesInterfaces(machine, spec.networkInterfaces)) return false;
  if (spec.cpuOptions?.nestedVirtualization === "enabled" && !machine.hasNestedVirtualization) return false;
  if (group !== undefined && !machine.strategies.includes(group.strategy)) return false;
  return spec.connectionTracking === undefined || machine.isNitro;
}

function takesInterfaces(machine: MachineType, interfaces: readonly NetworkInterface[]): boolean {
  if (!machine.hasEna || countEfaOnly(interfaces) > machine.efaInterfaces) return false;
  return interfaces.every(({ networkCardIndex, deviceIndex }) => deviceIndex < (machine.cards[networkCardIndex] ?? 0));
}

export function countEfaOnly(interfaces: readonly NetworkInterface[]): number {
  return interfaces.filter(({ interfaceType }) => interfaceType === "efa-only").length;
}
