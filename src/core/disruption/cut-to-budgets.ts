import type { Fleet, Outcome, Part } from "./fleet.ts";

/** What of a plan can be done now, by saving for each unit of disturbance. */
export function cutToBudgets(fleet: Fleet, whole: Outcome, budgets: ReadonlyMap<string, number>): readonly Part[] {
  const now = affordable(fleet, whole.parts, budgets);
  if (now.length > 0 || whole.parts.length === 0) return now;
  // What goes together is more than the budgets allow: some of it, with the rest on its way out.
  const left = new Map(budgets);
  const some = byWorth(whole.parts)
    .flatMap(({ members }) => members)
    .filter((index) => take(fleet, [index], left));
  return some.length === 0 ? [] : affordable(fleet, fleet.without(some, whole.members).parts, budgets);
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
