import type { Pod } from "../model/pod.ts";
import type { Snapshot } from "../model/snapshot.ts";
import { AlternativeFinder } from "./alternatives.ts";
import { assignDomains } from "./assign-domains.ts";
import { BudgetBook } from "./budgets.ts";
import { bundleByHost, type NeedyWork } from "./bundles.ts";
import type { Place } from "./domain-counts.ts";
import { ejectBroken } from "./eject-broken.ts";
import { explainRefusal } from "./explain-refusal.ts";
import { finishPlan } from "./finish-plan.ts";
import { FlexibleNodes, leavesEnoughChoice } from "./flexible-nodes.ts";
import { growNodes } from "./grow-nodes.ts";
import { independentLots, type Lot, packingProblem } from "./lots.ts";
import type { Machine } from "./machines.ts";
import { Market } from "./market.ts";
import { addLot, countInDomains, newNode, type OpenNode, placeOnOpenNodes } from "./open-nodes.ts";
import { pack } from "./packing/pack.ts";
import type { PackedNode } from "./packing/problem.ts";
import { placeHinted } from "./place-hinted.ts";
import type { ProvisioningPlan } from "./plan.ts";
import type { Refusal } from "./refusal.ts";
import { screenPods } from "./screen-pods.ts";
import type { PlanSettings } from "./settings.ts";
import { WaitingRoom } from "./waiting-room.ts";
import { type PlannedClass, type StagedClass, World } from "./world.ts";

/** Turns pending pods into the cheapest set of nodes that holds them. Pure: the same arguments give the same plan. */
export function planProvisioning(
  snapshot: Snapshot,
  pending: readonly Pod[],
  settings: PlanSettings,
): ProvisioningPlan {
  const { classes, refusals } = screenPods(snapshot, pending, settings);
  const attempt = (isInOrder: boolean): ProvisioningRun => {
    const run = new ProvisioningRun(new World(snapshot, classes, settings), [...refusals]);
    run.place(classes, isInOrder);
    return run;
  };
  const together = attempt(false);
  // Pods that are packed together get cheaper nodes. Their order matters where not all of them get one.
  return (together.needsOrder ? attempt(true) : together).finish();
}

/** Pods of a class that still need a place. */
interface Work {
  readonly planned: PlannedClass;
  readonly stage: number;
  /** Pools before this rank have run out for these pods. */
  readonly minRank: number;
  readonly count: number;
}

/** By importance, and pods that may get machines before those that may not. */
function tiersOf(classes: readonly PlannedClass[]): PlannedClass[][] {
  const tiers = Map.groupBy(classes, ({ podClass }) => `${podClass.spec.priority} ${podClass.expectation ?? ""}`);
  return [...tiers.values()];
}

/** `tentative`: only expected, and for such pods nothing is bought yet. */
type UnplacedReason = "no-fit" | "reservation-taken" | "tentative";

class ProvisioningRun {
  private readonly world: World;
  private readonly market: Market;
  private readonly budgets: BudgetBook;
  private readonly refusals: { pod: Pod; refusal: Refusal }[];
  private readonly unplaced: { staged: StagedClass; count: number; reason: UnplacedReason }[] = [];
  private rounds = 0;
  /** Some lot found no machine, so that others may have been placed by counts that came to nothing. */
  private hasUnbought = false;

  constructor(world: World, refusals: { pod: Pod; refusal: Refusal }[]) {
    this.world = world;
    this.refusals = refusals;
    this.budgets = new BudgetBook(world.pools, world.snapshot.nodes);
    this.market = new Market(world, this.budgets);
  }

  /** In order, pods that exist choose before those that are expected, and of these the important ones first. */
  place(classes: readonly PlannedClass[], isInOrder: boolean): void {
    const isExpected = ({ podClass }: PlannedClass): boolean => podClass.expectation !== undefined;
    const groups = isInOrder
      ? [classes.filter((planned) => !isExpected(planned)), classes.filter(isExpected)]
      : [classes];
    for (const group of groups) {
      const hinted = placeHinted(this.world, group);
      for (const tier of isInOrder ? tiersOf(group) : [group]) {
        let work: Work[] = tier.map((planned) => ({
          planned,
          stage: 0,
          minRank: 0,
          count: planned.podClass.pods.length - (hinted.get(planned) ?? 0),
        }));
        while (work.length > 0) work = this.placeWork(work);
      }
    }
    this.mend();
  }

