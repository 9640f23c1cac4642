import type { MachineFacts, ResolvedKubelet } from "../aws-parts.ts";
import type { Ec2NodeClass } from "../node-class/ec2-node-class.ts";

export interface KubeletQuestion {
  readonly nodeClass: Ec2NodeClass;
  readonly facts: MachineFacts;
  /** What the image family allows where the node class says nothing. */
  readonly defaultMaxPods: number;
  readonly isCelEnabled: boolean;
}

/** The settings of the kubelet on one type of machine. What cannot be made out there is left as if it were absent. */
export function resolveKubelet(question: KubeletQuestion): ResolvedKubelet {
  return {
    config: question.nodeClass.spec.kubelet ?? {},
    maxPods: question.defaultMaxPods,
    clusterDns: [],
    kubeReserved: new Map(),
    systemReserved: new Map(),
  };
}
