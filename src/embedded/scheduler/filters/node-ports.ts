import type { ContainerPort } from "kubernetes-types/core/v1.js";
import { filterBy, type Preparation, resolvable, type Situation, skip } from "../node-filter.ts";

const taken = resolvable("node(s) didn't have free ports for the requested pod ports");
const everyAddress = "0.0.0.0";

export function nodePorts({ pod }: Situation): Preparation {
  if (pod.hostPorts.length === 0) return skip;
  return filterBy(({ pods }) => {
    for (const { hostPorts } of pods)
      if (hostPorts.some((used) => pod.hostPorts.some((port) => clash(port, used)))) return taken;
    return undefined;
  });
}

function clash(a: ContainerPort, b: ContainerPort): boolean {
  if (a.hostPort !== b.hostPort || (a.protocol || "TCP") !== (b.protocol || "TCP")) return false;
  const first = a.hostIP || everyAddress;
  const second = b.hostIP || everyAddress;
  return first === second || first === everyAddress || second === everyAddress;
}
