import { seededRandom } from "../model/seeded-random.ts";
import { cutToBudgets, type Possibilities } from "./cut-to-budgets.ts";
import type { Fleet, Outcome, Part, Stay } from "./fleet.ts";
import { rankLeavers } from "./rank-leavers.ts";

export interface SearchSettings {
  readonly possible: Possibilities;
  readonly seed: number;
  readonly maxEvaluations: number;
  /** Asked between evaluations; the best plan so far is returned when it says so. */
  readonly shouldStop: () => boolean;
}

export interface ConsolidationPlan {
  /** What budgets allow now, the most worthwhile first. */
  readonly parts: readonly Part[];
  /** All that is worth doing. */
  readonly whole: Outcome;
  /** Why leavers stay. */
  readonly stays: ReadonlyMap<number, string>;
  /** Of those, what was found to save too little for what it disturbs. */
  readonly rejected: readonly Rejection[];
  /** Whether its time was up before it had tried all that it would have. */
  readonly isCutShort: boolean;
}

type Rejection = NonNullable<Stay["rejected"]>;

/** Shares of the ranked nodes that are tried first. */
const shares = [1, 0.85, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1, 0.05];
/** So many of the nodes left are tried at once, in passes over all of them. */
const chunkShares = [1 / 4, 1 / 16, 0];
const later = "it goes as soon as budgets allow, and pods have settled on it and where its own are to go";
const nothing: Outcome = { parts: [], gain: 0, members: [], stays: new Map() };

/**
 * Looks for the set of nodes that the fleet is best off without: the saving beyond what the disturbance is worth is
 * greatest. There is a best set at any time, and it is made better as long as there is time. Yields between evaluations,
 * so that whoever runs it can do something else in between.
 */
export function* searchConsolidation(fleet: Fleet, settings: SearchSettings): Generator<undefined, ConsolidationPlan> {
  if (fleet.leavers.length === 0)
    return { parts: [], whole: nothing, stays: new Map(), rejected: [], isCutShort: false };
  const search = new Search(fleet, settings);
  yield* search.run();
  return yield* search.conclude();
}

class Search {
  readonly #fleet: Fleet;
  readonly #settings: SearchSettings;
  readonly #stays = new Map<number, Stay>();
  readonly #tried = new Set<string>();
  #best = nothing;
  #isCutShort = false;

  constructor(fleet: Fleet, settings: SearchSettings) {
    this.#fleet = fleet;
    this.#settings = settings;
  }

  *run(): Generator<undefined, void> {
    const ranked = rankLeavers(this.#fleet);
    yield;
    for (const size of new Set([...shares.map((share) => Math.ceil(ranked.length * share)), 3, 2, 1])) {
      if (this.#isOver) return;
      this.#try(ranked.slice(0, size));
      yield;
    }
    for (const share of chunkShares) yield* this.#grow(ranked, Math.max(1, Math.ceil(ranked.length * share)));
    yield* this.#shake(ranked);
  }

  *conclude(): Generator<undefined, ConsolidationPlan> {
    const whole = yield* this.#settle(this.#best);
    const parts = yield* cutToBudgets(this.#fleet, whole, this.#settings.possible);
    const going = new Set(parts.flatMap(({ members }) => members));
    const planned = new Set(whole.members);
    const stays = new Map<number, string>();
    const rejected = new Set<Rejection>();
    for (const index of this.#fleet.leavers.keys()) {
      if (going.has(index)) continue;
      const stay = planned.has(index) ? undefined : this.#stays.get(index);
      if (stay?.rejected !== undefined) rejected.add(stay.rejected);
      stays.set(index, planned.has(index) ? later : (stay?.because ?? "its pods are worth what it costs"));
    }
    return { parts, whole, stays, rejected: [...rejected], isCutShort: this.#isCutShort };
  }

  get #isOver(): boolean {
    if (this.#settings.shouldStop()) this.#isCutShort = true;
    return this.#isCutShort || this.#fleet.evaluations >= this.#settings.maxEvaluations;
  }

  /** Adds what was left out, some at a time. */
  *#grow(ranked: readonly number[], size: number): Generator<undefined, void> {
    for (let start = 0; start < ranked.length; start += size) {
      if (this.#isOver) return;
      const members = new Set(this.#best.members);
      const added = ranked.slice(start, start + size).filter((index) => !members.has(index));
      if (added.length === 0) continue;
      this.#try([...members, ...added]);
      yield;
    }
  }

  /** Takes some at random out, and others in. */
  *#shake(ranked: readonly number[]): Generator<undefined, void> {
    const random = seededRandom(this.#settings.seed);
    for (let fruitless = 0; fruitless < 2 * ranked.length && !this.#isOver; ) {
      const share = random() * 0.3;
      const members = new Set(this.#best.members.filter(() => random() >= share));
      const wanted = 1 + Math.floor(random() * 4);
      for (let count = 0; count < wanted; count++) {
        // The wasteful ones more often than the others.
        const index = ranked[Math.floor(random() ** 2 * ranked.length)];
        if (index !== undefined) members.add(index);
      }
      fruitless = this.#try([...members]) ? 0 : fruitless + 1;
      yield;
    }
  }

  #try(members: readonly number[]): boolean {
    const key = members.toSorted((a, b) => a - b).join();
    if (members.length === 0 || this.#tried.has(key)) return false;
    this.#tried.add(key);
    const outcome = this.#fleet.without(members);
    for (const [index, reason] of outcome.stays) this.#stays.set(index, reason);
    if (outcome.gain <= this.#best.gain && this.#best.members.length > 0) return false;
    if (outcome.members.length === 0) return false;
    this.#best = outcome;
    return true;
  }

  /** What was left out of the best plan stays after all, and others may have counted on its going. */
  *#settle(outcome: Outcome): Generator<undefined, Outcome> {
    let settled = outcome;
    for (let isStable = false; !isStable && settled.members.length > 0; ) {
      const next = this.#fleet.without(settled.members);
      isStable = next.members.length === settled.members.length;
      settled = next;
      yield;
    }
    return settled;
  }
}
