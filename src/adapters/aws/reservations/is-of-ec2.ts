import type { NodeClaim } from "../../../core/model/node-claim.ts";
import { ec2NodeClasses } from "../node-class/ec2-node-class.ts";

/** Whether the claim is for a machine of ours to launch. */
export function isOfEc2({ nodeClassRef: { group, kind } }: Pick<NodeClaim, "nodeClassRef">): boolean {
  return group === ec2NodeClasses.group && kind === ec2NodeClasses.kind;
}
