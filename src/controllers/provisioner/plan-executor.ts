import type { ClusterState } from "../../core/cluster/cluster-state.ts";
import type { Pod } from "../../core/model/pod.ts";
import { isProvisionable, isReschedulable } from "../../core/model/pod-lifecycle.ts";
import { mayLoseTaint } from "../../core/placement/foreign-taints.ts";
import type { Clock } from "../../ports/clock.ts";
import type { PlanAnswer } from "../../ports/planner.ts";
import type { ClaimMaker, Purchase } from "./claim-maker.ts";
import type { LookAhead } from "./look-ahead.ts";
import type { PlanReporter } from "./plan-reporter.ts";
import type { PurchaseBackoff } from "./purchase-backoff.ts";

export interface PlanExecutorOptions {
  readonly cluster: ClusterState;
  readonly clock: Clock;
  readonly claims: Pick<ClaimMaker, "nameFor" | "make">;
  readonly reporter: PlanReporter;
  readonly lookAhead: LookAhead;
  readonly backoff: PurchaseBackoff;
  /** The place that the plan had for this pod has gone meanwhile. */
  readonly planAgain: (podUid: string) => void;
}

/** Remembers which pod a plan means for which claim, and creates the claims. */
export class PlanExecutor {
  readonly #options: PlanExecutorOptions;

  constructor(options: PlanExecutorOptions) {
    this.#options = options;
  }

  /** Remembers before it writes: pods that are created meanwhile take their places at once. */
  async carryOut({ placements, nodes, refusals }: PlanAnswer, pendingPods: readonly Pod[]): Promise<void> {
    const { cluster, claims, lookAhead } = this.#options;
    // Pods have come and gone since the plan was asked for.
    lookAhead.refresh();
    const pending = new Map(pendingPods.map((pod) => [lookAhead.currentUid(pod.uid), pod]));
    const current = (podUids: readonly string[]): string[] =>
      podUids.map((uid) => lookAhead.currentUid(uid)).filter((uid) => this.#needsPlace(uid, pending.get(uid)));
    for (const { podUid } of refusals) this.#dropRefused(lookAhead.currentUid(podUid));
    for (const { nodeName, podUids } of placements) this.#intendForNode(nodeName, current(podUids));
    const purchases = this.#withoutAllButTrials(nodes).map(
      (node): Purchase => ({ name: claims.nameFor(node), node, reason: "provisioned" }),
    );
    for (const { name, node } of purchases) this.#intend(this.#withoutHeld(current(node.podUids)), name);
    await this.#create(purchases.filter(({ name }) => cluster.intendedPods.podsOf(name).size > 0));
  }

  /** A pod may get the place yet that an earlier plan meant for it. */
  #dropRefused(uid: string): void {
    const { clock, cluster } = this.#options;
    const pod = this.#find(uid);
    const launched = cluster.nodeMeantFor(uid);
    const isWaiting = pod !== undefined && launched !== undefined && mayLoseTaint(pod, launched, clock.now());
    if (!isWaiting) cluster.intendedPods.drop(uid);
  }

  /** Of a NodePool whose nodes were given a taint by others, one node shows whether they still are. */
  #withoutAllButTrials(nodes: PlanAnswer["nodes"]): PlanAnswer["nodes"] {
    const { clock, cluster } = this.#options;
    const now = clock.now();
    const inDoubt = new Set(
      nodes.map(({ poolName }) => poolName).filter((poolName) => cluster.observedTaints.needsTrial(poolName, now)),
    );
    const tried = new Set<string>();
    return nodes.filter(({ poolName }) => {
      if (!inDoubt.has(poolName)) return true;
      if (tried.has(poolName)) return false;
      tried.add(poolName);
      cluster.observedTaints.beginTrial(poolName, now);
      return true;
    });
  }

  #find(uid: string): Pod | undefined {
    const { cluster, lookAhead } = this.#options;
    return lookAhead.expectedPod(uid) ?? cluster.podByUid(uid);
  }

  #withoutHeld(podUids: readonly string[]): readonly string[] {
    return podUids.filter((uid) => {
      const pod = this.#find(uid);
      return pod === undefined || !this.#options.backoff.holdBack(pod);
    });
  }

  #intendForNode(nodeName: string, podUids: readonly string[]): void {
    const { cluster, planAgain, reporter } = this.#options;
    const node = cluster.nodes.get(nodeName);
    const claim = node === undefined ? cluster.claims.get(nodeName) : cluster.claimsOf(node)[0];
    // It began to go while the plan was made.
    if (claim?.deletedAt !== undefined || node?.deletedAt !== undefined) {
      for (const uid of podUids) planAgain(uid);
      return;
    }
    if (claim !== undefined) this.#intend(podUids, claim.name);
    for (const uid of podUids) reporter.reportNomination(uid, { claimName: claim?.name, nodeName: node?.name });
  }

  #intend(podUids: readonly string[], claimName: string): void {
    const { clock, cluster, lookAhead } = this.#options;
    for (const uid of podUids) cluster.intendedPods.intend(uid, claimName, clock.now(), lookAhead.expectedPod(uid));
  }

  async #create(purchases: readonly Purchase[]): Promise<void> {
    const { claims, cluster, reporter } = this.#options;
    const outcomes = await Promise.allSettled(
      purchases.map(async (purchase) => {
        try {
          await claims.make(purchase);
        } catch (error) {
          cluster.intendedPods.dropClaim(purchase.name);
          throw error;
        }
        reporter.reportClaim(purchase.name, purchase.node);
      }),
    );
    const failures = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason] : []));
    if (failures.length > 0)
      throw new AggregateError(failures, `${failures.length} of ${purchases.length} claims could not be created`);
  }

  /** `planned` is the pod as it was when the plan was asked for. */
  #needsPlace(uid: string, planned: Pod | undefined): boolean {
    const { cluster, lookAhead } = this.#options;
    if (lookAhead.expectedPod(uid) !== undefined) return true;
    const pod = cluster.podByUid(uid);
    if (pod === undefined) return false;
    if (planned !== undefined && planned.nodeName !== "")
      return pod.nodeName === planned.nodeName && isReschedulable(pod);
    return isProvisionable(
      { ...pod, scheduledReason: "Unschedulable" },
      (name) => cluster.nodes.get(name) !== undefined,
    );
  }
}
