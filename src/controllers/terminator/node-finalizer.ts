import { terminationFinalizer } from "../../core/api/write-node-claim.ts";
import { writeTaintsWith } from "../../core/api/write-node-taints.ts";
import { writeTime } from "../../core/api/write-time.ts";
import { type ConditionChange, isConditionTrue } from "../../core/model/condition.ts";
import { deadlineOf } from "../../core/model/deadline.ts";
import { wantsSurge } from "../../core/model/drain-strategy.ts";
import { nodePoolLabel, zoneLabel } from "../../core/model/labels.ts";
import type { NodeClaim } from "../../core/model/node-claim.ts";
import { isNodeReady, type NodeObject } from "../../core/model/node-object.ts";
import { disruptedTaint } from "../../core/model/taints.ts";
import { pendingAttachments } from "../../core/termination/pending-attachments.ts";
import { planDrain } from "../../core/termination/plan-drain.ts";
import { planNodeStep } from "../../core/termination/plan-node-step.ts";
import type { StatusWrite } from "../../runtime/patch-status.ts";
import { outcomeOf } from "../../runtime/patch-status.ts";
import { nodes } from "../../runtime/resources.ts";
import { afterConflict, changeClaimConditions, deleteClaim } from "./claim-writes.ts";
import { DrainReporter } from "./drain-reporter.ts";
import type { EvictionQueue } from "./eviction-queue.ts";
import { pauseBeforeNextAsk } from "./instance-ending.ts";
import { isEnding, namesOurNodeClass } from "./ownership.ts";
import type { SurgeQueue } from "./surge-queue.ts";
import type { TerminatorOptions } from "./terminator-options.ts";

const excludeFromLoadBalancers = "node.kubernetes.io/exclude-from-external-load-balancers";
/** How often the cloud is asked whether the machine of a node that is not ready is still there. */
const instanceCheckInterval = 5_000;

/** Empties nodes that are being deleted, ends their machines, and lets them go. */
export class NodeFinalizer {
  readonly #options: TerminatorOptions;
  readonly #evictions: EvictionQueue;
  readonly #surges: SurgeQueue;
  readonly #reporter: DrainReporter;
  /** When the cloud was last asked for the machine of a node that is not ready. */
  readonly #checkedAt = new Map<string, number>();

  constructor(options: TerminatorOptions, evictions: EvictionQueue, surges: SurgeQueue) {
    this.#options = options;
    this.#evictions = evictions;
    this.#surges = surges;
    this.#reporter = new DrainReporter(options.telemetry);
  }

