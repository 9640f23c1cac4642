import type { ClusterState } from "../../core/cluster/cluster-state.ts";
import type { NodePool } from "../../core/model/node-pool.ts";
import type { Pod, TopologySpread } from "../../core/model/pod.ts";
import { isFinished } from "../../core/model/pod-lifecycle.ts";
import { isOverfull } from "../../core/placement/is-overfull.ts";
import { isCounted } from "../../core/workloads/counted-pods.ts";
import type { Clock, Timer } from "../../ports/clock.ts";
import type { CloudProvider } from "../../ports/cloud-provider.ts";
import type { Planner } from "../../ports/planner.ts";
import type { Telemetry } from "../../ports/telemetry.ts";
import { BatchingWindow } from "../../runtime/batching-window.ts";
import type { ClaimMaker } from "./claim-maker.ts";
import { LookAhead, type LookAheadSettings } from "./look-ahead.ts";
import { PendingPods } from "./pending-pods.ts";
import { PlanExecutor } from "./plan-executor.ts";
import { PlanReporter } from "./plan-reporter.ts";
import { PurchaseBackoff } from "./purchase-backoff.ts";
import { requestPlan } from "./request-plan.ts";

export interface ProvisionerOptions {
  readonly cluster: ClusterState;
  readonly cloud: CloudProvider;
  readonly planner: Planner;
  readonly clock: Clock;
  readonly telemetry: Telemetry;
  readonly isSynced: () => boolean;
  readonly settings: ProvisionerSettings;
  readonly claims: Pick<ClaimMaker, "nameFor" | "make">;
}

/** Suggest: kube-scheduler decides, and an event says where the plan has a pod. Bind: we bind pods to their nodes. */
export type PlacementPolicy = "Suggest" | "Bind";

export interface ProvisionerSettings extends LookAheadSettings {
  readonly batchIdleMilliseconds: number;
  readonly batchMaxMilliseconds: number;
  readonly preferencePolicy: "Respect" | "Ignore";
  readonly minValuesPolicy: "Strict" | "BestEffort";
  readonly defaultSpread: readonly TopologySpread[];
  readonly placementPolicy: PlacementPolicy;
}

const name = "provisioner";
/** All pending pods are planned again this often, whatever else happens. */
const resyncInterval = 10_000;
const lookAheadInterval = 1_000;
const retryUnsynced = 1_000;
/** So long kube-scheduler is left alone after it has put pods elsewhere than planned: it may be in the midst of it. */
const settling = { idleMilliseconds: 1_000, maxMilliseconds: 3_000 };
const firstBackoff = 500;
const longestBackoff = 60_000;

/**
 * Creates NodeClaims for pods that have no node. Every pass decides from what is: it plans all pods that have no place on
 * a node that exists or is on its way. Which pod was meant for which claim is remembered as a hint for the next pass.
 */
export class Provisioner {
  readonly #options: ProvisionerOptions;
  readonly #window: BatchingWindow;
  /** Claims whose nodes have no room any more for all pods that are meant for them. */
  readonly #overfull: BatchingWindow;
  readonly #pending: PendingPods;
  readonly #lookAhead: LookAhead;
  readonly #reporter: PlanReporter;
  readonly #executor: PlanExecutor;
  readonly #backoff: PurchaseBackoff;
  readonly #unsubscribe: (() => void)[] = [];
  readonly #timers = new Map<string, Timer>();
  #pass: Promise<void> | undefined;
  #isWantedAgain = false;
  #failures = 0;
  #isStopped = false;

