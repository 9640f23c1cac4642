import { assignDomains, type Cell } from "./assign-domains.ts";
import type { ClassRules } from "./class-rules.ts";
import type { Lot, LotPart } from "./lots.ts";
import type { Market } from "./market.ts";
import { countInDomains, domainsAllow } from "./open-nodes.ts";
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
  /** Bundles that pods started because they found nobody of their kind. */
  private readonly started = new Set<Lot>();

  constructor(lots: readonly Lot[], market: Market) {
    this.lots = [...lots];
    this.market = market;
  }

  /** Returns what is left of the work. */
  add(work: NeedyWork): NeedyWork {
    const left = this.join(work);
    const { rules } = work.staged;
    const mayStart = rules.hostNeeds.every(({ group, isMember }) => isMember && this.isFirst(group, rules));
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

  /** Whether the class finds everybody it needs in the lot. Pods that need only their kind go to its own host. */
  private isCompany(host: Lot, { rules }: StagedClass): boolean {
    const { hostNeeds } = rules;
    const isOnlyOwn = hostNeeds.every(({ isMember }) => isMember);
    if (isOnlyOwn && !isFollower(rules) && !this.started.has(host)) return false;
    return hostNeeds.every(
      ({ group, isMember }) => host.host?.memberOf.includes(group) || (isMember && this.isFirst(group, rules)),
    );
  }

  /**
   * Whether nobody of the group can have a host before the class has one: kube-scheduler lets no pod start another then.
   * Pods that have to follow others elsewhere come after everybody.
   */
  private isFirst(group: number, rules: ClassRules): boolean {
    const earlier = isFollower(rules) ? this.lots : [...this.started];
    return !this.market.isHosted(group) && !earlier.some((lot) => lot.count > 0 && lot.host?.memberOf.includes(group));
  }

  private joinHost(index: number, work: NeedyWork): number {
    const host = this.lots[index]!;
    const { rules } = work.staged;
    // Pods stay with their own kind, and every pod that is counted in domains changes where the next may go.
    const isOneByOne = isCounted(rules) || rules.hostNeeds.some(({ isMember }) => isMember);
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
    if (staged.rules.hostNeeds.some(({ isMember }) => isMember)) this.started.add(this.lots.at(-1)!);
    return admitted * hosts;
  }

  private joined(host: Lot, { staged }: NeedyWork, count: number, cell: Cell | undefined): Lot | undefined {
    return this.market.bundle([...host.parts, { staged, count }], 1, cell, host.choice.poolRank);
  }

  private start(work: NeedyWork): NeedyWork {
    const { staged, count, minRank } = work;
    const cell = isCounted(staged.rules) ? this.chooseCell([], work) : undefined;
    if (isCounted(staged.rules) && !cell) return work;
    const bundle = (size: number) => this.market.bundle([{ staged, count: size }], 1, cell, minRank);
    const fitting = largest(count, (size) => bundle(size) !== undefined);
    const admitted = cell ? this.admit(staged, cell, fitting) : fitting;
    const lot = admitted > 0 ? bundle(admitted) : undefined;
    if (!lot) return work;
    this.lots.push(lot);
    this.started.add(lot);
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

/** Whether some other pods have to be in a domain before the class may come there. */
function isFollower({ demands }: ClassRules): boolean {
  return demands.some(({ kind, isMember }) => kind === "affinity" && !isMember);
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
