import { nodeClaims } from "../../core/api/karpenter-resources.ts";
import { claimReference } from "../../core/api/references.ts";
import { writeConditions } from "../../core/api/write-conditions.ts";
import { nodeClassLabel, terminationFinalizer } from "../../core/api/write-node-claim.ts";
import { writeResources } from "../../core/api/write-resources.ts";
import type { ClusterState } from "../../core/cluster/cluster-state.ts";
import type { Change } from "../../core/cluster/collection.ts";
import { isManaged } from "../../core/lifecycle/is-managed.ts";
import {
  awaitsLaunch,
  cutMessage,
  launchedChanges,
  launchedMetadata,
  launchFailed,
} from "../../core/lifecycle/launching.ts";
import { type ConditionChange, changeConditions } from "../../core/model/condition.ts";
import { capacityTypeLabel, instanceTypeLabel, nodePoolLabel, zoneLabel } from "../../core/model/labels.ts";
import { claimReadiness, type NodeClaim, terminationModeOf } from "../../core/model/node-claim.ts";
import type { Clock } from "../../ports/clock.ts";
import type { CloudProvider, Instance } from "../../ports/cloud-provider.ts";
import type { LogFields, Telemetry } from "../../ports/telemetry.ts";
import { type KubeClient, unless } from "../../runtime/kube-client.ts";
import { patchStatus, type StatusWrite } from "../../runtime/patch-status.ts";
import { WorkLoop } from "../../runtime/work-loop.ts";

export interface LauncherOptions {
  readonly cluster: ClusterState;
  readonly kube: KubeClient;
  readonly cloud: CloudProvider;
  readonly clock: Clock;
  readonly telemetry: Telemetry;
}

const controller = "nodeclaim.lifecycle";
/** Somebody else wrote meanwhile, and what they wrote is on its way to us. */
const soon = 10;

/**
 * Gets a machine for every claim that has none. A crash at any point is mended by asking the cloud again, which gives a
 * claim the machine that it has.
 */
export class Launcher {
  readonly #options: LauncherOptions;
  readonly #loop: WorkLoop;
  #unsubscribe = (): void => {};

