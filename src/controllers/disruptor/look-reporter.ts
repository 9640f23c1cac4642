import { claimReference, nodeReference, poolReference } from "../../core/api/references.ts";
import type { Blocker, Candidate } from "../../core/disruption/candidate.ts";
import type { Decision, DecisionKind } from "../../core/disruption/decision.ts";
import { describeBlocker } from "../../core/disruption/describe-blocker.ts";
import { countPool, nodesAllowed } from "../../core/disruption/node-budgets.ts";
import { isManaged } from "../../core/lifecycle/is-managed.ts";
import type { NodeClaim } from "../../core/model/node-claim.ts";
import type { NodePoolObject } from "../../core/model/node-pool-object.ts";
import type { DisruptionReason } from "../../core/model/pool-disruption.ts";
import type { Readings } from "../../ports/telemetry.ts";
import { type ConsolidationType, decidedMove, type Order } from "./command.ts";
import type { DisruptorOptions } from "./disruptor-options.ts";
import type { Judgement } from "./look.ts";
import type { Weighed } from "./measures.ts";

type ReporterOptions = Pick<DisruptorOptions, "cluster" | "cloud" | "clock" | "telemetry" | "journal">;

const controller = "disruption";
const oneMinute = 60_000;
const fifteenMinutes = 900_000;
const reasons: readonly DisruptionReason[] = ["Underutilized", "Empty", "Drifted"];
/** States that every node goes through, and that nobody has to do anything about. */
const passing: ReadonlySet<Blocker["kind"]> = new Set([
  "no-claim",
  "no-node",
  "not-initialized",
  "going",
  "nominated",
  "replaces",
]);

/** Says what was found when nodes were looked at, and why they stay. */
export class LookReporter {
  readonly #options: ReporterOptions;

  constructor(options: ReporterOptions) {
    this.#options = options;
  }

  /** Returns how to end it. */
  showBudgets(): () => void {
    const { metrics } = this.#options.telemetry;
    // Series that are there from the start.
    for (const consolidation_type of ["multi", "single"]) {
      metrics.add("voluntary_disruption_consolidation_timeouts_total", { consolidation_type }, 0);
    }
    return metrics.collect(() => this.#budgets());
  }

  #budgets(): Readings {
    const { cluster, cloud, clock } = this.#options;
    const now = clock.now();
    const pools = [...cluster.pools.values()].filter((pool) => isManaged(pool, cloud.nodeClassKinds));
    const counted = pools.map((pool) => ({ pool, count: countPool(cluster, pool.name) }));
    const samples = (value: (entry: (typeof counted)[number], reason: DisruptionReason) => number) =>
      counted.flatMap((entry) =>
        reasons.map((reason) => ({ labels: { nodepool: entry.pool.name, reason }, value: value(entry, reason) })),
      );
    return {
      nodepools_allowed_disruptions: samples(
        ({ pool, count }, reason) => nodesAllowed(pool, reason, { ...count, now }).allowed,
      ),
      nodepools_nodes_consuming_budgets: samples(({ count }) => count.disrupting),
    };
  }

  reportBlocked({ blocked }: Judgement): void {
    for (const { claim, blocker } of blocked) {
      if (!passing.has(blocker.kind)) this.#tell(claim, "DisruptionBlocked", describeBlocker(blocker));
    }
  }

  reportStuck({ claim }: Candidate, because: string): void {
    this.#tell(claim, "DisruptionBlocked", because);
  }

  reportUnconsolidatable(claim: NodeClaim, because: string): void {
    this.#tell(claim, "Unconsolidatable", because, { quietMilliseconds: fifteenMinutes, sameAs: [claim.uid] });
  }

