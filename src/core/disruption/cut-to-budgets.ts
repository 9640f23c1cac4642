import type { Fleet, Outcome, Part } from "./fleet.ts";

/** What is possible now. */
export interface Possibilities {
  /** How many nodes of each pool may go. */
  readonly budgets: ReadonlyMap<string, number>;
  /** Names of the nodes that may take what moves. */
  readonly destinations: ReadonlySet<string>;
}

/** What of a plan can be done now, by saving for each unit of disturbance; the rest of it is on its way out. */
export function* cutToBudgets(
  fleet: Fleet,
  whole: Outcome,
  possible: Possibilities,
): Generator<undefined, readonly Part[]> {
  const ready = byWorth(whole.parts).filter(({ members }) => members.every((index) => fleet.leavers[index]?.isReady));
  const now = affordable(fleet, ready, possible.budgets).flatMap(({ members }) => members);
  // What goes together may be more than the budgets allow, or not all of it ready: some of it may be worth more.
  const pieces = dearest(fleet, whole, possible);
  const step = stepOf(fleet, now, { whole, possible });
  if (pieces.length === now.length && pieces.every((index) => now.includes(index))) return step;
  // Others have their turn between two plans.
  yield;
  const other = stepOf(fleet, pieces, { whole, possible });
  return savingsOf(other) > savingsOf(step) ? other : step;
}

function stepOf(
  fleet: Fleet,
  chosen: readonly number[],
  { whole, possible }: { readonly whole: Outcome; readonly possible: Possibilities },
): readonly Part[] {
  if (chosen.length === 0) return [];
  const { parts } = fleet.without(chosen, { avoided: whole.members, within: possible.destinations });
  return affordable(fleet, parts, possible.budgets);
}

function savingsOf(parts: readonly Part[]): number {
  return parts.reduce((sum, { savings }) => sum + savings, 0);
}

/** As many as may go, those first that cost most for their disturbance. */
function dearest(fleet: Fleet, { members }: Outcome, { budgets }: Possibilities): readonly number[] {
  const left = new Map(budgets);
  const worth = (index: number): number =>
    (fleet.leavers[index]?.price ?? 0) / (fleet.leavers[index]?.disturbance ?? 1);
  return members
    .toSorted((a, b) => worth(b) - worth(a))
    .filter((index) => fleet.leavers[index]?.isReady === true && take(fleet, [index], left));
}

function affordable(fleet: Fleet, parts: readonly Part[], budgets: ReadonlyMap<string, number>): readonly Part[] {
  const left = new Map(budgets);
  return byWorth(parts).filter(({ members }) => take(fleet, members, left));
}

function byWorth(parts: readonly Part[]): readonly Part[] {
  return parts.toSorted((a, b) => b.savings / b.disturbance - a.savings / a.disturbance);
}

/** All of them, or none. */
function take(fleet: Fleet, members: readonly number[], left: Map<string, number>): boolean {
  const pools = members.map((index) => fleet.leavers[index]?.poolName ?? "");
  const needed = new Map<string, number>();
  for (const pool of pools) needed.set(pool, (needed.get(pool) ?? 0) + 1);
  if ([...needed].some(([pool, count]) => count > (left.get(pool) ?? 0))) return false;
  for (const [pool, count] of needed) left.set(pool, (left.get(pool) ?? 0) - count);
  return true;
}
