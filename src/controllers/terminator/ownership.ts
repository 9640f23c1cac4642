import { nodeClassLabel, terminationFinalizer } from "../../core/api/write-node-claim.ts";
import type { NodeClaim } from "../../core/model/node-claim.ts";
import type { NodeObject } from "../../core/model/node-object.ts";
import type { CloudProvider } from "../../ports/cloud-provider.ts";

/** Whether it waits for us to let it go. */
export function isEnding({ deletedAt, finalizers }: NodeClaim | NodeObject): boolean {
  return deletedAt !== undefined && finalizers.includes(terminationFinalizer);
}

/** Whether a label of the node says that it came from the cloud. */
export function namesOurNodeClass({ labels }: NodeObject, { nodeClassKinds }: CloudProvider): boolean {
  return nodeClassKinds.some((kind) => labels.has(nodeClassLabel(kind)));
}