  constructor(options: LauncherOptions) {
    this.#options = options;
    this.#loop = new WorkLoop({
      name: controller,
      reconcile: (name) => this.#reconcile(name),
      clock: options.clock,
      telemetry: options.telemetry,
      concurrency: 100,
      firstBackoff: 1000,
    });
  }

  start(): void {
    const { claims } = this.#options.cluster;
    this.#unsubscribe = claims.onChange((change) => this.#see(change));
    for (const [key, after] of claims.entries()) this.#see({ key, before: undefined, after });
  }

  async stop(): Promise<void> {
    this.#unsubscribe();
    await this.#loop.stop();
  }

  /** Only what is new: what we write ourselves must not cut short the pause after a failure. */
  #see({ key, before, after }: Change<NodeClaim>): void {
    if (after === undefined || !awaitsLaunch(after)) return;
    if (before?.uid === after.uid && after.finalizers.includes(terminationFinalizer)) return;
    this.#loop.enqueue(key);
  }

  async #reconcile(name: string): Promise<number | undefined> {
    const claim = this.#options.cluster.claims.get(name);
    if (claim === undefined || !awaitsLaunch(claim) || !isManaged(claim, this.#options.cloud.nodeClassKinds)) {
      return undefined;
    }
    if (claim.finalizers.includes(terminationFinalizer)) return this.#launch(claim);
    const isPrepared = await this.#prepare(claim);
    return isPrepared ? this.#reconcile(name) : soon;
  }

  /** Without the finalizer a claim could go while its machine stays. */
  async #prepare({ name, resourceVersion, finalizers, nodeClassRef }: NodeClaim): Promise<boolean> {
    const metadata = {
      resourceVersion,
      finalizers: [...finalizers, terminationFinalizer],
      labels: { [nodeClassLabel(nodeClassRef)]: nodeClassRef.name },
    };
    const answer = await this.#options.kube.patch(nodeClaims, { name }, { body: { metadata } });
    if (answer.ok) return true;
    unless([404, 409], answer, `add the finalizer to NodeClaim "${name}"`);
    return false;
  }

  async #launch(claim: NodeClaim): Promise<number | undefined> {
    const outcome = await this.#options.cloud
      .launch(claim)
      .catch((error: unknown) => ({ kind: "unknown", error }) as const);
    switch (outcome.kind) {
      case "launched":
        this.#options.cluster.refusedOfferings.accept(outcome.instance.labels);
        return this.#recordLaunch(claim, outcome.instance);
      case "insufficient-capacity":
        if (outcome.isTold !== true) await this.#noteShortage(claim);
        return this.#giveUp(claim, {
          ...outcome,
          eventReason: "InsufficientCapacityError",
          cause: "insufficient_capacity",
        });
      case "node-class-not-ready":
        return this.#giveUp(claim, { ...outcome, eventReason: "NodeClassNotReady", cause: "nodeclass_not_ready" });
      case "failed":
        await this.#changeConditions(claim, [launchFailed(outcome.reason, outcome.message)]);
        throw new Error(`Cannot launch a machine for NodeClaim "${claim.name}": ${outcome.message}`);
      case "unknown": {
        const message = outcome.error instanceof Error ? outcome.error.message : String(outcome.error);
        await this.#changeConditions(claim, [launchFailed("LaunchFailed", message)]);
        throw new Error(`Cannot tell whether NodeClaim "${claim.name}" has a machine: ${message}`, {
          cause: outcome.error,
        });
      }
    }
  }

  /** The status last: until it says that there is a machine, the cloud is asked again. */
  async #recordLaunch(claim: NodeClaim, instance: Instance): Promise<number | undefined> {
    const status = {
      providerID: instance.providerId,
      ...(instance.imageId === "" ? {} : { imageID: instance.imageId }),
      capacity: writeResources(instance.capacity),
      allocatable: writeResources(instance.allocatable),
    };
    const isLabelled = await this.#label(claim, instance);
    // Read anew, with the labels on it.
    const labelled = isLabelled ? this.#options.cluster.claims.get(claim.name) : undefined;
    if (labelled?.uid !== claim.uid) return this.#abandon(claim, instance);
    const written = await this.#changeConditions(labelled, launchedChanges, status);
    if (written === "conflict") return soon;
    if (written === "gone") return this.#abandon(claim, instance);
    this.#options.telemetry.log.info("launched nodeclaim", {
      ...logFields(claim),
      "provider-id": instance.providerId,
      "instance-type": instance.labels.get(instanceTypeLabel) ?? "",
      zone: instance.labels.get(zoneLabel) ?? "",
      "capacity-type": instance.labels.get(capacityTypeLabel) ?? "",
      allocatable: status.allocatable,
    });
    return undefined;
  }

  /** False when the claim is gone. */
  async #label(claim: NodeClaim, instance: Instance): Promise<boolean> {
    const { labels, annotations } = launchedMetadata(claim, instance);
    if (labels.size === 0 && annotations.size === 0) return true;
    const metadata = { labels: Object.fromEntries(labels), annotations: Object.fromEntries(annotations) };
    const answer = await this.#options.kube.patch(nodeClaims, { name: claim.name }, { body: { metadata } });
    return unless([404], answer, `label NodeClaim "${claim.name}"`) !== undefined;
  }

  /** The claim went while its machine was on order, and nobody else knows of the machine. */
  async #abandon({ name }: NodeClaim, { providerId }: Instance): Promise<undefined> {
    this.#options.telemetry.log.info("ending a machine whose nodeclaim is gone", {
      controller,
      NodeClaim: { name },
      "provider-id": providerId,
    });
    await this.#options.cloud.terminate({ providerId, claimName: name });
  }

  /** Before the claim goes: its pods are to be planned onto something else then. */
  async #noteShortage(claim: NodeClaim): Promise<void> {
    const { cluster, cloud, clock } = this.#options;
    // Without its node class nothing can be had, and that says nothing of what is left.
    if (cluster.nodeClassOf(claim.nodeClassRef) === undefined) return;
    const types = await cloud.instanceTypes(claim.nodeClassRef).catch(() => []);
    cluster.refusedOfferings.refuse(claim, types, clock.now());
  }

  /** The pods of the claim are planned anew once it is gone. */
  async #giveUp(claim: NodeClaim, refusal: Refusal): Promise<undefined> {
    const { kube, telemetry } = this.#options;
    const { name, uid } = claim;
    telemetry.events.publish({
      object: claimReference({ name, uid }),
      type: "Warning",
      reason: refusal.eventReason,
      message: `NodeClaim ${name} event: ${cutMessage(refusal.message)}`,
      sameAs: [uid],
    });
    telemetry.log.error("failed launching nodeclaim", { ...logFields(claim), error: refusal.message });
    const answer = await kube.delete(nodeClaims, { name }, { uid });
    if (unless([404, 409], answer, `delete NodeClaim "${name}"`) === undefined) return;
    telemetry.metrics.add("nodeclaims_disrupted_total", {
      reason: refusal.cause,
      nodepool: claim.labels.get(nodePoolLabel) ?? "",
      capacity_type: claim.labels.get(capacityTypeLabel) ?? "",
      consolidation_policy: "",
      termination_mode: terminationModeOf(claim),
    });
  }

  async #changeConditions(
    claim: NodeClaim,
    changes: readonly ConditionChange[],
    status: object = {},
  ): Promise<StatusWrite> {
    const { kube, clock } = this.#options;
    const conditions = changeConditions(claim, claimReadiness, { changes, now: clock.now() });
    if (conditions === claim.conditions) return "written";
    return patchStatus(kube, nodeClaims, { ...claim, status: { ...status, conditions: writeConditions(conditions) } });
  }
}

interface Refusal {
  readonly message: string;
  readonly eventReason: string;
  /** As in metrics. */
  readonly cause: string;
}

function logFields({ name, labels }: NodeClaim): LogFields {
  return { controller, NodeClaim: { name }, NodePool: { name: labels.get(nodePoolLabel) ?? "" } };
}