  constructor(options: ProvisionerOptions) {
    this.#options = options;
    const { cluster, clock, settings, telemetry } = options;
    this.#pending = new PendingPods(cluster);
    this.#lookAhead = new LookAhead(options);
    this.#reporter = new PlanReporter(cluster, telemetry);
    this.#backoff = new PurchaseBackoff(options);
    this.#executor = new PlanExecutor({
      ...options,
      backoff: this.#backoff,
      reporter: this.#reporter,
      lookAhead: this.#lookAhead,
      planAgain: (uid) => this.#window.add(uid),
    });
    this.#window = new BatchingWindow({
      clock,
      idleMilliseconds: settings.batchIdleMilliseconds,
      maxMilliseconds: settings.batchMaxMilliseconds,
      isComplete: () => this.#areAllCounted(),
      onClosed: () => this.#begin(),
    });
    this.#overfull = new BatchingWindow({
      clock,
      ...settling,
      isComplete: () => false,
      onClosed: () => this.#window.add("overfull"),
    });
  }

  start(): void {
    const { cluster } = this.#options;
    // Another process may have led in between.
    cluster.intendedPods.clear();
    this.#backoff.start();
    this.#unsubscribe.push(
      this.#lookAhead.start(() => this.#window.announce()),
      cluster.pods.onChange(({ before, after }) => this.#takePod(before, after)),
      cluster.claims.onChange(({ key, before, after }) => {
        const isGoing = after === undefined || (after.deletedAt !== undefined && before?.deletedAt === undefined);
        if (isGoing) this.#planAgain(key);
        // What it takes of the limits of its pool is known now, and is less than had to be feared.
        const isLaunched = before?.providerId === "" && after !== undefined && after.providerId !== "";
        if (isLaunched && this.#pending.unplanned.length > 0) this.#window.add(`claim/${key}`);
      }),
      cluster.nodes.onChange(({ before, after }) => {
        const isGoing = after?.deletedAt !== undefined && before?.deletedAt === undefined;
        if (before !== undefined && (isGoing || after === undefined)) this.#window.add(before.uid);
        else if (after !== undefined && before?.allocatable !== after.allocatable) this.#checkRoom(after.name);
        const mayServe = after !== undefined && this.#backoff.observeNode(before, after);
        if (mayServe && this.#pending.unplanned.length > 0) this.#window.add(`taint/${after.name}`);
      }),
      // What can be bought may have changed with it.
      cluster.pools.onChange(({ key, before, after }) => {
        if (before?.generation !== after?.generation) cluster.observedTaints.forget(key);
        const mayServe = after !== undefined && after.pool?.unusableBecause === undefined;
        const isNews = before?.pool?.unusableBecause !== undefined || before?.generation !== after?.generation;
        if (mayServe && isNews && this.#pending.unplanned.length > 0) this.#window.add(`pool/${key}`);
      }),
    );
    this.#every("resync", resyncInterval, () => this.#resync());
    this.#every("look-ahead", lookAheadInterval, () => {
      this.#lookAhead.refresh();
      if (this.#pass === undefined && this.#lookAhead.isPlanOutdated)
        this.#window.add("expected", { isForeseen: true });
    });
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    for (const timer of this.#timers.values()) timer.cancel();
    this.#window.stop();
    this.#overfull.stop();
    await this.#pass;
  }

  #every(what: string, milliseconds: number, act: () => void): void {
    act();
    this.#timers.set(
      what,
      this.#options.clock.after(milliseconds, () => this.#every(what, milliseconds, act)),
    );
  }

  #takePod(before: Pod | undefined, after: Pod | undefined): void {
    const { cluster, clock } = this.#options;
    this.#lookAhead.takePod(before, after);
    if (before !== undefined && (after?.uid !== before.uid || after.isDeleting || isFinished(after))) {
      cluster.intendedPods.drop(before.uid);
    }
    if (after !== undefined && after.nodeName !== "" && before?.nodeName !== after.nodeName) {
      cluster.intendedPods.drop(after.uid);
      this.#checkRoom(after.nodeName);
    }
    if (this.#pending.take(before, after, clock.now()) && after !== undefined)
      this.#window.add(after.uid, { isForeseen: isCounted(after, cluster) });
  }

  /** Pods that are meant for a node may have lost their room there. */
  #checkRoom(nodeName: string): void {
    const { cluster } = this.#options;
    const node = cluster.nodes.get(nodeName);
    const claim = node === undefined ? undefined : cluster.claimsOf(node)[0];
    if (node === undefined || claim === undefined || cluster.intendedPods.podsOf(claim.name).size === 0) return;
    const pods = [...(cluster.places.byNode().get(nodeName) ?? []), ...cluster.podsMeantFor(claim.name)];
    if (isOverfull({ node, claim }, pods)) this.#overfull.add(claim.name);
  }

  /** A claim that goes holds no place any more. */
  #planAgain(claimName: string): void {
    const { intendedPods } = this.#options.cluster;
    if (intendedPods.podsOf(claimName).size > 0) this.#window.add(`lost/${claimName}`);
    intendedPods.dropClaim(claimName);
  }

  #resync(): void {
    const { cluster } = this.#options;
    // A pod may become pending without a change of its own, when the node goes that it was nominated to.
    for (const pod of cluster.places.withoutNode()) this.#takePod(pod, pod);
    // Whether a pod still fits where it is meant to go may change without its node being overfull.
    for (const { name, providerId } of cluster.claims.values()) {
      if (providerId !== "" && cluster.intendedPods.podsOf(name).size > 0) this.#window.add("resync");
    }
  }

  /** Every pod that waits for a plan belongs to a workload that says how many more are coming. */
  #areAllCounted(): boolean {
    const { cluster } = this.#options;
    return this.#pending.unplanned.every((uid) => {
      const pod = cluster.podByUid(uid);
      return pod === undefined || isCounted(pod, cluster);
    });
  }

  #begin(): void {
    if (this.#isStopped) return;
    if (this.#pass !== undefined) {
      this.#isWantedAgain = true;
      return;
    }
    const { telemetry } = this.#options;
    this.#pass = this.#plan()
      .catch((error: unknown) => {
        // The next leader plans anew.
        if (this.#isStopped) return;
        telemetry.metrics.add("controller_runtime_reconcile_errors_total", { controller: name });
        telemetry.log.error("cannot provision, trying again", { controller: name, error });
        this.#failures++;
        this.#retry(Math.min(firstBackoff * 2 ** this.#failures, longestBackoff));
      })
      .then(() => {
        this.#pass = undefined;
        if (!this.#isWantedAgain) return;
        this.#isWantedAgain = false;
        this.#begin();
      });
  }

  #retry(delay: number): void {
    if (!this.#isStopped) this.#options.clock.after(delay, () => this.#begin());
  }

  async #plan(): Promise<void> {
    const { clock, planner, isSynced, telemetry } = this.#options;
    if (!isSynced()) {
      this.#retry(retryUnsynced);
      return;
    }
    const started = clock.now();
    this.#lookAhead.beginPlan();
    const { pendingPods: allPods, ...others } = await requestPlan(this.#options, this.#lookAhead);
    const { true: held = [], false: pendingPods = [] } = Object.groupBy(
      allPods,
      (pod) => `${this.#backoff.isHeld(pod)}`,
    );
    for (const pod of held.filter(isReal)) this.#reporter.reportHeld(pod, this.#backoff.reasonOf(pod));
    const request = { ...others, pendingPods };
    const { snapshot } = request;
    const realPods = pendingPods.filter(isReal);
    const setDepth = (depth: number): void =>
      telemetry.metrics.set("scheduler_queue_depth", { controller: name, scheduling_id: "" }, depth);
    if (pendingPods.length === 0) {
      this.#reporter.reportNothing();
      return;
    }
    this.#reporter.reportPools(snapshot.nodePools);
    setDepth(realPods.length);
    const answer = await planner.plan(request);
    setDepth(0);
    if (this.#isStopped) return;
    for (const wait of this.#pending.decide(realPods, clock.now())) {
      telemetry.metrics.observe("pods_scheduling_decision_duration_seconds", {}, wait / 1000);
    }
    const seconds = (clock.now() - started) / 1000;
    this.#reporter.reportPlan(answer, { realPods, seconds, isProvisional: this.#mayBeRoomier(snapshot.nodePools) });
    await this.#executor.carryOut(answer, pendingPods);
    this.#failures = 0;
  }

  /** Claims that are not launched hold more of their pool's limits than they will: pods refused now may be served then. */
  #mayBeRoomier(pools: readonly NodePool[]): boolean {
    const { cluster } = this.#options;
    return pools.some(
      ({ name: poolName, limits }) =>
        limits.size > 0 &&
        cluster
          .claimsOfPool(poolName)
          .some(({ providerId, deletedAt }) => providerId === "" && deletedAt === undefined),
    );
  }
}

function isReal({ expectation }: Pod): boolean {
  return expectation === undefined;
}
