import { nodeClaims } from "../../core/api/karpenter-resources.ts";
import { claimReference, nodeReference, poolReference } from "../../core/api/references.ts";
import { writeTime } from "../../core/api/write-time.ts";
import { isManaged } from "../../core/lifecycle/is-managed.ts";
import { type Ailment, diagnose, type Health, judgeHealth, withTolerations } from "../../core/lifecycle/repair.ts";
import { deadlineAnnotation, deadlineOf } from "../../core/model/deadline.ts";
import { capacityTypeLabel, nodePoolLabel } from "../../core/model/labels.ts";
import { type NodeClaim, terminationModeOf } from "../../core/model/node-claim.ts";
import type { NodeCondition, NodeObject } from "../../core/model/node-object.ts";
import { outcomeOf } from "../../runtime/patch-status.ts";
import { WorkLoop } from "../../runtime/work-loop.ts";
import type { InspectorOptions } from "./inspector-options.ts";

export interface RepairSettings {
  /** With more unhealthy nodes in a pool than this share of them, rounded up, none is repaired. */
  readonly maxUnhealthyPercent: number;
  /** Milliseconds by condition type, in place of what the cloud says. */
  readonly after: ReadonlyMap<string, number>;
}

export interface RepairerOptions extends InspectorOptions {
  readonly repair: RepairSettings;
}

const name = "node.health";
const pauseWhileBlocked = 300_000;
const quietWhileBlocked = 900_000;
/** Somebody else wrote meanwhile, and what they wrote is on its way to us. */
const soon = 10;
/** Timers know no longer wait. */
const longestTimer = 2 ** 31 - 1;

/** Ends nodes that have been unhealthy for too long, whatever protects their pods: nobody can say how those are. */
export class Repairer {
  readonly #options: RepairerOptions;
  readonly #ailments: readonly Ailment[];
  readonly #loop: WorkLoop;
  readonly #unsubscribe: (() => void)[] = [];

  constructor(options: RepairerOptions) {
    this.#options = options;
    const { cloud, clock, telemetry, repair } = options;
    this.#ailments = withTolerations(cloud.repairPolicies, repair.after);
    this.#loop = new WorkLoop({ name, clock, telemetry, reconcile: (key) => this.#look(key) });
  }

  start(): void {
    const { nodes, claims } = this.#options.cluster;
    this.#warnOfUnknown();
    for (const node of nodes.values()) this.#loop.enqueue(node.name);
    this.#unsubscribe.push(
      nodes.onChange(({ key, before, after }) => {
        if (after !== undefined && !hasSameConditions(before, after)) this.#loop.enqueue(key);
      }),
      // A node may join before its claim knows its machine.
      claims.onChange(({ before, after }) => {
        if (after === undefined || before?.providerId === after.providerId) return;
        for (const node of this.#options.cluster.nodesOf(after)) this.#loop.enqueue(node.name);
      }),
    );
  }

  async stop(): Promise<void> {
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    await this.#loop.stop();
  }

  #warnOfUnknown(): void {
    const { repair, telemetry, cloud } = this.#options;
    const known = new Set(this.#ailments.map(({ conditionType }) => conditionType));
    const unknown = [...repair.after.keys()].filter((type) => !known.has(type));
    if (unknown.length === 0) return;
    telemetry.log.error("the cloud provider repairs no nodes for these conditions, so that their time is ignored", {
      controller: name,
      conditions: unknown,
      known: [...known],
      provider: cloud.name,
    });
  }