  readonly reconcile = async (name: string): Promise<number | undefined> => {
    const { cluster, cloud, kube, clock } = this.#options;
    const node = cluster.nodes.get(name);
    if (node === undefined || !isEnding(node)) {
      this.#checkedAt.delete(name);
      return undefined;
    }
    const claims = cluster.claimsOf(node);
    if (claims.length === 0 && !namesOurNodeClass(node, cloud)) return undefined;
    // With several claims nobody knows whose machine it is, so it is nobody's to end.
    const claim = claims.length === 1 ? claims[0] : undefined;
    if (claim !== undefined && claim.deletedAt === undefined) await deleteClaim(kube, claim);
    if (!isNodeReady(node) && (await this.#isInstanceGone(node))) return await this.#release(node);
    const cordoned = await this.#cordon(node);
    if (cordoned === "conflict") return afterConflict;
    if (cordoned === "gone") return undefined;
    const next = await this.#advance(node.name);
    return isNodeReady(node) ? next : Math.min(next ?? Infinity, this.#nextCheck(node, clock.now()));
  };

  /** A node that is ready has a machine, whatever the cloud says. */
  async #isInstanceGone({ name, providerId }: NodeObject): Promise<boolean> {
    const { cloud, clock } = this.#options;
    const checkedAt = this.#checkedAt.get(name);
    if (checkedAt !== undefined && clock.now() < checkedAt + instanceCheckInterval) return false;
    const instance = await cloud.find(providerId);
    this.#checkedAt.set(name, clock.now());
    return instance === undefined;
  }

  #nextCheck({ name }: NodeObject, now: number): number {
    return Math.max(1, (this.#checkedAt.get(name) ?? now) + instanceCheckInterval - now);
  }

  /** Keeps new pods away, and traffic from outside. */
  async #cordon(node: NodeObject): Promise<StatusWrite | "same"> {
    const { kube, telemetry } = this.#options;
    const { name, resourceVersion, labels, writtenTaints } = node;
    const { key, effect } = disruptedTaint;
    const isTainted = writtenTaints.some((taint) => taint.key === key && taint.effect === effect);
    if (isTainted && labels.get(excludeFromLoadBalancers) === "karpenter") return "same";
    const body = {
      metadata: { resourceVersion, labels: { [excludeFromLoadBalancers]: "karpenter" } },
      ...(isTainted ? {} : { spec: { taints: writeTaintsWith(node, disruptedTaint) } }),
    };
    const written = outcomeOf(await kube.patch(nodes, { name }, { body }), `cordon node "${name}"`);
    if (written === "written" && !isTainted) {
      telemetry.log.info("tainted node", {
        controller: "node.termination",
        Node: { name },
        "taint.Key": key,
        "taint.Value": "",
        "taint.Effect": effect,
      });
    }
    return written;
  }

  async #advance(name: string): Promise<number | undefined> {
    const { cluster, clock } = this.#options;
    // As our own writes have left them.
    const node = cluster.nodes.get(name);
    if (node === undefined) return undefined;
    const claims = cluster.claimsOf(node);
    const claim = claims.length === 1 ? claims[0] : undefined;
    const now = clock.now();
    const deadline = deadlineOf(claim);
    if (deadline !== undefined) this.#reporter.reportDeadline(node, writeTime(deadline));
    const drain = planDrain({
      pods: cluster.podsOnNode(name),
      budgets: [...cluster.disruptionBudgets.values()],
      isReplacedFirst: (pod) => wantsSurge(pod) && !this.#surges.hasGivenUp(pod),
      deadline,
      now,
    });
    for (const pod of drain.surges) this.#surges.add(pod);
    for (const pod of drain.evictions) this.#evictions.add(pod);
    for (const { pod } of drain.deletions) this.#evictions.hurry(pod);
    const attachments = pendingAttachments(cluster, name, now);
    const step = planNodeStep({ node, claim, drain, attachments, deadline, now });
    if (step.awaits === "pods") {
      const waits = drain.waits.filter(({ pod }) => !this.#evictions.isGranted(pod));
      this.#reporter.reportWaits(node, waits, now);
    }
    if (step.awaits === "volumes") this.#reporter.reportAttachments(node, attachments);
    if (step.awaits === "instance") return await this.#endInstance(node, claim, step.changes);
    const written = claim === undefined ? "same" : await this.#changeConditions(node, claim, step.changes);
    if (written === "conflict") return afterConflict;
    return step.lookAgainAt === undefined ? undefined : Math.max(1, step.lookAgainAt - clock.now());
  }

  async #endInstance(
    node: NodeObject,
    claim: NodeClaim | undefined,
    changes: readonly ConditionChange[],
  ): Promise<number | undefined> {
    if (claim === undefined) return await this.#release(node);
    const { cloud, clock } = this.#options;
    const { name, providerId } = claim;
    const state = await cloud.terminate({ providerId, claimName: name });
    const written = await this.#changeConditions(node, claim, [
      ...changes,
      { type: "InstanceTerminating", status: "True" },
    ]);
    if (written === "conflict") return afterConflict;
    return state === "gone" ? await this.#release(node) : pauseBeforeNextAsk(claim, clock.now());
  }

  async #changeConditions(
    node: NodeObject,
    claim: NodeClaim,
    changes: readonly ConditionChange[],
  ): Promise<StatusWrite | "same"> {
    const written = await changeClaimConditions(this.#options, claim, changes);
    const isDrained = changes.some(({ type, status }) => type === "Drained" && status === "True");
    if (written === "written" && isDrained && !isConditionTrue(claim, "Drained")) {
      this.#options.telemetry.metrics.add("nodes_drained_total", { nodepool: poolOf(node) });
    }
    return written;
  }

  async #release(node: NodeObject): Promise<number | undefined> {
    const { kube, clock, telemetry } = this.#options;
    const { name, uid, labels, createdAt, deletedAt } = node;
    // Names the one to remove, so that no other write to the node is in its way.
    const body = { metadata: { uid, "$deleteFromPrimitiveList/finalizers": [terminationFinalizer] } };
    const answer = await kube.patch(nodes, { name }, { kind: "strategic-merge", body });
    const written = outcomeOf(answer, `let node "${name}" go`);
    if (written === "conflict") return afterConflict;
    if (written === "gone") return undefined;
    const now = clock.now();
    const nodepool = poolOf(node);
    telemetry.log.info("deleted node", { controller: "node.termination", Node: { name } });
    telemetry.metrics.add("nodes_terminated_total", { nodepool, zone: labels.get(zoneLabel) ?? "" });
    telemetry.metrics.observe("nodes_termination_duration_seconds", { nodepool }, (now - (deletedAt ?? now)) / 1000);
    telemetry.metrics.observe("nodes_lifetime_duration_seconds", { nodepool }, (now - createdAt) / 1000);
    return undefined;
  }
}

function poolOf({ labels }: NodeObject): string {
  return labels.get(nodePoolLabel) ?? "";
}
