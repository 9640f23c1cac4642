import { nodeClaims } from "../../core/api/karpenter-resources.ts";
import { claimReference } from "../../core/api/references.ts";
import { terminationFinalizer } from "../../core/api/write-node-claim.ts";
import { writeTime } from "../../core/api/write-time.ts";
import { isManaged } from "../../core/lifecycle/is-managed.ts";
import { findCondition } from "../../core/model/condition.ts";
import { deadlineAnnotation } from "../../core/model/deadline.ts";
import { capacityTypeLabel, nodePoolLabel, zoneLabel } from "../../core/model/labels.ts";
import type { NodeClaim } from "../../core/model/node-claim.ts";
import type { NodeObject } from "../../core/model/node-object.ts";
import { planClaimStep } from "../../core/termination/plan-claim-step.ts";
import type { Instance } from "../../ports/cloud-provider.ts";
import { outcomeOf } from "../../runtime/patch-status.ts";
import { nodes } from "../../runtime/resources.ts";
import { SharedQuestion } from "../../runtime/shared-question.ts";
import { afterConflict, changeClaimConditions } from "./claim-writes.ts";
import { pauseBeforeNextAsk } from "./instance-ending.ts";
import { isEnding } from "./ownership.ts";
import type { TerminatorOptions } from "./terminator-options.ts";

/** Lets claims go once nothing is left of what they stood for. */
export class ClaimFinalizer {
  readonly #options: TerminatorOptions;
  /** Many claims may end before their launch at once, and a list of all machines is a large answer. */
  readonly #machines: SharedQuestion<ReadonlyMap<string, readonly Instance[]>>;

  constructor(options: TerminatorOptions) {
    this.#options = options;
    this.#machines = new SharedQuestion(async () =>
      Map.groupBy(await options.cloud.list(), ({ claimName }) => claimName),
    );
  }

  readonly reconcile = async (name: string): Promise<number | undefined> => {
    const { cluster, cloud } = this.#options;
    const claim = cluster.claims.get(name);
    if (claim === undefined || !isEnding(claim) || !isManaged(claim, cloud.nodeClassKinds)) return undefined;
    const step = planClaimStep(claim, cluster.nodesOf(claim));
    switch (step.kind) {
      case "set-deadline":
        return await this.#setDeadline(claim, step.deadline);
      case "await-nodes":
        for (const node of step.toDelete) await this.#deleteNode(node);
        return undefined;
      case "end-instance":
        return await this.#endInstance(claim);
      case "search-instances":
        return await this.#endUnknownInstances(claim);
    }
  };

  async #setDeadline(claim: NodeClaim, deadline: number): Promise<number | undefined> {
    const { kube, telemetry } = this.#options;
    const { name, resourceVersion } = claim;
    const time = writeTime(deadline);
    const body = { metadata: { resourceVersion, annotations: { [deadlineAnnotation]: time } } };
    const written = outcomeOf(await kube.patch(nodeClaims, { name }, { body }), `set the deadline of claim "${name}"`);
    if (written === "conflict") return afterConflict;
    if (written === "gone") return undefined;
    telemetry.events.publish({
      object: claimReference(claim),
      type: "Warning",
      reason: "TerminationGracePeriodExpiring",
      message: `All pods of its node will be deleted by ${time}`,
      sameAs: [name],
    });
    return 0;
  }

  async #deleteNode({ name, uid }: NodeObject): Promise<void> {
    outcomeOf(await this.#options.kube.delete(nodes, { name }, { uid }), `delete node "${name}"`);
  }

  async #endInstance(claim: NodeClaim): Promise<number | undefined> {
    const { cloud, clock, telemetry } = this.#options;
    const { name, providerId } = claim;
    const state = await cloud.terminate({ providerId, claimName: name });
    const written = await changeClaimConditions(this.#options, claim, [
      { type: "InstanceTerminating", status: "True" },
    ]);
    if (written === "conflict") return afterConflict;
    if (written === "gone") return undefined;
    if (state === "terminating") return pauseBeforeNextAsk(claim, clock.now());
    const now = clock.now();
    const since = findCondition(claim, "InstanceTerminating")?.lastTransitionTime ?? now;
    const released = await this.#release(this.#options.cluster.claims.get(name) ?? claim);
    if (released === undefined) {
      telemetry.metrics.observe(
        "nodeclaims_instance_termination_duration_seconds",
        { nodepool: claim.labels.get(nodePoolLabel) ?? "" },
        (now - since) / 1000,
      );
    }
    return released;
  }

  /** A process that ended between a launch and writing down what came of it leaves a machine that only the cloud knows. */
  async #endUnknownInstances(claim: NodeClaim): Promise<number | undefined> {
    const { cloud, clock } = this.#options;
    const instances = (await this.#machines.ask()).get(claim.name) ?? [];
    const states = await Promise.all(
      instances.map(({ providerId, claimName }) => cloud.terminate({ providerId, claimName })),
    );
    return states.includes("terminating") ? pauseBeforeNextAsk(claim, clock.now()) : await this.#release(claim);
  }

  async #release(claim: NodeClaim): Promise<number | undefined> {
    const { kube, clock, telemetry } = this.#options;
    const { name, resourceVersion, labels, deletedAt } = claim;
    const finalizers = claim.finalizers.filter((finalizer) => finalizer !== terminationFinalizer);
    const body = { metadata: { resourceVersion, finalizers } };
    const written = outcomeOf(await kube.patch(nodeClaims, { name }, { body }), `let claim "${name}" go`);
    if (written === "conflict") return afterConflict;
    if (written === "gone") return undefined;
    const nodepool = labels.get(nodePoolLabel) ?? "";
    telemetry.log.info("deleted nodeclaim", { controller: "nodeclaim.lifecycle", NodeClaim: { name } });
    telemetry.metrics.observe(
      "nodeclaims_termination_duration_seconds",
      { nodepool },
      (clock.now() - (deletedAt ?? clock.now())) / 1000,
    );
    telemetry.metrics.add("nodeclaims_terminated_total", {
      nodepool,
      capacity_type: labels.get(capacityTypeLabel) ?? "",
      zone: labels.get(zoneLabel) ?? "",
    });
    return undefined;
  }
}