  /** Whether pods got no node that others would have left to them in another order. */
  get needsOrder(): boolean {
    const left = this.unplaced.filter(({ reason }) => reason !== "tentative");
    if (left.length === 0 || this.budgets.hasRunShort) return left.length > 0;
    const isReal = ({ staged }: { staged: StagedClass }): boolean => staged.podClass.expectation === undefined;
    return left.some(isReal) && !this.world.openNodes.every(({ placed }) => placed.every(isReal));
  }

  finish(): ProvisioningPlan {
    const unplaced = this.unplaced.map(({ staged, count, reason }) => {
      const refusal: Refusal =
        reason === "no-fit" ? explainRefusal(staged, this.world, this.budgets) : { kind: reason };
      return { podClass: staged.podClass, count, refusal };
    });
    return finishPlan(this.world, this.budgets, {
      screened: this.refusals,
      unplaced,
      rounds: this.rounds,
    });
  }

  /**
   * Pods that followed others to a domain where those found no machine get another chance, and so does everybody whom
   * they or those others kept away. Only one.
   */
  private mend(): void {
    if (this.unplaced.length === 0 && !this.hasUnbought) return;
    const ejected = ejectBroken(this.world);
    if (ejected.length === 0 && !this.hasUnbought) return;
    const deferred = this.unplaced.filter(({ reason }) => reason !== "no-fit");
    const refused = this.unplaced.filter(({ reason }) => reason === "no-fit");
    this.unplaced.splice(0, this.unplaced.length, ...deferred);
    let work: Work[] = [...ejected, ...refused].map(({ staged, count }) => ({
      planned: staged,
      stage: staged.stage,
      minRank: 0,
      count,
    }));
    while (work.length > 0) work = this.placeWork(work);
    for (const { staged, count } of ejectBroken(this.world)) this.unplaced.push({ staged, count, reason: "no-fit" });
  }

  /** Places what it can, and returns what has to be tried again with less to ask for. */
  private placeWork(work: readonly Work[]): Work[] {
    const lots: Lot[] = [];
    const needy: NeedyWork[] = [];
    const relaxed: Work[] = [];
    const waiting = new WaitingRoom<Work>();
    for (let queue = [...work]; queue.length > 0; ) {
      const stuck: Work[] = [];
      for (const one of queue) {
        const count = this.assign(one, lots, needy);
        const staged = this.world.atStage(one.planned, one.stage)!;
        if (count < one.count) waiting.changed(staged.rules.memberOf);
        if (count > 0) stuck.push({ ...one, count });
      }
      for (const one of stuck) {
        const { demands } = this.world.atStage(one.planned, one.stage)!.rules;
        waiting.add(
          one,
          demands.map(({ counts }) => counts),
        );
      }
      queue = waiting.woken();
    }
    const { bundles, unbundled } = bundleByHost(needy, lots, this.market);
    // Before anybody is found a place on nodes that grow, those with a lot must have theirs.
    const unbought = this.buy(bundles);
    for (const one of waiting.everybody()) this.relax(one, relaxed);
    for (const { staged, count } of unbundled)
      this.relax({ planned: staged, stage: staged.stage, minRank: 0, count }, relaxed);
    for (const { lot, count } of unbought) this.retry(lot, count, relaxed);
    return relaxed;
  }

  /** Puts pods on open nodes or into lots for new ones. Returns how many can go nowhere as things stand. */
  private assign({ planned, stage, minRank, count }: Work, lots: Lot[], needy: NeedyWork[]): number {
    const staged = this.world.atStage(planned, stage)!;
    const left = placeOnOpenNodes(this.world.newcomer(staged), count, this.world.openNodes);
    if (left === 0) return 0;
    if (planned.podClass.expectation === "tentative") {
      this.unplaced.push({ staged, count: left, reason: "tentative" });
      return 0;
    }
    const { rules } = staged;
    if (rules.hostNeeds.length > 0) {
      needy.push({ staged, count: left, minRank });
      return 0;
    }
    if (rules.demands.length + rules.memberOf.length + rules.owns.length === 0) {
      const lot = this.market.lot(staged, left, undefined, minRank);
      if (lot) lots.push(lot);
      return lot ? 0 : left;
    }
    const cells = this.market.cellsFor([{ staged, count: 1 }], minRank);
    const assignment = assignDomains(staged, left, cells);
    for (const [index, assigned] of assignment.counts) {
      const cell = cells.find((one) => one.index === index)!;
      const needed = this.placeInDomain(staged, assigned, cell.place);
      if (needed > 0) lots.push(this.market.lot(staged, needed, cell, minRank)!);
    }
    return assignment.unassigned;
  }

