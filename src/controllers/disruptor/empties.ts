import type { Candidate } from "../../core/disruption/candidate.ts";
import { findEmpty } from "../../core/disruption/emptiness.ts";
import { Allowances } from "./allowances.ts";
import { decidedMove, type Order } from "./command.ts";
import type { Judgement, Look } from "./look.ts";
import type { LookReporter } from "./look-reporter.ts";

/** Nodes that nobody needs. */
export class Empties {
  readonly #reporter: LookReporter;

  constructor(reporter: LookReporter) {
    this.#reporter = reporter;
  }

  async propose(look: Look): Promise<readonly Candidate[]> {
    const judgement = await look.judge("graceful");
    this.#reporter.reportBlocked(judgement);
    const empty = findEmpty(judgement.candidates);
    this.#reporter.reportEligible("Empty", empty.length);
    const allowances = new Allowances(look.view, "Empty");
    this.#reporter.reportNoBudget(allowances.blockedPools, "Empty");
    const taken = choose(empty, allowances, judgement);
    if (empty.length > 0) {
      const names = new Set(empty.map(({ claim }) => claim.name));
      const verdicts = judgement.verdicts.filter(({ claim }) => names.has(claim));
      const moves = taken.length === 0 ? [] : [decidedMove(orderOf(taken))];
      this.#reporter.note({ reason: "Empty", kind: "looked", moves, candidates: verdicts });
    }
    this.#reporter.reportDuration("Empty", "empty", look.view.now);
    return taken;
  }

  /** Those that are still empty when they are looked at again. */
  async confirm(proposed: readonly Candidate[], look: Look): Promise<Order | undefined> {
    const names = new Set(proposed.map(({ claim }) => claim.name));
    const judgement = await look.judge("graceful", ({ name }) => names.has(name));
    const still = choose(findEmpty(judgement.candidates), new Allowances(look.view, "Empty"), judgement);
    const verdicts = new Map(judgement.verdicts.map(({ claim, because }) => [claim, because]));
    const kept = new Set(still.map(({ claim }) => claim.name));
    for (const candidate of proposed) {
      if (kept.has(candidate.claim.name)) continue;
      const because = verdicts.get(candidate.claim.name) ?? "it is not empty any more";
      this.#reporter.reportDropped(orderOf([candidate]), because);
    }
    return still.length === 0 ? undefined : orderOf(still);
  }
}

function choose(empty: readonly Candidate[], allowances: Allowances, judgement: Judgement): readonly Candidate[] {
  return empty.filter(({ claim, pool }) => {
    const isTaken = allowances.take(pool);
    judgement.say(claim, isTaken ? "it is empty" : `it is empty, but ${allowances.because(pool)}`, isTaken);
    return isTaken;
  });
}

function orderOf(candidates: readonly Candidate[]): Order {
  const savings = candidates.reduce((sum, { price }) => sum + price, 0);
  return { reason: "Empty", type: "empty", candidates, launches: [], savings };
}
