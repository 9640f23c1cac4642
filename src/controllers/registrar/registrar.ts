import { nodeClaims } from "../../core/api/karpenter-resources.ts";
import { claimReference } from "../../core/api/references.ts";
import { writeConditions } from "../../core/api/write-conditions.ts";
import { writeResources } from "../../core/api/write-resources.ts";
import type { ClusterState } from "../../core/cluster/cluster-state.ts";
import { initialization } from "../../core/lifecycle/initialization.ts";
import { isManaged } from "../../core/lifecycle/is-managed.ts";
import { type Liveness, liveness } from "../../core/lifecycle/liveness.ts";
import { registeredTaints, registrationStep, unregisteredTaint } from "../../core/lifecycle/registration.ts";
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
import { writeRegistrationPatch } from "./write-node-patch.ts";

export interface RegistrarOptions {
  readonly cluster: ClusterState;
  readonly kube: KubeClient;
  readonly cloud: CloudProvider;
  readonly clock: Clock;
  readonly telemetry: Telemetry;
}

const controller = "nodeclaim.lifecycle";
/** Somebody else wrote meanwhile; the change itself wakes us, this is for when it does not come. */
const soon = 50;
/** What a node waits for in its first moments changes too quickly to be worth writing down. */
const quietStart = 2000;

/** Makes a node of every machine that joins, and gives up claims whose machine does not. */
export class Registrar {
  readonly #options: RegistrarOptions;
  readonly #loop: WorkLoop;
  readonly #health: RegistrationHealth;
  readonly #hydration: Hydration;
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
      concurrency: 100,
    });
  }

  start(): void {
    const { claims, nodes } = this.#options.cluster;
    this.#unsubscribe.push(
      claims.onChange(({ after }) => this.#see(after)),
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
    return this.#open(claim, step.node);
  }

  /** At once, also when the node is not ready: its DaemonSets come while it boots. */
  async #open(claim: NodeClaim, node: NodeObject): Promise<Progress> {
    const taints = registeredTaints(claim, node);
    const initialized = initialization(claim, { ...node, taints });
    const isInitialized = initialized.status === "True";
    const body = writeRegistrationPatch(claim, node, { taints, isInitialized });
    if (body !== undefined) {
      const answer = await this.#options.kube.patch(nodes, { name: node.name }, { kind: "strategic-merge", body });
      const act = `register Node "${node.name}" for NodeClaim "${claim.name}"`;
      if (unless([404, 409], answer, act) === undefined) return "disturbed";
    }
    return this.#recordRegistration(claim, node, initialized);
  }

  async #recordRegistration(claim: NodeClaim, node: NodeObject, initialized: ConditionChange): Promise<Progress> {
    const { telemetry } = this.#options;
    const isInitialized = initialized.status === "True";
    const changes: ConditionChange[] = [
      { type: "Registered", status: "True" },
      ...(isInitialized ? [initialized] : []),
    ];
    const written = await this.#changeConditions(claim, changes, { nodeName: node.name });
    if (written !== "written") return "disturbed";
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
type Progress = "waiting" | "disturbed" | "registered";

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
