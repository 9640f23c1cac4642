import { judgeBudgets, judgeDeparture, type LastObstacle } from "../../core/disruption/judge-departure.ts";
import { countGoing, type GoingCount } from "../../core/disruption/node-budgets.ts";
import type { DisruptionBudget } from "../../core/model/disruption-budget.ts";
import { nodePoolLabel } from "../../core/model/labels.ts";
import type { NodeClaim } from "../../core/model/node-claim.ts";
import type { Command } from "./command.ts";
import type { DisruptorOptions } from "./disruptor-options.ts";

/** Hundreds of commands ask at once, and to count a pool takes a while. */
const countAgain = 1_000;

/** Asks of nodes that were chosen whether they may still go. */
export class LastLook {
  readonly #options: Pick<DisruptorOptions, "cluster" | "clock">;
  readonly #isTakenBack: (claimName: string) => boolean;
  readonly #counts = new Map<string, { readonly at: number; readonly count: GoingCount }>();
  /** The same list as long as it is the same: what is found in it is remembered by it. */
  #budgets: { readonly of: object; readonly list: readonly DisruptionBudget[] } | undefined;

  constructor(options: Pick<DisruptorOptions, "cluster" | "clock">, isTakenBack: (claimName: string) => boolean) {
    this.#options = options;
    this.#isTakenBack = isTakenBack;
  }

  /** What keeps each of the claims, by name, that are kept by something. */
  obstaclesTo({ claimNames, reason }: Command): ReadonlyMap<string, LastObstacle> {
    const { cluster, clock } = this.#options;
    const view = { cluster, budgets: this.#podBudgets, now: clock.now() };
    const obstacles = new Map<string, LastObstacle>();
    for (const claim of this.#stayingOf(claimNames)) {
      const obstacle = judgeDeparture(claim, reason, view);
      if (obstacle !== undefined) obstacles.set(claim.name, obstacle);
    }
    return obstacles;
  }

  /** Budgets of pools have schedules, and people change them. */
  budgetAgainst({ claimNames, reason }: Command): LastObstacle | undefined {
    const { cluster, clock } = this.#options;
    for (const poolName of new Set(this.#stayingOf(claimNames).map(({ labels }) => labels.get(nodePoolLabel) ?? ""))) {
      const pool = cluster.pools.get(poolName);
      if (pool === undefined) continue;
      const { nodes, going } = this.#count(poolName);
      const left = going.filter(({ claimName }) => !this.#isTakenBack(claimName));
      const obstacle = judgeBudgets(pool, reason, { nodes, going: left, now: clock.now() });
      if (obstacle !== undefined) return obstacle;
    }
    return undefined;
  }

  #stayingOf(claimNames: readonly string[]): readonly NodeClaim[] {
    const { cluster } = this.#options;
    return claimNames
      .flatMap((name) => cluster.claims.get(name) ?? [])
      .filter(({ deletedAt }) => deletedAt === undefined);
  }

  #count(poolName: string): GoingCount {
    const { cluster, clock } = this.#options;
    const now = clock.now();
    const known = this.#counts.get(poolName);
    if (known !== undefined && now - known.at < countAgain) return known.count;
    const count = countGoing(cluster, poolName);
    this.#counts.set(poolName, { at: now, count });
    return count;
  }

  get #podBudgets(): readonly DisruptionBudget[] {
    const of = this.#options.cluster.disruptionBudgets.copy();
    if (this.#budgets?.of !== of) this.#budgets = { of, list: [...of.values()] };
    return this.#budgets.list;
  }
}
