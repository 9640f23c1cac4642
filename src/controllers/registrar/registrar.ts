import { nodeClaims } from "../../core/api/karpenter-resources.ts";
import { claimReference } from "../../core/api/references.ts";
import { writeConditions } from "../../core/api/write-conditions.ts";
import { writeResources } from "../../core/api/write-resources.ts";
import type { ClusterState } from "../../core/cluster/cluster-state.ts";
import { initialization } from "../../core/lifecycle/initialization.ts";
import { isManaged } from "../../core/lifecycle/is-managed.ts";
import { type Liveness, liveness } from "../../core/lifecycle/liveness.ts";
import { isUnregistered, openedNode, registrationStep, unregisteredTaint } from "../../core/lifecycle/registration.ts";
import { type ConditionChange, changeConditions, findCondition, isConditionTrue } from "../../core/model/condition.ts";
import { capacityTypeLabel, initializedLabel, nodePoolLabel, zoneLabel } from "../../core/model/labels.ts";
import { claimReadiness, type NodeClaim, terminationModeOf } from "../../core/model/node-claim.ts";
import type { NodeObject } from "../../core/model/node-object.ts";
import type { Clock } from "../../ports/clock.ts";
import type { CloudProvider } from "../../ports/cloud-provider.ts";
import type { LogFields, Telemetry } from "../../ports/telemetry.ts";
import { type KubeClient, unless } from "../../runtime/kube-client.ts";
import { patchStatus, type StatusWrite } from "../../runtime/patch-status.ts";
import { nodes } from "../../runtime/resources.ts";
import { WorkLoop } from "../../runtime/work-loop.ts";
import { Hydration } from "./hydration.ts";
import { RegistrationHealth } from "./registration-health.ts";
import { writeOpenPatch, writeSyncPatch } from "./write-node-patch.ts";

export interface RegistrarOptions {
  readonly cluster: ClusterState;
  readonly kube: KubeClient;
  readonly cloud: CloudProvider;
  readonly clock: Clock;
  readonly telemetry: Telemetry;
  /**
   * Called when a node carries all that its claim asks for, before it is opened to pods; again when anything failed
   * since. Says after how many milliseconds to ask again, undefined to open it now. A rejection keeps the node closed
   * until the next try.
   */
  readonly prepareNode?: (claimName: string, node: NodeObject) => Promise<number | undefined>;
  readonly onNodeOpened?: (claimName: string) => void;
  /** Pods may be on a node before it is opened, so that what protects them has to be there by then. */
  readonly admitsEarly?: boolean;
}

const controller = "nodeclaim.lifecycle";
/** Somebody else wrote meanwhile; the change itself wakes us, this is for when it does not come. */
const soon = 50;
/** Nodes that are opened together are to be opened quickly: what is written of them waits for that. */
const recordingPause = 250;
/** What a node waits for in its first moments changes too quickly to be worth writing down. */
const quietStart = 2000;

/** Makes a node of every machine that joins, and gives up claims whose machine does not. */
export class Registrar {
  readonly #options: RegistrarOptions;
  readonly #loop: WorkLoop;
  readonly #health: RegistrationHealth;
  readonly #hydration: Hydration;
  /** Nodes that have been opened and whose claims do not say so yet, by the uid of the claim. */
  readonly #openedAt = new Map<string, number>();
  readonly #unsubscribe: (() => void)[] = [];

