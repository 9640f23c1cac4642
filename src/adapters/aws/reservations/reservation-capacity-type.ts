import { nodeClaims } from "../../../core/api/karpenter-resources.ts";
import { capacityTypeLabel, type Labels, registeredLabel } from "../../../core/model/labels.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { ClusterView } from "../../../ports/cluster-view.ts";
import type { Telemetry } from "../../../ports/telemetry.ts";
import { type KubeClient, unless } from "../../../runtime/kube-client.ts";
import type { KubeResource } from "../../../runtime/kube-object.ts";
import { nodes } from "../../../runtime/resources.ts";
import { WorkLoop } from "../../../runtime/work-loop.ts";
import {
  capacityReservationIdLabel,
  capacityReservationInterruptibleLabel,
  capacityReservationTypeLabel,
} from "../names.ts";
import { isEc2NodeClass } from "../node-class/is-ec2-node-class.ts";

export interface ReservationCapacityTypeOptions {
  readonly cluster: Pick<ClusterView, "claims" | "nodesOf">;
  readonly kube: KubeClient;
  /** As EC2 says now. */
  readonly listInstances: () => Promise<readonly { readonly providerId: string; readonly capacityType: string }[]>;
  readonly clock: Clock;
  readonly telemetry: Telemetry;
}

const name = "capacityreservation.capacitytype";
const periodMilliseconds = 60_000;

/** A machine outlives its reservation and is paid for on demand from then on; its claim and its node say so, too. */
export class ReservationCapacityType {
  readonly #options: ReservationCapacityTypeOptions;
  readonly #loop: WorkLoop;

  constructor(options: ReservationCapacityTypeOptions) {
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
    const { cluster, listInstances } = this.#options;
    const claims = [...cluster.claims.values()].filter(
      (claim) => claim.deletedAt === undefined && claim.providerId !== "" && isEc2NodeClass(claim.nodeClassRef),
    );
    const stale = claims.flatMap((claim) => {
      // A node that has not registered gets its labels from the claim when it does.
      const registered = cluster
        .nodesOf(claim)
        .filter(({ deletedAt, labels }) => deletedAt === undefined && labels.get(registeredLabel) === "true");
      const objects = [
        { resource: nodeClaims, object: claim },
        ...registered.map((object) => ({ resource: nodes, object })),
      ];
      return objects
        .filter(({ object }) => isReserved(object.labels))
        .map((target) => ({ ...target, providerId: claim.providerId }));
    });
    if (stale.length === 0) return periodMilliseconds;
    const instances = await listInstances();
    const onDemand = new Set(
      instances.filter(({ capacityType }) => capacityType === "on-demand").map(({ providerId }) => providerId),
    );
    await Promise.all(
      stale.filter(({ providerId }) => onDemand.has(providerId)).map((target) => this.#relabel(target)),
    );
    return periodMilliseconds;
  }

  async #relabel({ resource, object }: Target): Promise<void> {
    const { kube, telemetry } = this.#options;
    const labels = {
      [capacityTypeLabel]: "on-demand",
      [capacityReservationIdLabel]: null,
      [capacityReservationTypeLabel]: null,
      [capacityReservationInterruptibleLabel]: null,
    };
    // With its uid, so that one of the same name that came later is spared.
    const body = { metadata: { uid: object.uid, labels } };
    const answer = await kube.patch(resource, { name: object.name }, { body });
    if (unless([404, 409], answer, `label ${resource.kind} "${object.name}"`) === undefined) return;
    telemetry.log.info("updated capacity type of a machine whose reservation is over", {
      controller: name,
      [resource.kind]: { name: object.name },
    });
  }
}

interface Target {
  readonly resource: KubeResource;
  readonly object: { readonly name: string; readonly uid: string; readonly labels: Labels };
}

function isReserved(labels: Labels): boolean {
  return labels.get(capacityTypeLabel) === "reserved";
}
