import { leastSaving, type PoolTotals, scoreOf, totalsOf } from "../../core/disruption/balanced.ts";
import type { Candidate } from "../../core/disruption/candidate.ts";
import { findDestinations, judgeConsolidation } from "../../core/disruption/consolidation.ts";
import { isFreshReplacement } from "../../core/disruption/cool-down.ts";
import type { NodePoolObject } from "../../core/model/node-pool-object.ts";
import type { ConsolidationAnswer, ConsolidationMove } from "../../ports/planner.ts";
import { Allowances } from "./allowances.ts";
import { decidedMove, type Order } from "./command.ts";
import type { DisruptorOptions } from "./disruptor-options.ts";
import type { Judgement, Look } from "./look.ts";
import type { LookReporter } from "./look-reporter.ts";
import { Simulation } from "./simulation.ts";

export interface ConsolidationQuestion {
  readonly look: Look;
  /** Names of claims that go already. */
  readonly going: readonly string[];
  /** Those that are about to go because they are empty. */
  readonly empties: readonly Candidate[];
  /** How many pods may still be moved. */
  readonly mostPods: number;
}

/** Always the same: who looks again at what has not changed finds nothing new, and a steady fleet is left alone. */
const seed = 1;

/** Nodes whose pods cost less elsewhere. */
export class Consolidation {
  readonly #options: DisruptorOptions;
  readonly #reporter: LookReporter;

  constructor(options: DisruptorOptions, reporter: LookReporter) {
    this.#options = options;
    this.#reporter = reporter;
  }

