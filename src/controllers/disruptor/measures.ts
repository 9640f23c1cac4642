import { leastSaving, type PoolTotals, scoreOf, totalsOf } from "../../core/disruption/balanced.ts";
import type { Candidate } from "../../core/disruption/candidate.ts";
import type { DisruptionView } from "../../core/disruption/judge-candidate.ts";
import type { NodePoolObject } from "../../core/model/node-pool-object.ts";

/** Of a move, what concerns one pool. */
export interface Weighed {
  readonly pool: NodePoolObject;
  /** Dollars an hour. */
  readonly savings: number;
  readonly disturbance: number;
  readonly score: number;
}

/** Right at the threshold, rounding decides nothing. */
const rounding = 1e-9;

/** What moves must be worth in each pool. A pool is added up once. */
export class Measures {
  readonly #view: DisruptionView;
  readonly #totals = new Map<string, PoolTotals>();

  constructor(view: DisruptionView) {
    this.#view = view;
  }

  leastSaving(pool: NodePoolObject): number {
    return leastSaving(pool.disruption, this.#totalsOf(pool));
  }

  /** What is saved counts for each pool by its share of what goes. */
  weigh(candidates: readonly Candidate[], savings: number): readonly Weighed[] {
    const whole = priceOf(candidates);
    return [...Map.groupBy(candidates, ({ pool }) => pool.name).values()].flatMap((own) => {
      const [first] = own;
      if (first === undefined) return [];
      const share = whole === 0 ? 0 : (savings * priceOf(own)) / whole;
      const disturbance = own.reduce((sum, candidate) => sum + candidate.disturbance, 0);
      const score = scoreOf({ savings: share, disturbance }, this.#totalsOf(first.pool));
      return [{ pool: first.pool, savings: share, disturbance, score }];
    });
  }

  #totalsOf({ name }: NodePoolObject): PoolTotals {
    const known = this.#totals.get(name);
    if (known !== undefined) return known;
    const { cluster, instanceTypesOf } = this.#view;
    const totals = totalsOf(cluster, name, instanceTypesOf(name));
    this.#totals.set(name, totals);
    return totals;
  }
}

/** Only Balanced has a say. */
export function isApproved({ pool: { disruption }, score }: Weighed): boolean {
  return disruption.consolidationPolicy !== "Balanced" || score >= disruption.balancedThreshold * (1 - rounding);
}

function priceOf(candidates: readonly Candidate[]): number {
  return candidates.reduce((sum, { price }) => sum + price, 0);
}