  /**
   * Nodes that took no more pods before those in other domains were counted may take some now. Returns how many are left,
   * which count in the domain that they were assigned to.
   */
  private placeInDomain(staged: StagedClass, assigned: number, place: Place): number {
    const { rules } = staged;
    if (!rules.demands.every(({ kind }) => kind === "spread")) return assigned;
    countInDomains(rules, place, -assigned);
    const left = placeOnOpenNodes(this.world.newcomer(staged), assigned, this.world.openNodes);
    countInDomains(rules, place, left);
    return left;
  }

  /** Packs lots onto new nodes and opens them. Returns what found no machine. */
  private buy(lots: readonly Lot[]): { lot: Lot; count: number }[] {
    return independentLots(lots).flatMap((together) => this.buyTogether(together));
  }

  private buyTogether(lots: readonly Lot[]): { lot: Lot; count: number }[] {
    const { problem, machines, lotsByItem } = packingProblem(lots, {
      budgets: this.budgets.remaining.slice(),
      usesOf: (machine) => this.budgets.usesOf(machine),
      profileOf: (poolName) => this.world.profileOf(poolName),
      priceOf: ({ price }) => price,
      hostGroupCount: this.world.ruleBook.hostGroupCount,
    });
    const packing = pack(problem, this.world.settings);
    this.rounds += packing.rounds;
    const queues = lotsByItem.map((group) => group.map((lot) => ({ lot, count: lot.count })));
    const finder = new AlternativeFinder(this.world, this.budgets);
    const inflexible: { lot: Lot; count: number }[] = [];
    for (const packed of packing.nodes) {
      const { node, lots: taken } = this.assemble(packed, machines, queues);
      if (this.world.settings.minValuesPolicy === "BestEffort" || leavesEnoughChoice(node, finder)) this.open(node);
      else inflexible.push(...taken);
    }
    return [...queues.flat(), ...inflexible.map((one) => this.openFlexibly(one, finder))].filter(
      ({ count }) => count > 0,
    );
  }

  /** Puts the lots that packed items stand for on a node, taking them from the heads of their queues. */
  private assemble(packed: PackedNode, machines: readonly Machine[], queues: readonly { lot: Lot; count: number }[][]) {
    const node = newNode(machines[packed.machine]!);
    const profile = this.world.profileOf(node.poolName);
    const lots: { lot: Lot; count: number }[] = [];
    for (const [index, item] of packed.items.entries()) {
      const queue = queues[item]!;
      for (let wanted = packed.counts[index]!; wanted > 0; ) {
        const head = queue[0]!;
        const count = Math.min(wanted, head.count);
        head.count -= count;
        wanted -= count;
        addLot(node, head.lot, count, profile);
        lots.push({ lot: head.lot, count });
        if (head.count === 0) queue.shift();
      }
    }
    return { node, lots };
  }

  private open(node: OpenNode): void {
    this.budgets.buy(node.machine!);
    this.world.openNodes.push(node);
  }

  /** Gives pods nodes of their own that demanded too much of a pool's minValues together. Returns what is left. */
  private openFlexibly(
    { lot, count }: { lot: Lot; count: number },
    finder: AlternativeFinder,
  ): { lot: Lot; count: number } {
    let left = count;
    for (const found of new FlexibleNodes(this.world, this.budgets, finder).nodesFor(lot, count)) {
      this.open(found.node);
      left -= found.count;
    }
    return { lot, count: left };
  }

  /** A lot that found no machine: another pool may have some, or else the pods must ask for less. */
  private retry(lot: Lot, count: number, relaxed: Work[]): void {
    this.hasUnbought = true;
    for (const { staged, count: each } of lot.parts) {
      const unpacked = count * each;
      if (lot.cell) countInDomains(staged.rules, lot.cell.place, -unpacked);
      const minRank = lot.choice.poolRank + 1;
      const work = { planned: staged, stage: staged.stage, minRank, count: unpacked };
      if (lot.choice.isReserved) this.unplaced.push({ staged, count: unpacked, reason: "reservation-taken" });
      else if (minRank < this.world.pools.length) relaxed.push(work);
      else this.relax(work, relaxed);
    }
  }

  private relax({ planned, stage, count }: Work, relaxed: Work[]): void {
    if (this.world.atStage(planned, stage + 1)) {
      relaxed.push({ planned, stage: stage + 1, minRank: 0, count });
      return;
    }
    const staged = this.world.atStage(planned, stage)!;
    const left = this.budgets.isEmpty ? count : growNodes(this.world.newcomer(staged), count, this.world, this.budgets);
    if (left > 0) this.unplaced.push({ staged, count: left, reason: "no-fit" });
  }
}