  async propose(question: ConsolidationQuestion): Promise<readonly Order[]> {
    const { look, going, empties } = question;
    const judgement = await look.judge("graceful");
    const { settled, unsettled } = this.#eligible(look, judgement, new Set(empties.map(({ claim }) => claim.name)));
    this.#reporter.reportEligible("Underutilized", settled.length);
    const allowances = new Allowances(look.view, "Underutilized");
    this.#reporter.reportNoBudget(allowances.blockedPools, "Underutilized");
    for (const { pool } of empties) allowances.take(pool);
    const ready = settled.filter(({ claim, pool }) => {
      const isAffordable = allowances.left(pool) > 0;
      if (!isAffordable) judgement.say(claim, allowances.because(pool));
      return isAffordable;
    });
    let answer = nothing;
    if (ready.length > 0) {
      const gone = [...going, ...empties.map(({ claim }) => claim.name)];
      const simulation = await Simulation.begin(this.#options, look, gone);
      const later = [...settled.filter((candidate) => !ready.includes(candidate)), ...unsettled];
      answer = await this.#search(simulation, { ready, later, empties }, { look, allowances });
    }
    const orders = this.#ordersOf(answer, ready, question.mostPods);
    this.#note(answer, orders, { judgement, candidates: ready });
    this.#reporter.reportDuration("Underutilized", "multi", look.view.now);
    return orders;
  }

  /** Of these orders, those that still hold now that time has passed. */
  async confirm(orders: readonly Order[], look: Look, going: readonly string[]): Promise<readonly Order[]> {
    const allowances = new Allowances(look.view, "Underutilized");
    const standing: Order[] = [];
    for (const order of orders) standing.push(...(await this.#refresh(order, look, allowances)));
    if (standing.length === 0) return [];
    const simulation = await Simulation.begin(this.#options, look, going);
    const destinations = new Set(findDestinations(look.view));
    for (const { node } of standing.flatMap(({ candidates }) => candidates)) destinations.delete(node.name);
    const confirmed: Order[] = [];
    const holds = async (more: readonly Order[]): Promise<string | undefined> => {
      const all = [...confirmed, ...more];
      const { nodes, refusals, cost } = await simulation.without(
        all.flatMap(({ candidates }) => candidates),
        destinations,
      );
      const launches = all.flatMap((order) => order.launches);
      const savings = all.reduce((sum, order) => sum + (order.savings ?? 0), 0);
      if (refusals.length > 0) return `a pod would have nowhere to go: ${refusals[0]?.reason}`;
      if (nodes.length > 0 && launches.length === 0) return "its pods would need another machine now";
      const price = launches.reduce((sum, launch) => sum + launch.price, 0);
      return cost <= price + savings / 2 ? undefined : "its pods would need dearer machines now";
    };
    // All at once if possible; where something is amiss, by halves, until it is found.
    const sift = async (some: readonly Order[]): Promise<void> => {
      const objection = await holds(some);
      const [only] = some;
      if (objection === undefined) confirmed.push(...some);
      else if (some.length === 1 && only !== undefined) this.#reporter.reportDropped(only, objection);
      else {
        const middle = Math.ceil(some.length / 2);
        await sift(some.slice(0, middle));
        await sift(some.slice(middle));
      }
    };
    await sift(standing);
    for (const order of confirmed) this.#reportApproved(order, look);
    return confirmed;
  }

  #eligible(look: Look, judgement: Judgement, empties: ReadonlySet<string>): Eligible {
    const { instanceTypesOf, now } = look.view;
    const settled: Candidate[] = [];
    const unsettled: Candidate[] = [];
    for (const candidate of judgement.candidates) {
      const { claim, pool } = candidate;
      if (empties.has(claim.name)) continue;
      const reservation = judgeConsolidation(candidate, instanceTypesOf(pool.name));
      if (reservation?.isTold) this.#reporter.reportUnconsolidatable(claim, reservation.because);
      if (reservation !== undefined) judgement.say(claim, reservation.because);
      if (isFreshReplacement(claim, now)) judgement.say(claim, "it has replaced others less than ten minutes ago");
      else if (reservation === undefined) settled.push(candidate);
      else if (reservation.isPassing) unsettled.push(candidate);
    }
    return { settled, unsettled };
  }

  /** Those that go later are reckoned with, so that no pod is sent to them and moved again. */
  #search(
    simulation: Simulation,
    { ready, later, empties }: Record<"ready" | "later" | "empties", readonly Candidate[]>,
    { look, allowances }: { readonly look: Look; readonly allowances: Allowances },
  ): Promise<ConsolidationAnswer> {
    const { planner, settings } = this.#options;
    const candidates = [
      ...ready.map((one) => ({ ...one, isReady: true })),
      ...later.map((one) => ({ ...one, isReady: false })),
    ];
    const withoutEmpties = (names: ReadonlySet<string>): ReadonlySet<string> => {
      const left = new Set(names);
      for (const { node } of empties) left.delete(node.name);
      return left;
    };
    const least = new Map<string, number>();
    const leastOf = (pool: NodePoolObject): number => {
      const known = least.get(pool.name);
      if (known !== undefined) return known;
      const found = leastSaving(pool.disruption, this.#totals(pool, look));
      least.set(pool.name, found);
      return found;
    };
    return planner.consolidate({
      ...simulation.request(),
      candidates: candidates.map(({ node, pool, instanceType, capacityType, price, pods, disturbance, isReady }) => ({
        nodeName: node.name,
        poolName: pool.name,
        instanceType,
        capacityType,
        price,
        podUids: pods.map(({ uid }) => uid),
        disturbance,
        leastSaving: leastOf(pool),
        isReady,
      })),
      destinations: withoutEmpties(findDestinations(look.view)),
      laterDestinations: withoutEmpties(findDestinations({ ...look.view, now: Number.POSITIVE_INFINITY })),
      budgets: new Map(candidates.map(({ pool }) => [pool.name, allowances.left(pool)])),
      isSpotToSpotEnabled: settings.isSpotToSpotEnabled,
      seed,
    });
  }

  #totals({ name }: NodePoolObject, { view }: Look): PoolTotals {
    return totalsOf(view.cluster, name, view.instanceTypesOf(name));
  }

  #ordersOf({ moves }: ConsolidationAnswer, candidates: readonly Candidate[], mostPods: number): readonly Order[] {
    const byNode = new Map(candidates.map((candidate) => [candidate.node.name, candidate]));
    let left = mostPods;
    return moves.flatMap((move) => {
      const members = move.nodeNames.flatMap((name) => byNode.get(name) ?? []);
      const pods = members.reduce((sum, candidate) => sum + candidate.pods.length, 0);
      if (members.length === 0 || members.length < move.nodeNames.length || pods > left) return [];
      left -= pods;
      const order = orderFor(move, members);
      this.#reporter.reportCandidates(order);
      return [order];
    });
  }

  #note(
    { stays, whole }: ConsolidationAnswer,
    orders: readonly Order[],
    { judgement, candidates }: { readonly judgement: Judgement; readonly candidates: readonly Candidate[] },
  ): void {
    const taken = new Set(orders.flatMap((order) => order.candidates));
    for (const candidate of candidates) {
      const { claim, node } = candidate;
      const stays_ = stays.get(node.name);
      if (taken.has(candidate)) judgement.say(claim, "its pods cost less elsewhere", true);
      else judgement.say(claim, stays_ ?? "not now: no more pods may be moved for a while");
      if (stays_ !== undefined) this.#reporter.reportUnconsolidatable(claim, stays_);
    }
    if (judgement.verdicts.length === 0) return;
    this.#reporter.note({
      reason: "Underutilized",
      kind: "looked",
      moves: orders.map(decidedMove),
      candidates: judgement.verdicts,
      whole: { nodes: whole.nodeNames.length, launches: whole.launches, savings: whole.savings },
    });
  }

  /** With what is known of its nodes now; nothing when one of them may not go any more. */
  async #refresh(order: Order, look: Look, allowances: Allowances): Promise<readonly Order[]> {
    const names = new Set(order.candidates.map(({ claim }) => claim.name));
    const judgement = await look.judge("graceful", ({ name }) => names.has(name));
    const { settled: candidates } = this.#eligible(look, judgement, new Set());
    const lost = order.candidates.find(({ claim }) => !candidates.some((one) => one.claim.name === claim.name));
    if (lost !== undefined) {
      const verdict = judgement.verdicts.find(({ claim }) => claim === lost.claim.name);
      this.#reporter.reportDropped(order, `${lost.node.name}: ${verdict?.because ?? "it is gone"}`);
      return [];
    }
    if (!allowances.takeAll(candidates.map(({ pool }) => pool))) {
      this.#reporter.reportDropped(order, "budget");
      return [];
    }
    return [{ ...order, candidates }];
  }

  #reportApproved(order: Order, look: Look): void {
    const { candidates, savings = 0 } = order;
    const whole = candidates.reduce((sum, { price }) => sum + price, 0);
    const scoreIn = (pool: NodePoolObject): number => {
      const own = candidates.filter((candidate) => candidate.pool.name === pool.name);
      const share = own.reduce((sum, { price }) => sum + price, 0) / whole;
      const disturbance = own.reduce((sum, candidate) => sum + candidate.disturbance, 0);
      return scoreOf({ savings: savings * share, disturbance }, this.#totals(pool, look));
    };
    this.#reporter.reportApproved(order, scoreIn);
  }
}

interface Eligible {
  readonly settled: readonly Candidate[];
  /** Pods have just come or gone there, so that they may go later. */
  readonly unsettled: readonly Candidate[];
}

const nothing: ConsolidationAnswer = {
  moves: [],
  whole: { nodeNames: [], launches: 0, savings: 0 },
  stays: new Map(),
  evaluations: 0,
};

function orderFor({ launches, savings }: ConsolidationMove, candidates: readonly Candidate[]): Order {
  const type = candidates.length > 1 ? "multi" : "single";
  return { reason: "Underutilized", type, candidates, launches, savings };
}
