import type { ClusterState } from "../../core/cluster/cluster-state.ts";
import { takeSnapshot } from "../../core/cluster/take-snapshot.ts";
import { mustStay } from "../../core/model/disruption-budget.ts";
import type { InstanceType } from "../../core/model/instance-type.ts";
import type { NodeClaim } from "../../core/model/node-claim.ts";
import type { NodePool } from "../../core/model/node-pool.ts";
import type { NodePoolObject } from "../../core/model/node-pool-object.ts";
import type { Pod, TopologySpread } from "../../core/model/pod.ts";
import { isProvisionable, isReschedulable } from "../../core/model/pod-lifecycle.ts";
import type { Clock, Timer } from "../../ports/clock.ts";
import type { CloudProvider } from "../../ports/cloud-provider.ts";
import type { PlanAnswer, Planner, PlanRequest } from "../../ports/planner.ts";
import type { Telemetry } from "../../ports/telemetry.ts";
import { BatchingWindow } from "../../runtime/batching-window.ts";
import type { ClaimMaker } from "./claim-maker.ts";
import { Fidelity } from "./fidelity.ts";
import type { PlacementPolicy } from "./placer.ts";
import { PlanReporter } from "./plan-reporter.ts";
import { WaitingPods } from "./waiting-pods.ts";

export interface ProvisionerOptions {
  readonly cluster: ClusterState;
  readonly cloud: CloudProvider;
  readonly planner: Planner;
  readonly clock: Clock;
  readonly telemetry: Telemetry;
  readonly isSynced: () => boolean;
  readonly settings: ProvisionerSettings;
  readonly placement: Placement;
  readonly claims: Pick<ClaimMaker, "nameFor" | "make">;
}

/** Who sees to it that pods land where the plan put them. */
export interface Placement {
  /** One plan asks for these claims, of which none is there yet. */
  expect(claimNames: readonly string[]): void;
  /** Pods have been given places at these claims, which are there already. */
  tell(claimNames: readonly string[]): void;
  /** These pods have lost their places: what tells them of those is taken back. */
  release(podUids: readonly string[]): void;
  /** Nobody need wait for this one, which does not come. */
  settle(claimName: string): void;
}

export interface ProvisionerSettings {
  readonly batchIdleMilliseconds: number;
  readonly batchMaxMilliseconds: number;
  readonly preferencePolicy: "Respect" | "Ignore";
  readonly minValuesPolicy: "Strict" | "BestEffort";
  readonly defaultSpread: readonly TopologySpread[];
  readonly placementPolicy: PlacementPolicy;
}

const name = "provisioner";
/** Pods that still wait are looked at again this often, whatever else happens. */
const lookAgain = 10_000;
const lookForStale = 1_000;
const retryUnsynced = 1_000;
const firstBackoff = 500;
const longestBackoff = 60_000;

/** Buys nodes for the pods that nobody else has a place for. */
export class Provisioner {
  readonly #options: ProvisionerOptions;
  readonly #window: BatchingWindow;
  readonly #waiting: WaitingPods;
  readonly #reporter: PlanReporter;
  readonly #fidelity: Fidelity;
  readonly #unsubscribe: (() => void)[] = [];
  #timer: Timer | undefined;
  #staleTimer: Timer | undefined;
  #pass: Promise<void> | undefined;
  #isWantedAgain = false;
  #failures = 0;
  #isStopped = false;

