import type { ClassRules } from "./class-rules.ts";
import type { Place } from "./domain-counts.ts";
import { countInDomains, domainsAllow } from "./open-nodes.ts";
import type { StagedClass } from "./world.ts";

/** Machines that are the same topology domain for every key in play, such as one zone. */
export interface Cell {
  readonly index: number;
  /** What a node bought here would look like to the class that asks. */
  readonly place: Place;
  /** Roughly what a pod of the class costs here. */
  readonly cost: number;
  readonly poolRank: number;
}

export interface Assignment {
  /** How many pods go to each cell, by the cell's index. */
  readonly counts: ReadonlyMap<number, number>;
  readonly unassigned: number;
}

/**
 * Decides which topology domain each pod of a class goes to, one pod after the other, each judged by the counts that
 * those before it left. Among the domains that are allowed it takes those of the heaviest pool, then the emptiest, then
 * the cheapest.
 */
export function assignDomains(staged: StagedClass, count: number, cells: readonly Cell[]): Assignment {
  const counts = new Map<number, number>();
  for (let assigned = 0; assigned < count; assigned++) {
    const cell = bestCell(staged, cells);
    if (!cell) return { counts, unassigned: count - assigned };
    countInDomains(staged.rules, cell.place, 1);
    counts.set(cell.index, (counts.get(cell.index) ?? 0) + 1);
  }
  return { counts, unassigned: 0 };
}

function bestCell(staged: StagedClass, cells: readonly Cell[]): Cell | undefined {
  let best: Cell | undefined;
  let fewest = Number.POSITIVE_INFINITY;
  for (const cell of cells) {
    if (!domainsAllow(staged, cell.place)) continue;
    const crowd = crowdIn(staged.rules, cell);
    if (best && (cell.poolRank - best.poolRank || crowd - fewest || cell.cost - best.cost) >= 0) continue;
    best = cell;
    fewest = crowd;
  }
  return best;
}

/** Pods already in the domains over which the class is to be spread. */
function crowdIn(rules: ClassRules, { place }: Cell): number {
  let crowd = 0;
  for (const { kind, counts } of rules.demands) {
    if (kind === "spread") crowd += counts.membersIn(place.labels.get(counts.group.key) ?? "");
  }
  return crowd;
}