  async #look(nodeName: string): Promise<number | undefined> {
    const { cluster, cloud, clock, repair } = this.#options;
    const node = cluster.nodes.get(nodeName);
    const diagnosis = node && diagnose(node, this.#ailments);
    if (node === undefined || diagnosis === undefined) return undefined;
    const [claim, ...others] = cluster.claimsOf(node);
    if (claim === undefined || others.length > 0 || !isManaged(claim, cloud.nodeClassKinds)) return undefined;
    const left = diagnosis.dueAt - clock.now();
    if (left > 0) return Math.min(left, longestTimer);
    const health = judgeHealth(this.#companionsOf(claim), this.#ailments, repair.maxUnhealthyPercent);
    if (health.isTooBad) {
      this.#tellBlocked(node, claim, health);
      return pauseWhileBlocked;
    }
    return await this.#end(claim, node, diagnosis.condition);
  }

  /** The nodes of its pool; without one, all. */
  #companionsOf(claim: NodeClaim): readonly NodeObject[] {
    const pool = claim.labels.get(nodePoolLabel);
    const nodes = [...this.#options.cluster.nodes.values()];
    return pool === undefined ? nodes : nodes.filter(({ labels }) => labels.get(nodePoolLabel) === pool);
  }

  #tellBlocked(node: NodeObject, claim: NodeClaim, { unhealthy, nodes }: Health): void {
    const { cluster, repair, telemetry } = this.#options;
    const poolName = claim.labels.get(nodePoolLabel);
    const pool = cluster.pools.get(poolName ?? "");
    const where = poolName === undefined ? "cluster" : "nodepool";
    const message = `more than ${repair.maxUnhealthyPercent}% nodes are unhealthy in the ${where} (${unhealthy} of ${nodes})`;
    const objects = [nodeReference(node), claimReference(claim), ...(pool === undefined ? [] : [poolReference(pool)])];
    for (const object of objects) {
      telemetry.events.publish({
        object,
        type: "Warning",
        reason: "NodeRepairBlocked",
        message,
        sameAs: [object.uid],
        quietMilliseconds: quietWhileBlocked,
      });
    }
  }

  async #end(claim: NodeClaim, node: NodeObject, condition: NodeCondition): Promise<number | undefined> {
    const { kube, clock, telemetry } = this.#options;
    const { name: claimName, uid, resourceVersion, imageId } = claim;
    const now = clock.now();
    if ((deadlineOf(claim) ?? Number.POSITIVE_INFINITY) > now) {
      const body = { metadata: { resourceVersion, annotations: { [deadlineAnnotation]: writeTime(now) } } };
      const answer = await kube.patch(nodeClaims, { name: claimName }, { body });
      const written = outcomeOf(answer, `set the deadline of claim "${claimName}"`);
      if (written !== "written") return written === "conflict" ? soon : undefined;
    }
    if (claim.deletedAt !== undefined) return undefined;
    const answer = await kube.delete(nodeClaims, { name: claimName }, { uid });
    if (outcomeOf(answer, `delete claim "${claimName}" of an unhealthy node`) !== "written") return undefined;
    const cause = {
      nodepool: node.labels.get(nodePoolLabel) ?? "",
      capacity_type: node.labels.get(capacityTypeLabel) ?? "",
    };
    telemetry.log.info("deleting unhealthy node", {
      controller: name,
      NodeClaim: { name: claimName },
      Node: { name: node.name },
      condition: `${condition.type}=${condition.status}`,
      since: writeTime(condition.lastTransitionTime),
    });
    telemetry.metrics.add("nodeclaims_disrupted_total", {
      reason: "unhealthy",
      ...cause,
      consolidation_policy: "",
      termination_mode: terminationModeOf(claim),
    });
    telemetry.metrics.add("nodeclaims_unhealthy_disrupted_total", {
      condition: snakeCase(condition.type),
      ...cause,
      image_id: imageId,
    });
    return undefined;
  }
}

function hasSameConditions(before: NodeObject | undefined, after: NodeObject): boolean {
  if (before?.uid !== after.uid || before.conditions.length !== after.conditions.length) return false;
  return after.conditions.every(({ type, status, lastTransitionTime }) =>
    before.conditions.some(
      (old) => old.type === type && old.status === status && old.lastTransitionTime === lastTransitionTime,
    ),
  );
}

/** `NetworkUnavailable` becomes `network_unavailable`. */
function snakeCase(text: string): string {
  return text.replace(/(?<=[a-z0-9])(?=[A-Z])/g, "_").toLowerCase();
}
