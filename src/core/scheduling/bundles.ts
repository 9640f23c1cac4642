import { assignDomains, type Cell } from "./assign-domains.ts";
import type { ClassRules } from "./class-rules.ts";
import type { Lot, LotPart } from "./lots.ts";
import type { Market } from "./market.ts";
import { countInDomains, domainsAllow, type Newcomer, placeOnOpenNodes, startOnOpenNode } from "./open-nodes.ts";
import type { StagedClass } from "./world.ts";

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
 * Ties pods that must share a host into bundles that are packed as one. Pods that need nobody but their own kind start
 * a host, and all of that kind go there; pods that need others are dealt out over lots that contain those.
 */
export function bundleByHost(needy: readonly NeedyWork[], lots: readonly Lot[], market: Market): Bundling {
  const bundler = new Bundler(lots, market);
  let waiting = needy;
  // Pods may need pods that themselves need others, in any order.
  for (let before = Number.POSITIVE_INFINITY; waiting.length > 0 && total(waiting) < before; ) {
    before = total(waiting);
    waiting = waiting.map((work) => bundler.add(work)).filter(({ count }) => count > 0);
  }
  return { bundles: bundler.lots.filter(({ count }) => count > 0), unbundled: waiting };
}

function total(needy: readonly NeedyWork[]): number {
  return needy.reduce((sum, { count }) => sum + count, 0);
}

/** Pods that join a host: how many each, on how many hosts. */
interface Guests {
  readonly work: NeedyWork;
  readonly each: number;
  readonly hosts: number;
}

class Bundler {
  readonly lots: Lot[];
  private readonly market: Market;

  constructor(lots: readonly Lot[], market: Market) {
    this.lots = [...lots];
    this.market = market;
  }

  /** Returns what is left of the work. */
  add(work: NeedyWork): NeedyWork {
    // Those it needs may have come to an open node since the work was first looked at.
    const outside = placeOnOpenNodes(this.newcomer(work), work.count, this.market.world.openNodes);
    const left = this.join({ ...work, count: outside });
    const { hostNeeds } = work.staged.rules;
    const mayStart = hostNeeds.every(({ group, isMember }) => isMember && this.isFirst(group));
    return left.count > 0 && mayStart ? this.start(left) : left;
  }

  private join(work: NeedyWork): NeedyWork {
    let { count } = work;
    for (let index = 0; index < this.lots.length && count > 0; index++) {
      const host = this.lots[index]!;
      if (host.count === 0 || !this.isCompany(host, work.staged)) continue;
      count -= this.joinHost(index, { ...work, count });
    }
    return { ...work, count };
  }

  /** Whether the class finds everybody it needs in the lot, or is itself the first of those it does not find. */
  private isCompany(host: Lot, { rules }: StagedClass): boolean {
    return rules.hostNeeds.every(({ group, isMember }) => holds(host, group) || (isMember && this.isFirst(group)));
  }

  /**
   * Whether nobody of the group has a host, or will have one: kube-scheduler lets no pod start another then, and may
   * bring the others first.
   */
  private isFirst(group: number): boolean {
    return !this.market.isHosted(group) && !this.lots.some((lot) => lot.count > 0 && holds(lot, group));
  }

  /** Somebody for the open nodes, to whom those count as well who will be on new ones. */
  private newcomer({ staged }: NeedyWork): Newcomer {
    return { ...this.market.world.newcomer(staged), isFirstOfKind: (group) => this.isFirst(group) };
  }

  private joinHost(index: number, work: NeedyWork): number {
    const host = this.lots[index]!;
    const { rules } = work.staged;
    // The first of a kind decides where the rest goes, and so does every pod that is counted in domains.
    const isOneByOne = isCounted(rules) || rules.hostNeeds.some(({ group }) => !holds(host, group));
    const hosts = isOneByOne ? 1 : Math.min(host.count, work.count);
    const share = Math.ceil(work.count / hosts);
    const each = largest(share, (count) => this.joined(host, work, count, host.cell) !== undefined);
    if (each === 0) return 0;
    return this.seat(index, { work, each, hosts: Math.min(hosts, Math.floor(work.count / each)) });
  }

  private seat(index: number, { work, each, hosts }: Guests): number {
    const host = this.lots[index]!;
    const { staged } = work;
    let cell = host.cell;
    let admitted = each;
    if (isCounted(staged.rules)) {
      cell ??= this.chooseCell(host.parts, work);
      if (!cell) return 0;
      const fitting = largest(each, (count) => this.joined(host, work, count, cell) !== undefined);
      admitted = this.admit(staged, cell, fitting);
    }
    const lot = admitted > 0 ? this.joined(host, work, admitted, cell) : undefined;
    if (!lot) return 0;
    this.lots[index] = { ...host, count: host.count - hosts };
    this.lots.push({ ...lot, count: hosts });
    return admitted * hosts;
  }

  private joined(host: Lot, { staged }: NeedyWork, count: number, cell: Cell | undefined): Lot | undefined {
    return this.market.bundle([...host.parts, { staged, count }], 1, cell, host.choice.poolRank);
  }

  /** On a new node, unless that holds fewer than all and no more than an open one. */
  private start(work: NeedyWork): NeedyWork {
    const { staged, count, minRank } = work;
    const cell = isCounted(staged.rules) ? this.chooseCell([], work) : undefined;
    const isPossible = cell !== undefined || !isCounted(staged.rules);
    const bundle = (size: number) => this.market.bundle([{ staged, count: size }], 1, cell, minRank);
    const fitting = isPossible ? largest(count, (size) => bundle(size) !== undefined) : 0;
    if (fitting < count) {
      const bounds = { least: fitting, most: count };
      const placed = startOnOpenNode(this.newcomer(work), bounds, this.market.world.openNodes);
      if (placed > 0) return { ...work, count: count - placed };
    }
    const admitted = cell ? this.admit(staged, cell, fitting) : fitting;
    const lot = admitted > 0 ? bundle(admitted) : undefined;
    if (!lot) return work;
    this.lots.push(lot);
    return { ...work, count: count - admitted };
  }

  /** Where the host of these pods can be so that the newcomers' rules about domains hold. */
  private chooseCell(parts: readonly LotPart[], { staged, minRank }: NeedyWork): Cell | undefined {
    const cells = this.market.cellsFor([...parts, { staged, count: 1 }], minRank);
    const [chosen] = assignDomains(staged, 1, cells).counts.keys();
    const cell = cells.find(({ index }) => index === chosen);
    // That one pod has been counted; it is counted again when it is admitted.
    if (cell) countInDomains(staged.rules, cell.place, -1);
    return cell;
  }

  /** Counts pods in a cell, one by one as long as the rules allow it, and returns how many. */
  private admit(staged: StagedClass, { place }: Cell, most: number): number {
    let admitted = 0;
    for (; admitted < most && domainsAllow(staged, place); admitted++) countInDomains(staged.rules, place, 1);
    return admitted;
  }
}

/** Whether rules about domains larger than a host look at the class. */
function isCounted({ demands, memberOf, owns }: ClassRules): boolean {
  return demands.length + memberOf.length + owns.length > 0;
}

function holds({ host }: Lot, group: number): boolean {
  return host?.memberOf.includes(group) === true;
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
