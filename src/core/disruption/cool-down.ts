import { isReplacementAnnotation, moveFailedAtAnnotation } from "../model/move-annotations.ts";
import type { NodeClaim } from "../model/node-claim.ts";

/** So long a node is left alone after a move that failed, and a replacement after it was bought. */
const coolDownMilliseconds = 600_000;

/** Until when a claim is left alone because its last move failed; undefined when it is not. */
export function restsUntil({ annotations }: Pick<NodeClaim, "annotations">, now: number): number | undefined {
  const failedAt = Date.parse(annotations.get(moveFailedAtAnnotation) ?? "");
  // A time in the future is no reason to wait longer than ever asked for.
  if (Number.isNaN(failedAt) || failedAt > now) return undefined;
  return now < failedAt + coolDownMilliseconds ? failedAt + coolDownMilliseconds : undefined;
}

/** Whether the claim was bought so lately in place of others that to take it away would undo that move. */
export function isFreshReplacement(
  { annotations, createdAt }: Pick<NodeClaim, "annotations" | "createdAt">,
  now: number,
): boolean {
  return annotations.has(isReplacementAnnotation) && now < createdAt + coolDownMilliseconds;
}
