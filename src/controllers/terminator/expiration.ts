import { isManaged } from "../../core/lifecycle/is-managed.ts";
import { capacityTypeLabel, nodePoolLabel } from "../../core/model/labels.ts";
import { terminationModeOf } from "../../core/model/node-claim.ts";
import { isReschedulable } from "../../core/model/pod-lifecycle.ts";
import { deleteClaim } from "./claim-writes.ts";
import type { TerminatorOptions } from "./terminator-options.ts";

/** Timers know no longer wait. */
const longestTimer = 2 ** 31 - 1;

/** Deletes claims whose time is up. */
export class Expiration {
  readonly #options: TerminatorOptions;

  constructor(options: TerminatorOptions) {
    this.#options = options;
  }

  readonly reconcile = async (name: string): Promise<number | undefined> => {
    const { cluster, cloud, kube, clock, telemetry } = this.#options;
    const claim = cluster.claims.get(name);
    if (claim?.expireAfter === undefined || claim.deletedAt !== undefined || !isManaged(claim, cloud.nodeClassKinds)) {
      return undefined;
    }
    const left = claim.createdAt + claim.expireAfter - clock.now();
    if (left > 0) return Math.min(left, longestTimer);
    const moving = cluster.nodesOf(claim).flatMap((node) => cluster.podsOnNode(node.name).filter(isReschedulable));
    if (!(await deleteClaim(kube, claim))) return undefined;
    telemetry.log.info("deleted expired nodeclaim", { controller: "nodeclaim.expiration", NodeClaim: { name } });
    const cause = {
      reason: "expired",
      nodepool: claim.labels.get(nodePoolLabel) ?? "",
      capacity_type: claim.labels.get(capacityTypeLabel) ?? "",
      consolidation_policy: "",
      termination_mode: terminationModeOf(claim),
    };
    telemetry.metrics.add("nodeclaims_disrupted_total", cause);
    telemetry.metrics.add("pods_disruption_initiated_total", cause, moving.length);
    return undefined;
  };
}
