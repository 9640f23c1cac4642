import { deadlineOf } from "../../../core/model/deadline.ts";
import { instanceTypeLabel, zoneLabel } from "../../../core/model/labels.ts";
import type { NodeClaim } from "../../../core/model/node-claim.ts";
import type { OfferingKey } from "../aws-parts.ts";
import { capacityReservationIdLabel } from "../names.ts";
import type { InterruptionKind } from "./interruption.ts";

export interface Notice {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
}

export type InterruptionAction =
  /** Beside the claim and its nodes. */
  | ({ readonly kind: "announce" } & Notice)
  | { readonly kind: "mark-offering"; readonly key: OfferingKey }
  | { readonly kind: "mark-reservation"; readonly reservationId: string }
  /** Its pods are given no more time. */
  | { readonly kind: "set-deadline" }
  | { readonly kind: "delete" };

interface Answer {
  readonly notice: Notice;
  /** How the claim goes, if it does. */
  readonly ending: "none" | "graceful" | "forceful";
}

const answers: Readonly<Record<InterruptionKind, Answer>> = {
  spot_interrupted: {
    notice: warning("SpotInterrupted", "AWS takes this spot instance back within two minutes"),
    ending: "graceful",
  },
  rebalance_recommendation: {
    notice: {
      type: "Normal",
      reason: "SpotRebalanceRecommendation",
      message: "AWS says that this spot instance is more likely to be interrupted",
    },
    ending: "none",
  },
  instance_stopped: { notice: warning("InstanceStopping", "The instance is stopping"), ending: "graceful" },
  instance_terminated: { notice: warning("InstanceTerminating", "The instance is terminating"), ending: "graceful" },
  scheduled_change: {
    notice: warning("InstanceUnhealthy", "AWS has scheduled a change of the instance"),
    ending: "graceful",
  },
  capacity_reservation_interrupted: {
    notice: warning(
      "CapacityReservationInstanceInterrupted",
      "AWS takes back the capacity reservation that this instance is in",
    ),
    ending: "graceful",
  },
  instance_status: {
    notice: warning("InstanceUnhealthy", "The instance fails its status checks"),
    ending: "forceful",
  },
  system_status: {
    notice: warning("InstanceUnhealthy", "What the instance runs on fails its status checks"),
    ending: "forceful",
  },
  event_status: {
    notice: warning("InstanceUnhealthy", "AWS has scheduled maintenance of the instance"),
    ending: "graceful",
  },
};

/** What is to be done about one claim, in this order. */
export function judgeInterruption(
  kind: InterruptionKind,
  claim: NodeClaim,
  now: number,
): readonly InterruptionAction[] {
  const { notice, ending } = answers[kind];
  const actions: InterruptionAction[] = [{ kind: "announce", ...notice }];
  // Before the claim goes, so that its pods are not planned onto the same again.
  actions.push(...marksFor(kind, claim));
  if (ending === "forceful" && (deadlineOf(claim) ?? Number.POSITIVE_INFINITY) > now)
    actions.push({ kind: "set-deadline" });
  if (ending !== "none" && claim.deletedAt === undefined) actions.push({ kind: "delete" });
  return actions;
}

function marksFor(kind: InterruptionKind, { labels }: NodeClaim): readonly InterruptionAction[] {
  const instanceType = labels.get(instanceTypeLabel) ?? "";
  const zone = labels.get(zoneLabel) ?? "";
  const reservationId = labels.get(capacityReservationIdLabel) ?? "";
  if (kind === "spot_interrupted" && instanceType !== "" && zone !== "") {
    return [{ kind: "mark-offering", key: { capacityType: "spot", instanceType, zone } }];
  }
  if (kind === "capacity_reservation_interrupted" && reservationId !== "") {
    return [{ kind: "mark-reservation", reservationId }];
  }
  return [];
}

function warning(reason: string, message: string): Notice {
  return { type: "Warning", reason, message };
}
