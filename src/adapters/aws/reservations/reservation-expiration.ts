import { nodeClaims } from "../../../core/api/karpenter-resources.ts";
import type { NodeClaim } from "../../../core/model/node-claim.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { ClusterView } from "../../../ports/cluster-view.ts";
import type { Telemetry } from "../../../ports/telemetry.ts";
import { type KubeClient, unless } from "../../../runtime/kube-client.ts";
import { WorkLoop } from "../../../runtime/work-loop.ts";
import { capacityReservationIdLabel } from "../names.ts";
import { isEc2NodeClass } from "../node-class/is-ec2-node-class.ts";
import type { Reservations } from "./reservations.ts";

export interface ReservationExpirationOptions {
  readonly cluster: Pick<ClusterView, "claims">;
  readonly kube: KubeClient;
  readonly reservations: Pick<Reservations, "findByIds">;
  readonly clock: Clock;
  readonly telemetry: Telemetry;
}

const name = "capacityreservation.expiration";
const periodMilliseconds = 60_000;

/** Deletes claims in capacity blocks that end soon, while their pods still have the time to move. */
export class ReservationExpiration {
  readonly #options: ReservationExpirationOptions;
  readonly #loop: WorkLoop;

  constructor(options: ReservationExpirationOptions) {
    this.#options = options;
    const { clock, telemetry } = options;
    this.#loop = new WorkLoop({ name, reconcile: () => this.#reconcile(), clock, telemetry });
  }

  start(): void {
    this.#loop.enqueue("");
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }

  async #reconcile(): Promise<number> {
    const { cluster, reservations } = this.#options;
    const reserved = [...cluster.claims.values()].filter(
      (claim) =>
        claim.deletedAt === undefined &&
        isEc2NodeClass(claim.nodeClassRef) &&
        claim.labels.has(capacityReservationIdLabel),
    );
    const found = await reservations.findByIds(new Set(reserved.map(reservationOf)));
    const expiring = new Set(found.filter(({ state }) => state === "expiring").map(({ id }) => id));
    const unlucky = reserved.filter((claim) => expiring.has(reservationOf(claim)));
    await Promise.all(unlucky.map((claim) => this.#delete(claim)));
    return periodMilliseconds;
  }

  async #delete(claim: NodeClaim): Promise<void> {
    const { kube, telemetry } = this.#options;
    const answer = await kube.delete(nodeClaims, { name: claim.name }, { uid: claim.uid });
    // 409 is one of the same name that came later.
    if (unless([404, 409], answer, `delete claim "${claim.name}"`) === undefined) return;
    telemetry.log.info("initiating delete for capacity block expiration", {
      controller: name,
      NodeClaim: { name: claim.name },
      "capacity-reservation-id": reservationOf(claim),
    });
  }
}

function reservationOf({ labels }: NodeClaim): string {
  return labels.get(capacityReservationIdLabel) ?? "";
}
