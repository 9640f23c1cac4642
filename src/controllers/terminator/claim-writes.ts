import { nodeClaims } from "../../core/api/karpenter-resources.ts";
import { writeConditions } from "../../core/api/write-conditions.ts";
import { type ConditionChange, changeConditions } from "../../core/model/condition.ts";
import { claimReadiness, type NodeClaim } from "../../core/model/node-claim.ts";
import type { KubeClient } from "../../runtime/kube-client.ts";
import { outcomeOf, patchStatus, type StatusWrite } from "../../runtime/patch-status.ts";
import type { TerminatorOptions } from "./terminator-options.ts";

/** Whoever wrote in between wakes us, as a rule; this is for when the news does not come. */
export const afterConflict = 200;

/** Says on a claim what has come of it. */
export async function changeClaimConditions(
  { kube, clock }: Pick<TerminatorOptions, "kube" | "clock">,
  claim: NodeClaim,
  changes: readonly ConditionChange[],
): Promise<StatusWrite | "same"> {
  const conditions = changeConditions(claim, claimReadiness, { changes, now: clock.now() });
  if (conditions === claim.conditions) return "same";
  return await patchStatus(kube, nodeClaims, { ...claim, status: { conditions: writeConditions(conditions) } });
}

/** Asks for the deletion of this very claim; false when it was gone already. */
export async function deleteClaim(kube: KubeClient, { name, uid }: NodeClaim): Promise<boolean> {
  return outcomeOf(await kube.delete(nodeClaims, { name }, { uid }), `delete claim "${name}"`) === "written";
}
