import { holdOfNode } from "../model/do-not-disrupt.ts";
import { nodePoolLabel } from "../model/labels.ts";
import type { NodeClaim } from "../model/node-claim.ts";
import type { NodeObject } from "../model/node-object.ts";
import type { NodePoolObject } from "../model/node-pool-object.ts";
import type { DisruptionReason } from "../model/pool-disruption.ts";
import type { Blocker } from "./candidate.ts";
import { describeBlocker } from "./describe-blocker.ts";
import { disturbanceOf } from "./disturbance.ts";
import { isEmpty } from "./emptiness.ts";
import { blockerAmongPods, type DisruptionView, isNominated, podsToMove } from "./judge-candidate.ts";
import { describeBudget, type GoingCount, overdrawnBudget } from "./node-budgets.ts";

/** What keeps a node that was chosen from going after all. */
export interface LastObstacle {
  readonly because: string;
  /** It may pass soon, so that it is worth waiting for. */
  readonly mayPass: boolean;
}

export type DepartureView = Pick<DisruptionView, "cluster" | "budgets" | "now">;

/**
 * Much may have happened since the node was chosen. Only what somebody wants to have heeded to the end is asked for:
 * what the cloud sells has no say any more.
 */
export function judgeDeparture(
  claim: NodeClaim,
  reason: DisruptionReason,
  view: DepartureView,
): LastObstacle | undefined {
  const [node] = view.cluster.nodesOf(claim);
  if (node === undefined) return undefined;
  const blocker = blockerOf(claim, node, view) ?? blockerAmongPods(claim, node, { view, mode: modeFor(reason) });
  if (blocker !== undefined) {
    return { because: describeBlocker(blocker), mayPass: blocker.kind === "pod-budget" && !blocker.isForever };
  }
  return reason === "Empty" ? useOf(claim, node, view) : undefined;
}

function modeFor(reason: DisruptionReason) {
  return reason === "Drifted" ? "eventual" : "graceful";
}

function blockerOf({ labels }: NodeClaim, node: NodeObject, { cluster }: DepartureView): Blocker | undefined {
  const annotation = holdOfNode(node);
  if (annotation !== undefined) return { kind: "node-held", annotation };
  const poolName = labels.get(nodePoolLabel) ?? "";
  return cluster.pools.get(poolName)?.disruption.isPaused === true ? { kind: "pool-paused", poolName } : undefined;
}

/** Whether budgets still let so many nodes of the pool go at once as are going. */
export function judgeBudgets(
  pool: NodePoolObject,
  reason: DisruptionReason,
  count: GoingCount & { readonly now: number },
): LastObstacle | undefined {
  const budget = overdrawnBudget(pool, reason, count);
  if (budget === undefined) return undefined;
  const because = `${describeBudget(budget)} of NodePool "${pool.name}" lets fewer go at once than when it was chosen`;
  return { because, mayPass: false };
}

/** Who wants an empty node now, or will soon. */
function useOf(claim: NodeClaim, node: NodeObject, view: DepartureView): LastObstacle | undefined {
  const { cluster } = view;
  if (isNominated(claim, node, cluster)) return { because: describeBlocker({ kind: "nominated" }), mayPass: false };
  const pods = cluster.podsOnNode(node.name);
  const isStillEmpty = isEmpty({ pods: podsToMove(pods, view), disturbance: disturbanceOf(pods) });
  return isStillEmpty ? undefined : { because: "it is not empty any more", mayPass: false };
}
