import { isConditionTrue } from "../model/condition.ts";
import type { NodeClaim } from "../model/node-claim.ts";
import type { NodeObject } from "../model/node-object.ts";
import { formatAmount } from "../model/quantity.ts";

const leastShare = 0.9;

/** Whether the node is far enough for its shape to tell something. */
export function canBeCompared(claim: NodeClaim): boolean {
  return claim.deletedAt === undefined && isConditionTrue(claim, "Initialized");
}

/** What of the resources that matter to its pods a node has much less of than the cloud promised, a sentence each. */
export function findShortfalls({ requests, capacity }: NodeClaim, node: NodeObject): readonly string[] {
  const shortfalls: string[] = [];
  for (const [name, requested] of requests) {
    const expected = capacity.get(name) ?? 0;
    if (requested === 0 || expected === 0) continue;
    const found = node.capacity.get(name) ?? 0;
    if (found / expected >= leastShare) continue;
    const share = ((found / expected) * 100).toFixed(1);
    shortfalls.push(
      `expected ${formatAmount(name, expected)} of resource ${name}, but found ${formatAmount(name, found)} (${share}% of expected)`,
    );
  }
  return shortfalls;
}
