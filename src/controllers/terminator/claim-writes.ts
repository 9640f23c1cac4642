import { nodeClaims } from "../../core/api/karpenter-resources.ts";
import { writeConditions } from "../../core/api/write-conditions.ts";
import { type ConditionChange, changeConditions } from "../../core/model/condition.ts";
import { claimReadiness, type NodeClaim } from "../../core/model/node-claim.ts";
import { type KubeAnswer, type KubeClient, orThrow } from "../../runtime/kube-client.ts";
import type { TerminatorOptions } from "./terminator-options.ts";

/** Whoever wrote in between wakes us, as a rule; this is for when the news does not come. */
export const afterConflict = 200;

export type Written = "written" | "same" | "conflict" | "gone";

/** What came of a write that others may have got ahead of. */
export function outcomeOf(answer: KubeAnswer, act: string): Written {
  if (answer.ok) return "written";
  if (answer.refusal.code === 404) return "gone";
  if (answer.refusal.code === 409) return "conflict";
  orThrow(answer, act);
  return "written";
}

/** Says on a claim what has come of it. */
export async function changeClaimConditions(
  { kube, clock }: Pick<TerminatorOptions, "kube" | "clock">,
  claim: NodeClaim,
  changes: readonly ConditionChange[],
): Promise<Written> {
  const conditions = changeConditions(claim, claimReadiness, { changes, now: clock.now() });
  if (conditions === claim.conditions) return "same";
  const { name, resourceVersion } = claim;
  const body = { metadata: { resourceVersion }, status: { conditions: writeConditions(conditions) } };
  const answer = await kube.patch(nodeClaims, { name, subresource: "status" }, { body });
  return outcomeOf(answer, `write the conditions of claim "${name}"`);
}

/** Asks for the deletion of this very claim; false when it was gone already. */
export async function deleteClaim(kube: KubeClient, { name, uid }: NodeClaim): Promise<boolean> {
  return outcomeOf(await kube.delete(nodeClaims, { name }, { uid }), `delete claim "${name}"`) === "written";
}
