import type { Candidate } from "../../core/disruption/candidate.ts";
import { findDestinations, judgeConsolidation } from "../../core/disruption/consolidation.ts";
import { isFreshReplacement } from "../../core/disruption/cool-down.ts";
import { nodePrice } from "../../core/model/node-price.ts";
import type { ConsolidationAnswer, ConsolidationMove } from "../../ports/planner.ts";
import { Allowances } from "./allowances.ts";
import { decidedMove, type Order } from "./command.ts";
import type { DisruptorOptions } from "./disruptor-options.ts";
import type { Judgement, Look } from "./look.ts";
import type { LookReporter } from "./look-reporter.ts";
import { Measures } from "./measures.ts";
import { lookAgain } from "./second-look.ts";
import { Simulation } from "./simulation.ts";

export interface ConsolidationQuestion {
  readonly look: Look;
  /** Names of claims that go already. */
  readonly going: readonly string[];
  /** Those that are about to go because they are empty. */
  readonly empties: readonly Candidate[];
  /** Whether a move of so many pods may be made; then they count. */
  readonly mayMove: (pods: number) => boolean;
}

export interface Proposal {
  /** What to do now. */
  readonly orders: readonly Order[];
  /** Names of the nodes that go now or later, if all comes as it is planned. */
  readonly leaving: ReadonlySet<string>;
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

