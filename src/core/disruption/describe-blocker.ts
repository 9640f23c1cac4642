import { nodePoolLabel } from "../model/labels.ts";
import { pausedAnnotation } from "../model/pool-disruption.ts";
import type { Blocker } from "./candidate.ts";

/** For the event of the node and the claim. Where it is a pod that keeps them, it says which. */
export function describeBlocker(blocker: Blocker): string {
  switch (blocker.kind) {
    case "no-claim":
      return "Node isn't managed by karpenter";
    case "no-node":
      return "NodeClaim does not have an associated node";
    case "not-initialized":
      return "Node isn't initialized";
    case "going":
      return "Node is deleting or marked for deletion";
    case "nominated":
      return "Node is nominated for a pending pod";
    case "replaces":
      return `Node replaces others that are not gone yet (NodeClaims=${blocker.claimNames.join(", ")})`;
    case "node-held":
      return `Disruption is blocked through the "${blocker.annotation}" annotation`;
    case "no-pool":
      return `Node doesn't have required label (label=${nodePoolLabel})`;
    case "pool-unknown":
      return `NodePool not found (NodePool=${blocker.poolName})`;
    case "pool-paused":
      return `NodePool has "${pausedAnnotation}" annotation (NodePool=${blocker.poolName})`;
    case "no-instance-types":
      return `NodePool has no instance types (NodePool=${blocker.poolName})`;
    case "pod-held":
      return `Pod has "${blocker.annotation}" annotation (Pod=${blocker.pod})`;
    case "pod-budget": {
      const never = blocker.isForever ? ", and never allows any" : "";
      return `Pdb prevents pod evictions${never} (Pod=${blocker.pod}, PodDisruptionBudget=${blocker.budget})`;
    }
    case "pod-budgets":
      return `Eviction does not support multiple PDBs (Pod=${blocker.pod}, PodDisruptionBudget(s)=${blocker.budgets.join(", ")})`;
  }
}
