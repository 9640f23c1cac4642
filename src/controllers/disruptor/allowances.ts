import type { DisruptionView } from "../../core/disruption/judge-candidate.ts";
import { type Allowance, countPool, describeBudget, nodesAllowed } from "../../core/disruption/node-budgets.ts";
import type { NodePoolObject } from "../../core/model/node-pool-object.ts";
import type { DisruptionReason } from "../../core/model/pool-disruption.ts";

/** How many nodes of each pool may still go for a reason, counted down as they are chosen. */
export class Allowances {
  readonly #reason: DisruptionReason;
  readonly #view: DisruptionView;
  readonly #left = new Map<string, number>();
  /** As it was when the pool was first asked about: counting its nodes takes a while. */
  readonly #counted = new Map<string, Allowance & { readonly nodes: number }>();

  constructor(view: DisruptionView, reason: DisruptionReason) {
    this.#view = view;
    this.#reason = reason;
  }

  left(pool: NodePoolObject): number {
    const known = this.#left.get(pool.name);
    if (known !== undefined) return known;
    const { usable } = this.#allowance(pool);
    this.#left.set(pool.name, usable);
    return usable;
  }

  /** False when there is none left. */
  take(pool: NodePoolObject): boolean {
    const left = this.left(pool);
    if (left > 0) this.#left.set(pool.name, left - 1);
    return left > 0;
  }

  /** All or none. */
  takeAll(pools: readonly NodePoolObject[]): boolean {
    const counts = Map.groupBy(pools, ({ name }) => name);
    if ([...counts.values()].some((same) => same[0] !== undefined && this.left(same[0]) < same.length)) return false;
    for (const pool of pools) this.take(pool);
    return true;
  }

  /** Why no more may go. */
  because(pool: NodePoolObject): string {
    const { allowed, because } = this.#allowance(pool);
    const budget = because === undefined ? "no budget" : describeBudget(because);
    return `${budget} of NodePool "${pool.name}" lets ${allowed} go at once, and no more may go now`;
  }

  /** Pools that have nodes of which none may go. */
  get blockedPools(): readonly NodePoolObject[] {
    const { cluster } = this.#view;
    return [...cluster.pools.values()].filter(
      (pool) => this.#allowance(pool).nodes > 0 && this.#allowance(pool).allowed === 0,
    );
  }

  #allowance(pool: NodePoolObject): Allowance & { readonly nodes: number } {
    const known = this.#counted.get(pool.name);
    if (known !== undefined) return known;
    const { cluster, now } = this.#view;
    const count = countPool(cluster, pool.name);
    const allowance = { ...nodesAllowed(pool, this.#reason, { ...count, now }), nodes: count.nodes };
    this.#counted.set(pool.name, allowance);
    return allowance;
  }
}