  reportNoBudget(pools: readonly NodePoolObject[], reason: DisruptionReason): void {
    for (const pool of pools) {
      this.#options.telemetry.events.publish({
        object: poolReference(pool),
        type: "Normal",
        reason: "DisruptionBlocked",
        message: `No allowed disruptions for disruption reason ${reason} due to blocking budget`,
        sameAs: [pool.uid, reason],
        quietMilliseconds: oneMinute,
      });
    }
  }

  reportEligible(reason: DisruptionReason, count: number): void {
    this.#options.telemetry.metrics.set("voluntary_disruption_eligible_nodes", { reason: reason.toLowerCase() }, count);
  }

  /** How long it took to come to a decision, however it turned out. */
  reportDuration(reason: DisruptionReason, type: ConsolidationType, since: number): void {
    const { clock, telemetry } = this.#options;
    const labels = { reason: reason.toLowerCase(), consolidation_type: type };
    const seconds = (clock.now() - since) / 1000;
    telemetry.metrics.observe("voluntary_disruption_decision_evaluation_duration_seconds", labels, seconds);
  }

  reportCandidates(order: Order): void {
    const message = `Consolidation candidate: ${describe(order)} (savings: ${dollars(order.savings)})`;
    for (const { claim } of order.candidates) this.#tell(claim, "ConsolidationCandidate", message);
  }

  reportDropped(order: Order, because: string): void {
    const { telemetry } = this.#options;
    const labels = { consolidation_type: order.type };
    telemetry.metrics.add("voluntary_disruption_failed_validations_total", labels, order.candidates.length);
    const message = `Consolidation rejected: ${describe(order)}, reason: ${because} (savings: ${dollars(order.savings)})`;
    for (const { claim } of order.candidates) this.#tell(claim, "ConsolidationRejected", message);
    const moves = [{ ...decidedMove(order), because }];
    this.note({ reason: order.reason, kind: "dropped", moves, candidates: [] });
  }

  /** The search had a plan to show all the same. */
  reportCutShort(): void {
    const labels = { consolidation_type: "multi" };
    this.#options.telemetry.metrics.add("voluntary_disruption_consolidation_timeouts_total", labels);
  }

  /** What saved too little for what it would have disturbed. */
  reportRejected(weighed: readonly Weighed[]): void {
    for (const one of weighed) this.#count("rejected", one);
  }

  /** Under Balanced, says what a move is worth for what it disturbs. */
  reportApproved({ candidates }: Order, weighed: readonly Weighed[]): void {
    const { events } = this.#options.telemetry;
    for (const one of weighed) {
      const { pool, savings, disturbance, score } = one;
      this.#count("approved", one);
      const { consolidationPolicy, balancedThreshold } = pool.disruption;
      if (consolidationPolicy !== "Balanced") continue;
      const worth = `${dollars(savings)} an hour for a disturbance of ${disturbance.toFixed(1)}`;
      const message = `score ${score.toFixed(2)} >= threshold ${balancedThreshold.toFixed(2)} (${worth})`;
      const [only] = candidates;
      if (candidates.length === 1 && only !== undefined) this.#tell(only.claim, "ConsolidationApproved", message);
      else {
        const object = poolReference(pool);
        events.publish({ object, type: "Normal", reason: "ConsolidationApproved", message, sameAs: [pool.uid] });
      }
    }
  }

  #count(decision: "approved" | "rejected", { pool, score }: Weighed): void {
    const { metrics } = this.#options.telemetry;
    const { consolidationPolicy: policy } = pool.disruption;
    const labels = { decision, nodepool: pool.name, policy };
    metrics.add("consolidation_moves_total", labels);
    if (policy === "Balanced") metrics.observe("consolidation_score", labels, score);
  }

  reportStopped(message: string | undefined, isNews: boolean): void {
    const { cluster, telemetry } = this.#options;
    telemetry.metrics.set("voluntary_disruption_stopped", {}, message === undefined ? 0 : 1);
    if (message === undefined) {
      if (isNews) telemetry.log.info("nodes go by choice again", { controller });
      return;
    }
    if (isNews) {
      telemetry.log.error("no more nodes go by choice for a while", { controller, reason: message });
      const moves = [{ nodes: [], replacements: [], because: message }];
      this.note({ reason: "Underutilized", kind: "stopped", moves, candidates: [] });
    }
    for (const pool of cluster.pools.values()) {
      telemetry.events.publish({
        object: poolReference(pool),
        type: "Warning",
        reason: "DisruptionStopped",
        message,
        sameAs: [pool.uid],
        quietMilliseconds: fifteenMinutes,
      });
    }
  }

  note(decision: Omit<Decision, "time"> & { readonly kind: DecisionKind }): void {
    const { clock, journal } = this.#options;
    journal.write({ time: new Date(clock.now()).toISOString(), ...decision });
  }

  /** Beside the claim and its node. */
  #tell(
    claim: NodeClaim,
    reason: string,
    message: string,
    more: { readonly quietMilliseconds?: number; readonly sameAs?: readonly string[] } = {},
  ): void {
    const { cluster, telemetry } = this.#options;
    const said = { type: "Normal", reason, message, ...more } as const;
    telemetry.events.publish({ object: claimReference(claim), ...said });
    for (const node of cluster.nodesOf(claim)) {
      const sameAs = more.sameAs === undefined ? {} : { sameAs: [node.uid] };
      telemetry.events.publish({ object: nodeReference(node), ...said, ...sameAs });
    }
  }
}

function describe({ candidates, launches }: Order): string {
  const nodes = candidates.length === 1 ? "1 node" : `${candidates.length} nodes`;
  if (launches.length === 0) return `delete ${nodes}`;
  const types = launches.map(({ instanceType, capacityType }) => `${instanceType}/${capacityType}`).join(", ");
  return `replace ${nodes} by ${types}`;
}

function dollars(amount: number | undefined): string {
  return `$${(amount ?? 0).toFixed(2)}`;
}