  constructor(options: ProvisionerOptions) {
    this.#options = options;
    const { cluster, clock, settings, telemetry } = options;
    this.#waiting = new WaitingPods(cluster);
    this.#reporter = new PlanReporter(cluster, telemetry);
    this.#fidelity = new Fidelity(cluster, telemetry);
    this.#window = new BatchingWindow({
      clock,
      idleMilliseconds: settings.batchIdleMilliseconds,
      mostMilliseconds: settings.batchMaxMilliseconds,
      onClosed: () => this.#begin(),
      onQuiet: () => void this.#prepare(),
    });
  }

  start(): void {
    const { cluster } = this.#options;
    // Whoever led in between may have bought otherwise.
    cluster.nominations.dropUnless(() => false);
    this.#unsubscribe.push(
      cluster.pods.onChange(({ before, after }) => this.#takePod(before, after)),
      cluster.claims.onChange(({ key, before, after }) => {
        if (after === undefined) cluster.nominations.dropClaim(key);
        if (after?.deletedAt !== undefined && before?.deletedAt === undefined) this.#abandon(key, after.uid);
        // What it takes of the limits of its pool is known now, and is less than had to be feared.
        const isLaunched = before?.providerId === "" && after !== undefined && after.providerId !== "";
        if (isLaunched && this.#waiting.unplanned.length > 0) this.#window.add(`claim/${key}`);
      }),
      cluster.nodes.onChange(({ before, after }) => {
        const isGoing = after?.deletedAt !== undefined && before?.deletedAt === undefined;
        if (before !== undefined && (isGoing || after === undefined)) this.#window.add(before.uid);
      }),
      // What can be bought may have changed with it.
      cluster.pools.onChange(({ key, before, after }) => {
        const mayServe = after !== undefined && after.pool?.unusableBecause === undefined;
        const isNews = before?.pool?.unusableBecause !== undefined || before?.generation !== after?.generation;
        if (mayServe && isNews && this.#waiting.unplanned.length > 0) this.#window.add(`pool/${key}`);
      }),
    );
    this.#tick();
    this.#lookForStale();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    this.#timer?.cancel();
    this.#staleTimer?.cancel();
    this.#window.stop();
    await this.#pass;
  }

  #takePod(before: Pod | undefined, after: Pod | undefined): void {
    const now = this.#options.clock.now();
    this.#planAnew(this.#fidelity.take(before, after, now));
    if (this.#waiting.take(before, after, now) && after !== undefined) {
      this.#window.add(after.uid);
    }
  }

  /** A machine that goes away holds no place any more: its pods are planned anew. */
  #abandon(claimName: string, uid: string): void {
    this.#options.cluster.nominations.dropClaim(claimName);
    this.#window.add(uid);
  }

  #tick(): void {
    const { cluster, clock } = this.#options;
    // All of them: a pod may begin to wait without a change of its own, when the node goes that it was nominated to.
    for (const pod of cluster.pods.values()) this.#takePod(pod, pod);
    this.#timer = clock.after(lookAgain, () => this.#tick());
  }

  /** Pods that did not get their place need not wait for the next look at all pods. */
  #lookForStale(): void {
    const { clock } = this.#options;
    this.#planAnew(this.#fidelity.dropStale(clock.now()));
    this.#staleTimer = clock.after(lookForStale, () => this.#lookForStale());
  }

  /** Those that have lost their places. */
  #planAnew(podUids: readonly string[]): void {
    if (podUids.length === 0) return;
    this.#options.placement.release(podUids);
    for (const uid of podUids) this.#window.add(uid);
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
        // Whoever leads next plans anew.
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
    const request = await this.#request(started);
    const { snapshot, pendingPods } = request;
    const setDepth = (depth: number): void =>
      telemetry.metrics.set("scheduler_queue_depth", { controller: name, scheduling_id: "" }, depth);
    if (pendingPods.length === 0) {
      this.#reporter.reportNothing();
      return;
    }
    this.#reporter.reportPools(snapshot.nodePools);
    setDepth(pendingPods.length);
    const answer = await planner.plan(request);
    setDepth(0);
    if (this.#isStopped) return;
    for (const wait of this.#waiting.decide(pendingPods, clock.now())) {
      telemetry.metrics.observe("pods_scheduling_decision_duration_seconds", {}, wait / 1000);
    }
    const seconds = (clock.now() - started) / 1000;
    this.#reporter.reportPlan(answer, { pendingPods, seconds, isProvisional: this.#mayBeRoomier(snapshot.nodePools) });
    this.#nominatePlaced(answer);
    await this.#buy(answer, new Map(pendingPods.map((pod) => [pod.uid, pod])));
    this.#failures = 0;
  }

  async #request(now: number): Promise<PlanRequest> {
    const { cluster, cloud, settings } = this.#options;
    const instanceTypes = await this.#instanceTypes();
    const budgets = [...cluster.disruptionBudgets.values()];
    const taken = takeSnapshot(cluster, {
      instanceTypesOf: (pool) => instanceTypes.get(pool.name) ?? [],
      mustStay: (pod) => mustStay(pod, budgets, now),
    });
    return {
      ...taken,
      preferencePolicy: settings.preferencePolicy,
      minValuesPolicy: settings.minValuesPolicy,
      wellKnownLabels: cloud.wellKnownLabels,
      defaultSpread: settings.defaultSpread,
      // kube-scheduler follows a plan only if pods that take turns between zones are not meant for the same node.
      keepsApart: settings.placementPolicy === "Nominate",
    };
  }

  /** The time until the window closes is not lost: most often nothing else comes. */
  async #prepare(): Promise<void> {
    const { clock, planner, isSynced, telemetry } = this.#options;
    if (this.#pass !== undefined || this.#isStopped || !isSynced()) return;
    try {
      const request = await this.#request(clock.now());
      // Meanwhile the window may have closed.
      if (this.#pass === undefined && request.pendingPods.length > 0) planner.prepare(request);
    } catch (error) {
      telemetry.log.debug("could not plan ahead", { controller: name, error });
    }
  }

  /** Claims that are not launched hold more of their pool's limits than they will: who is refused now may be served then. */
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

  /** Of the pools that can be used; a cloud that has no answer for one of them does not hold up the others. */
  async #instanceTypes(): Promise<ReadonlyMap<string, readonly InstanceType[]>> {
    const { cluster, cloud, clock, telemetry } = this.#options;
    const usable = (pool: NodePoolObject): boolean =>
      pool.pool?.unusableBecause === undefined &&
      cloud.nodeClassKinds.some(
        ({ group, kind }) => group === pool.nodeClassRef.group && kind === pool.nodeClassRef.kind,
      );
    const found = await Promise.all(
      [...cluster.pools.values()].filter(usable).map(async (pool) => {
        try {
          const types = await cloud.instanceTypes(pool.nodeClassRef);
          return [pool.name, cluster.refusedOfferings.mark(types, clock.now())] as const;
        } catch (error) {
          telemetry.log.error("skipping a nodepool whose instance types are not known", {
            controller: name,
            NodePool: { name: pool.name },
            error,
          });
          return [pool.name, []] as const;
        }
      }),
    );
    return new Map(found);
  }

  #nominatePlaced({ placements }: PlanAnswer): void {
    const { cluster, clock, placement } = this.#options;
    const claims: NodeClaim[] = [];
    for (const { nodeName, podUids } of placements) {
      const node = cluster.nodes.get(nodeName);
      const claim = node === undefined ? cluster.claims.get(nodeName) : cluster.claimsOf(node)[0];
      for (const uid of podUids) {
        if (!this.#stillWaits(uid)) continue;
        // It began to go while the plan was made.
        if (claim?.deletedAt !== undefined || node?.deletedAt !== undefined) {
          this.#window.add(uid);
          continue;
        }
        if (claim !== undefined) cluster.nominations.nominate(uid, claim.name, clock.now());
        this.#reporter.reportNomination(uid, { claimName: claim?.name, nodeName: node?.name });
      }
      if (claim !== undefined) claims.push(claim);
    }
    // Others may have come to these nodes while the plan was made.
    for (const claim of claims) this.#planAnew(this.#fidelity.dropOvertaken(claim));
    placement.tell(claims.map((claim) => claim.name));
  }

  async #buy({ nodes }: PlanAnswer, pending: ReadonlyMap<string, Pod>): Promise<void> {
    const { placement, claims } = this.#options;
    const purchases = nodes.flatMap((node) => {
      // Planning takes its time, and pods come and go meanwhile.
      const podUids = node.podUids.filter((uid) => this.#stillWaits(uid) || this.#losesItsNode(pending.get(uid)));
      return podUids.length === 0 ? [] : [{ name: claims.nameFor(node), node, podUids, reason: "provisioned" }];
    });
    placement.expect(purchases.map(({ name }) => name));
    const outcomes = await Promise.allSettled(
      purchases.map(async (purchase) => {
        try {
          await claims.make(purchase);
        } catch (error) {
          placement.settle(purchase.name);
          throw error;
        }
        this.#fidelity.countSecondWave(purchase.node.poolName, purchase.podUids);
        this.#reporter.reportClaim(purchase.name, purchase.node, purchase.podUids);
      }),
    );
    const failures = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason] : []));
    if (failures.length > 0)
      throw new AggregateError(failures, `${failures.length} of ${purchases.length} claims could not be created`);
  }

  #stillWaits(uid: string): boolean {
    const { cluster } = this.#options;
    const pod = cluster.podByUid(uid);
    return pod !== undefined && isProvisionable(pod, (node) => cluster.nodes.get(node) !== undefined);
  }

  #losesItsNode(planned: Pod | undefined): boolean {
    if (planned === undefined || planned.nodeName === "") return false;
    const pod = this.#options.cluster.podByUid(planned.uid);
    return pod !== undefined && pod.nodeName === planned.nodeName && isReschedulable(pod);
  }
}
