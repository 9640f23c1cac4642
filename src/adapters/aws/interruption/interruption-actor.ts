import { nodeClaims } from "../../../core/api/karpenter-resources.ts";
import { claimReference, nodeReference } from "../../../core/api/references.ts";
import { writeTime } from "../../../core/api/write-time.ts";
import { deadlineAnnotation } from "../../../core/model/deadline.ts";
import { capacityTypeLabel, nodePoolLabel } from "../../../core/model/labels.ts";
import { type NodeClaim, terminationModeOf } from "../../../core/model/node-claim.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { ClusterView } from "../../../ports/cluster-view.ts";
import type { Telemetry } from "../../../ports/telemetry.ts";
import type { KubeClient } from "../../../runtime/kube-client.ts";
import { outcomeOf } from "../../../runtime/patch-status.ts";
import type { ReservationCounts, UnavailableOfferings } from "../aws-parts.ts";
import { InstanceIndex } from "./instance-index.ts";
import type { InterruptionKind } from "./interruption.ts";
import { type InterruptionAction, judgeInterruption, type Notice } from "./judge-interruption.ts";

export interface InterruptionActorOptions {
  readonly cluster: Pick<ClusterView, "claims" | "nodesOf">;
  readonly kube: KubeClient;
  readonly clock: Clock;
  readonly telemetry: Telemetry;
  readonly unavailableOfferings: Pick<UnavailableOfferings, "mark">;
  readonly reservationCounts: Pick<ReservationCounts, "markUnavailable">;
}

/** Does to the claims of this cluster what interruptions of their machines call for. Doing it again does no harm. */
export class InterruptionActor {
  readonly #options: InterruptionActorOptions;
  readonly #controller: string;
  readonly #index: InstanceIndex;
  /** By the uid of the claim: what is said twice at a time is done once. */
  readonly #deletions = new Map<string, Promise<void>>();

  constructor(controller: string, options: InterruptionActorOptions) {
    this.#options = options;
    this.#controller = controller;
    this.#index = new InstanceIndex(options.cluster);
  }

  start(): void {
    this.#index.start();
  }

  stop(): void {
    this.#index.stop();
  }

  isOurs(instanceId: string): boolean {
    return this.#index.claimsOf(instanceId).length > 0;
  }

  /** Rejects when something could not be done and should be tried again. */
  async act(kind: InterruptionKind, instanceId: string): Promise<void> {
    const { clock } = this.#options;
    for (const claim of this.#index.claimsOf(instanceId)) {
      for (const action of judgeInterruption(kind, claim, clock.now())) await this.#do(action, kind, claim);
    }
  }

  async #do(action: InterruptionAction, kind: InterruptionKind, claim: NodeClaim): Promise<void> {
    const { unavailableOfferings, reservationCounts } = this.#options;
    switch (action.kind) {
      case "announce":
        this.#announce(claim, action);
        break;
      case "mark-offering":
        unavailableOfferings.mark(action.key, kind);
        break;
      case "mark-reservation":
        reservationCounts.markUnavailable(action.reservationId);
        break;
      case "set-deadline":
        await this.#setDeadline(claim);
        break;
      case "delete":
        await this.#deleteOnce(kind, claim);
        break;
    }
  }

  #announce(claim: NodeClaim, { type, reason, message }: Notice): void {
    const { cluster, telemetry } = this.#options;
    const objects = [claimReference(claim), ...cluster.nodesOf(claim).map(nodeReference)];
    for (const object of objects) {
      telemetry.events.publish({ object, type, reason, message, sameAs: [object.uid] });
    }
  }

  async #setDeadline({ name, resourceVersion }: NodeClaim): Promise<void> {
    const { kube, clock } = this.#options;
    const body = { metadata: { resourceVersion, annotations: { [deadlineAnnotation]: writeTime(clock.now()) } } };
    const act = `set the deadline of claim "${name}"`;
    const outcome = outcomeOf(await kube.patch(nodeClaims, { name }, { body }), act);
    if (outcome === "conflict") throw new Error(`Cannot ${act}: somebody else changed it; will look again`);
  }

  async #deleteOnce(kind: InterruptionKind, claim: NodeClaim): Promise<void> {
    const { uid } = claim;
    const underWay = this.#deletions.get(uid);
    if (underWay !== undefined) return underWay;
    const deletion = this.#delete(kind, claim).finally(() => this.#deletions.delete(uid));
    this.#deletions.set(uid, deletion);
    return deletion;
  }

  async #delete(kind: InterruptionKind, claim: NodeClaim): Promise<void> {
    const { kube, telemetry } = this.#options;
    const { name, uid } = claim;
    const answer = await kube.delete(nodeClaims, { name }, { uid });
    if (outcomeOf(answer, `delete claim "${name}" of an interrupted machine`) !== "written") return;
    telemetry.log.info("deleting interrupted nodeclaim", {
      controller: this.#controller,
      NodeClaim: { name },
      messageKind: kind,
    });
    this.#announce(claim, {
      type: "Warning",
      reason: "TerminatingOnInterruption",
      message: `The node goes because its machine is interrupted (${kind})`,
    });
    telemetry.metrics.add("nodeclaims_disrupted_total", {
      reason: kind,
      nodepool: claim.labels.get(nodePoolLabel) ?? "",
      capacity_type: claim.labels.get(capacityTypeLabel) ?? "",
      consolidation_policy: "",
      termination_mode: terminationModeOf(claim),
    });
  }
}