  async propose(question: ConsolidationQuestion): Promise<Proposal> {
    const { look, going, empties } = question;
    const judgement = await look.judge("graceful");
    const { settled, unsettled } = this.#eligible(look, judgement, new Set(empties.map(({ claim }) => claim.name)));
    this.#reporter.reportEligible("Underutilized", settled.length);
    const allowances = new Allowances(look.view, "Underutilized");
    this.#reporter.reportNoBudget(allowances.blockedPools, "Underutilized");
    for (const { pool } of empties) allowances.take(pool);
    const measures = new Measures(look.view);
    const ready = settled.filter(({ claim, pool }) => {
      const isAffordable = allowances.left(pool) > 0;
      if (!isAffordable) judgement.say(claim, allowances.because(pool));
      return isAffordable;
    });
    let answer = nothing;
    if (ready.length > 0) {
      const gone = [...going, ...empties.map(({ claim }) => claim.name)];
      const simulation = await Simulation.begin(this.#options, look, gone);
      const isReady = new Set(ready);
      const later = [...settled.filter((candidate) => !isReady.has(candidate)), ...unsettled];
      answer = await this.#search(simulation, { ready, later, empties }, { look, allowances, measures });
      if (answer.isCutShort) this.#reporter.reportCutShort();
      this.#reportRejected(answer, [...ready, ...later], measures);
    }
    const orders = this.#ordersOf(answer, ready, question.mayMove);
    this.#note(answer, orders, { judgement, candidates: ready });
    this.#reporter.reportDuration("Underutilized", "multi", look.view.now);
    return { orders, leaving: new Set(answer.whole.nodeNames) };
  }

  /** Of these orders, those that still hold now that time has passed. */
  async confirm(orders: readonly Order[], look: Look, going: readonly string[]): Promise<readonly Order[]> {
    const standing = await this.#refresh(orders, look);
    if (standing.length === 0) return [];
    const simulation = await Simulation.begin(this.#options, look, going);
    const measures = new Measures(look.view);
    const confirmed = await lookAgain(standing, look, {
      simulation,
      measures,
      reject: (order, because, weighed) => {
        this.#reporter.reportDropped(order, because);
        this.#reporter.reportRejected(weighed);
      },
    });
    for (const order of confirmed) {
      this.#reporter.reportApproved(order, measures.weigh(order.candidates, order.savings ?? 0));
    }
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
    {
      look,
      allowances,
      measures,
    }: { readonly look: Look } & Readonly<Record<"allowances", Allowances>> & Readonly<Record<"measures", Measures>>,
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
    const isKnown = ({ node, pool }: Candidate): boolean =>
      Number.isFinite(nodePrice(node.labels, look.view.instanceTypesOf(pool.name)));
    return planner.consolidate({
      ...simulation.request(),
      candidates: candidates.map((candidate) => {
        const { node, pool, instanceType, capacityType, price, pods, disturbance, isReady } = candidate;
        // What is not known can be no measure, except where there is nothing without one.
        const isWeighed = isKnown(candidate) || pool.disruption.consolidationPolicy === "Balanced";
        return {
          nodeName: node.name,
          poolName: pool.name,
          instanceType,
          capacityType,
          price: isKnown(candidate) ? price : undefined,
          podUids: pods.map(({ uid }) => uid),
          disturbance,
          leastSaving: isWeighed ? measures.leastSaving(pool) : 0,
          isReady,
        };
      }),
      destinations: withoutEmpties(findDestinations(look.view)),
      laterDestinations: withoutEmpties(findDestinations({ ...look.view, now: Number.POSITIVE_INFINITY })),
      budgets: new Map(candidates.map(({ pool }) => [pool.name, allowances.left(pool)])),
      isSpotToSpotEnabled: settings.isSpotToSpotEnabled,
      seed,
    });
  }

  #reportRejected({ rejected }: ConsolidationAnswer, candidates: readonly Candidate[], measures: Measures): void {
    const byNode = new Map(candidates.map((candidate) => [candidate.node.name, candidate]));
    for (const { nodeNames, savings } of rejected) {
      const members = nodeNames.flatMap((name) => byNode.get(name) ?? []);
      this.#reporter.reportRejected(measures.weigh(members, savings));
    }
  }

  #ordersOf(
    { moves }: ConsolidationAnswer,
    candidates: readonly Candidate[],
    mayMove: (pods: number) => boolean,
  ): readonly Order[] {
    const byNode = new Map(candidates.map((candidate) => [candidate.node.name, candidate]));
    return moves.flatMap((move) => {
      const members = move.nodeNames.flatMap((name) => byNode.get(name) ?? []);
      const pods = members.reduce((sum, candidate) => sum + candidate.pods.length, 0);
      if (members.length === 0 || members.length < move.nodeNames.length || !mayMove(pods)) return [];
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

  /** With what is known of their nodes now; without those of which a node may not go any more. */
  async #refresh(orders: readonly Order[], look: Look): Promise<readonly Order[]> {
    const names = new Set(orders.flatMap(({ candidates }) => candidates.map(({ claim }) => claim.name)));
    const judgement = await look.judge("graceful", ({ name }) => names.has(name));
    const { settled } = this.#eligible(look, judgement, new Set());
    const byClaim = new Map(settled.map((candidate) => [candidate.claim.name, candidate]));
    const verdicts = new Map(judgement.verdicts.map(({ claim, because }) => [claim, because]));
    const allowances = new Allowances(look.view, "Underutilized");
    return orders.flatMap((order) => {
      const candidates = order.candidates.flatMap(({ claim }) => byClaim.get(claim.name) ?? []);
      const lost = order.candidates.find(({ claim }) => !byClaim.has(claim.name));
      if (lost !== undefined) {
        const because = verdicts.get(lost.claim.name) ?? "it is gone";
        this.#reporter.reportDropped(order, `${lost.node.name}: ${because}`);
        return [];
      }
      if (allowances.takeAll(candidates.map(({ pool }) => pool))) return [{ ...order, candidates }];
      this.#reporter.reportDropped(order, "budget");
      return [];
    });
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
  rejected: [],
  isCutShort: false,
  evaluations: 0,
};

function orderFor({ launches, savings }: ConsolidationMove, candidates: readonly Candidate[]): Order {
  const type = candidates.length > 1 ? "multi" : "single";
  return { reason: "Underutilized", type, candidates, launches, savings };
}
