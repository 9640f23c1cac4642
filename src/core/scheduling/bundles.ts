import type { Lot, LotPart } from "./lots.ts";
import type { Market } from "./market.ts";
import { countInDomains } from "./open-nodes.ts";
import type { StagedClass } from "./world.ts";
import { assignDomains } from "./assign-domains.ts";

/** Pods that must share a host with others. */
export interface NeedyWork {
  readonly staged: StagedClass;
  readonly count: number;
  readonly minRank: number;
}

export interface Bundling {
  readonly bundles: readonly Lot[];
  readonly unbundled: readonly NeedyWork[];
}

/**
 * Ties pods that must share a host into bundles that are packed as one. Pods that only need their own kind all go into
 * one bundle; pods that need others are dealt out over lots that contain those.
 */
export function bundleByHost(needy: readonly NeedyWork[], lots: readonly Lot[], market: Market): Bundling {
  const bundles = [...lots];
  const unbundled: NeedyWork[] = [];
  for (const group of Map.groupBy(needy, ({ staged }) => needsOf(staged)).values()) {
    if (group[0]!.staged.rules.hostNeeds.every(({ isMember }) => isMember)) addOwnBundle(group, bundles, unbundled, market);
    else for (const work of group) joinHosts(work, bundles, unbundled, market);
  }
  return { bundles, unbundled };
}

function needsOf({ rules }: StagedClass): string {
  return rules.hostNeeds.map(({ group, isMember }) => `${group}:${isMember}`).join();
}

/** One host for all of them; those that no machine could hold together with the rest stay out. */
function addOwnBundle(group: readonly NeedyWork[], bundles: Lot[], unbundled: NeedyWork[], market: Market): void {
  let parts: LotPart[] = [];
  const { staged: first, minRank } = group[0]!;
  const cells = first.rules.demands.length + first.rules.memberOf.length > 0 ? market.cellsFor(first, minRank) : undefined;
  const chosen = cells && assignDomains(first.rules, 1, cells, market.reachable(first)).counts.keys().next().value;
  const cell = cells?.find(({ index }) => index === chosen);
  if (cells && !cell) {
    unbundled.push(...group);
    return;
  }
  for (const work of group) {
    const most = largest(work.count, (count) => market.bundle([...parts, { staged: work.staged, count }], 1, cell, minRank) !== undefined);
    if (most > 0) parts = [...parts, { staged: work.staged, count: most }];
    if (most < work.count) unbundled.push({ ...work, count: work.count - most });
    // The first pod has been counted where its domain was chosen.
    if (cell) countInDomains(work.staged.rules, cell.place, work.staged === first ? most - 1 : most);
  }
  if (parts.length > 0) bundles.push(market.bundle(parts, 1, cell, minRank)!);
}

function joinHosts(work: NeedyWork, bundles: Lot[], unbundled: NeedyWork[], market: Market): void {
  const { staged } = work;
  let left = work.count;
  for (let index = 0; index < bundles.length && left > 0; index++) {
    const host = bundles[index]!;
    if (!staged.rules.hostNeeds.every(({ group }) => host.host?.memberOf.includes(group))) continue;
    const share = Math.ceil(left / host.count);
    const count = Math.min(host.count, Math.ceil(left / share));
    const most = largest(Math.floor(left / count), (each) => joined(host, staged, each, market) !== undefined);
    if (most === 0) continue;
    const lot = joined(host, staged, most, market)!;
    bundles[index] = { ...host, count: host.count - count };
    bundles.push({ ...lot, count });
    if (host.cell) countInDomains(staged.rules, host.cell.place, count * most);
    left -= count * most;
  }
  for (let index = bundles.length - 1; index >= 0; index--) if (bundles[index]!.count === 0) bundles.splice(index, 1);
  if (left > 0) unbundled.push({ ...work, count: left });
}

function joined(host: Lot, staged: StagedClass, count: number, market: Market): Lot | undefined {
  return market.bundle([...host.parts, { staged, count }], 1, host.cell, host.choice.poolRank);
}

/** The largest number up to `most` that is accepted, where a smaller one always is when a larger one is. */
function largest(most: number, accepts: (count: number) => boolean): number {
  let low = 0;
  let high = most;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (accepts(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}