  constructor(options: RegistrarOptions) {
    this.#options = options;
    this.#health = new RegistrationHealth(options);
    this.#hydration = new Hydration(options);
    this.#loop = new WorkLoop({
      name: controller,
      reconcile: (name) => this.#reconcile(name),
      clock: options.clock,
      telemetry: options.telemetry,
      // Most of them only wait, for their node or for the others of its batch.
      concurrency: 5_000,
    });
  }

  start(): void {
    const { claims, nodes } = this.#options.cluster;
    this.#unsubscribe.push(
      claims.onChange(({ before, after }) => {
        if (before !== undefined && after?.uid !== before.uid) this.#openedAt.delete(before.uid);
        this.#see(after);
      }),
      nodes.onChange(({ before, after }) => {
        const node = after ?? before;
        if (node === undefined) return;
        for (const claim of this.#options.cluster.claimsOf(node)) this.#see(claim);
      }),
    );
    this.#health.start();
    this.#hydration.start();
    for (const claim of claims.values()) this.#see(claim);
  }

  async stop(): Promise<void> {
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    await Promise.all([this.#loop.stop(), this.#health.stop(), this.#hydration.stop()]);
  }

  #see(claim: NodeClaim | undefined): void {
    if (claim !== undefined && this.#isOnItsWay(claim)) this.#loop.enqueue(claim.name);
  }

  #isOnItsWay(claim: NodeClaim): boolean {
    return (
      claim.deletedAt === undefined &&
      !isConditionTrue(claim, "Initialized") &&
      isManaged(claim, this.#options.cloud.nodeClassKinds)
    );
  }

  async #reconcile(name: string): Promise<number | undefined> {
    const { cluster, clock } = this.#options;
    const claim = cluster.claims.get(name);
    if (claim === undefined || !this.#isOnItsWay(claim)) return undefined;
    const hope = liveness(claim, clock.now());
    switch (hope.kind) {
      case "expired":
        return this.#giveUp(claim, hope);
      case "registered":
        return this.#initialize(claim, onlyOne(cluster.nodesOf(claim)));
      case "waiting": {
        const progress = isConditionTrue(claim, "Launched") ? await this.#register(claim) : "waiting";
        if (progress === "registered") return undefined;
        if (typeof progress === "number") return Math.min(progress, hope.untilDeadline);
        return progress === "disturbed" ? soon : hope.untilDeadline;
      }
    }
  }

  async #register(claim: NodeClaim): Promise<Progress> {
    const step = registrationStep(this.#options.cluster.nodesOf(claim));
    if (step.kind === "wait") {
      const written = await this.#changeConditions(claim, [step.change]);
      return written === "conflict" ? "disturbed" : "waiting";
    }
    if (step.isTaintMissing) this.#tellOfMissingTaint(claim, step.node);
    const isSynced = await this.#sync(claim, step.node);
    return isSynced ? this.#open(claim, step.node.name) : "disturbed";
  }

  async #sync(claim: NodeClaim, node: NodeObject): Promise<boolean> {
    const mayProtectLater = this.#options.admitsEarly !== true && isUnregistered(node);
    const body = writeSyncPatch(claim, node, mayProtectLater);
    if (body === undefined) return true;
    const answer = await this.#options.kube.patch(nodes, { name: node.name }, { kind: "strategic-merge", body });
    return unless([404, 409], answer, `prepare Node "${node.name}" for NodeClaim "${claim.name}"`) !== undefined;
  }

  async #open(claim: NodeClaim, name: string): Promise<Progress> {
    const { cluster, kube, clock, prepareNode, onNodeOpened } = this.#options;
    const synced = cluster.nodes.get(name);
    if (synced !== undefined && writeOpenPatch(claim, synced, false) !== undefined) {
      const untilReady = await prepareNode?.(claim.name, synced);
      if (untilReady !== undefined) return untilReady;
    }
    // As it is now: much may have happened since.
    const node = cluster.nodes.get(name);
    if (node === undefined || !this.#isStillWanted(claim)) return "disturbed";
    const initialized = initialization(claim, openedNode(node));
    const body = writeOpenPatch(claim, node, initialized.status === "True");
    if (body !== undefined) {
      const answer = await kube.patch(nodes, { name }, { kind: "strategic-merge", body });
      if (unless([404, 409], answer, `open Node "${name}" to pods`) === undefined) return "disturbed";
      this.#openedAt.set(claim.uid, clock.now());
    }
    onNodeOpened?.(claim.name);
    const wait = (this.#openedAt.get(claim.uid) ?? 0) + recordingPause - clock.now();
    if (wait > 0) return wait;
    return this.#recordRegistration(claim.name, node, initialized);
  }

  /** A claim that goes has its machine ended, which must not get pods any more. */
  #isStillWanted({ name, uid }: NodeClaim): boolean {
    const claim = this.#options.cluster.claims.get(name);
    return claim !== undefined && claim.uid === uid && claim.deletedAt === undefined;
  }

  async #recordRegistration(claimName: string, node: NodeObject, initialized: ConditionChange): Promise<Progress> {
    const { cluster, telemetry } = this.#options;
    const claim = cluster.claims.get(claimName);
    if (claim === undefined || !this.#isStillWanted(claim)) return "disturbed";
    const isInitialized = initialized.status === "True";
    const changes: ConditionChange[] = [
      { type: "Registered", status: "True" },
      ...(isInitialized ? [initialized] : []),
    ];
    const written = await this.#changeConditions(claim, changes, { nodeName: node.name });
    if (written !== "written") return "disturbed";
    this.#openedAt.delete(claim.uid);
    const nodepool = claim.labels.get(nodePoolLabel) ?? "";
    telemetry.metrics.add("nodes_created_total", { nodepool, zone: claim.labels.get(zoneLabel) ?? "" });
    telemetry.log.info("registered nodeclaim", logFields(claim, node));
    if (isInitialized) this.#tellOfInitialization(claim, node);
    this.#health.record(claim);
    return "registered";
  }

  async #initialize(claim: NodeClaim, node: NodeObject | undefined): Promise<number | undefined> {
    const { kube, clock } = this.#options;
    const initialized = initialization(claim, node);
    if (initialized.status !== "True" || node === undefined) {
      const registeredAt = findCondition(claim, "Registered")?.lastTransitionTime ?? 0;
      const quiet = registeredAt + quietStart - clock.now();
      if (quiet > 0) return quiet;
    } else if (node.labels.get(initializedLabel) !== "true") {
      const body = { metadata: { labels: { [initializedLabel]: "true" } } };
      const answer = await kube.patch(nodes, { name: node.name }, { body });
      if (unless([404], answer, `label Node "${node.name}" as initialized`) === undefined) return soon;
    }
    const written = await this.#changeConditions(claim, [initialized]);
    if (written === "conflict") return soon;
    if (written === "written" && initialized.status === "True" && node !== undefined)
      this.#tellOfInitialization(claim, node);
    return undefined;
  }

  async #giveUp(claim: NodeClaim, { cause, timeout, reason, message }: Expired): Promise<undefined> {
    const { kube, telemetry } = this.#options;
    const { name, uid } = claim;
    const answer = await kube.delete(nodeClaims, { name }, { uid });
    if (unless([404, 409], answer, `delete NodeClaim "${name}"`) === undefined) return;
    this.#health.record(claim, { reason, message });
    telemetry.log.info("terminating due to timeout", {
      ...logFields(claim),
      timeout: `${timeout / 60_000}m`,
      reason: cause,
    });
    telemetry.metrics.add("nodeclaims_disrupted_total", {
      reason: cause,
      nodepool: claim.labels.get(nodePoolLabel) ?? "",
      capacity_type: claim.labels.get(capacityTypeLabel) ?? "",
      consolidation_policy: "",
      termination_mode: terminationModeOf(claim),
    });
  }

  #tellOfMissingTaint(claim: NodeClaim, node: NodeObject): void {
    const message = `Missing ${unregisteredTaint.key} taint which prevents registration related race conditions on Karpenter-managed nodes`;
    this.#options.telemetry.log.error("node claim registration error", {
      ...logFields(claim, node),
      taint: unregisteredTaint.key,
      error: message,
    });
    this.#options.telemetry.events.publish({
      object: claimReference(claim),
      type: "Warning",
      reason: "UnregisteredTaintMissing",
      message,
      sameAs: [claim.uid],
    });
  }

  #tellOfInitialization(claim: NodeClaim, node: NodeObject): void {
    const allocatable = writeResources(node.allocatable);
    this.#options.telemetry.log.info("initialized nodeclaim", { ...logFields(claim, node), allocatable });
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

type Expired = Extract<Liveness, { readonly kind: "expired" }>;

/** Disturbed: something came between, and all is to be looked at again. */
type Progress = "waiting" | "disturbed" | "registered" | number;

function onlyOne(found: readonly NodeObject[]): NodeObject | undefined {
  return found.length === 1 ? found[0] : undefined;
}

function logFields({ name, labels, providerId }: NodeClaim, node?: NodeObject): LogFields {
  return {
    controller,
    NodeClaim: { name },
    NodePool: { name: labels.get(nodePoolLabel) ?? "" },
    "provider-id": providerId,
    ...(node === undefined ? {} : { Node: { name: node.name } }),
  };
}
