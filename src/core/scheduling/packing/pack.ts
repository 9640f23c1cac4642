import { construct } from "./construct.ts";
import { downsize } from "./downsize.ts";
import { Filler } from "./fill.ts";
import { improve } from "./improve.ts";
import { lowerBound } from "./lower-bound.ts";
import {
  collectPatterns,
  type MasterSolution,
  type Pattern,
  proposePatterns,
  solveMaster,
  wholePatterns,
} from "./master.ts";
import { costOf, nodeValue } from "./packed-node.ts";
import { marginalPrices, type Prices } from "./prices.ts";
import type { PackedNode, PackingProblem } from "./problem.ts";

export interface Packing {
  readonly nodes: readonly PackedNode[];
  /** How many of each item found no machine. */
  readonly left: Int32Array;
  readonly rounds: number;
}

export interface PackEffort {
  readonly maxRounds: number;
  readonly shouldStop: () => boolean;
}

/** When budgets run out: what the hungriest machine's use of each is thought to cost, in prices of the dearest machine. */
const scarcityWeights: readonly number[] = [0.3, 3, 30];

/**
 * Rounds without a better result after which another would not pay. With few items a round costs next to nothing, but
 * there are few ways to pack a few pods, and they are soon tried.
 */
const patience = { few: { least: 6, perPod: 1 / 4, most: 60 }, many: 12 };

/** With so few items a round takes a millisecond, so that a few are made even in a hurry. */
const fewItems = 16;
const quickRounds = 6;

/** A plan that is above the lower bound by no more than this share is not worth another round. */
const closeEnough = 5e-4;

/** Every so many rounds the best nodes so far are mixed, unless there are too many items for that to be quick. */
const mixEvery = 3;
const proposalsPerMix = 3;
const maxProposedItems = 32;
const maxMixedItems = 120;

/** How far the worth of items moves in a round towards what they really cost in it. */
const learningRate = 0.5;

/**
 * Packs all items at the lowest price. Budgets seldom bind, so at first it takes no notice of them. When they run out
 * before all items have a machine, what eats them is made dearer and dearer: a pod without a node is worse than a node
 * that is not the cheapest.
 */
export function pack(problem: PackingProblem, effort: PackEffort): Packing {
  const unlimited = packAtPrices({ ...problem, budgets: noBudgets(problem) }, effort);
  if (isWithinBudgets(problem, unlimited.nodes)) return unlimited;
  let best = packAtPrices(problem, effort);
  let rounds = unlimited.rounds + best.rounds;
  for (const weight of scarcityWeights) {
    if (itemsLeft(best) === 0 || effort.shouldStop()) break;
    const other = packAtPrices(withScarcity(problem, weight), { ...effort, maxRounds: Math.min(effort.maxRounds, 4) });
    rounds += other.rounds;
    if (itemsLeft(other) < itemsLeft(best)) best = other;
  }
  return { ...best, rounds };
}

/**
 * Packs all items, then packs them anew with what was learned: an item that ended up on a badly filled node was worth
 * more than its price said, and next time it is placed earlier and with better company. Now and then it mixes the best
 * of all nodes seen so far. Keeps the best packing.
 */
function packAtPrices(problem: PackingProblem, effort: PackEffort): Packing {
  const { shouldStop } = effort;
  const isQuick = problem.itemCount > 1 && problem.itemCount <= fewItems;
  const maxRounds = Math.max(effort.maxRounds, isQuick ? quickRounds : 1);
  let prices = marginalPrices(problem);
  let best: Packing | undefined;
  let bestCost = Number.POSITIVE_INFINITY;
  let sinceBetter = 0;
  const patterns = new Map<string, Pattern>();
  // Neither mixing nor improving knows about budgets.
  const isBound = problem.budgets.remaining.length > 0;
  // Proving how cheap it can get is only quick with few items.
  const target = effort.maxRounds > 1 && problem.itemCount <= fewItems ? lowerBound(problem, 3) * (1 + closeEnough) : 0;
  const mostFailures = patienceFor(problem);
  const isMixing = maxRounds > 1 && !isBound && problem.itemCount <= maxMixedItems;
  for (let round = 1; ; round++) {
    const mix = isMixing && round % mixEvery === 0 ? mixPatterns(problem, prices, patterns) : undefined;
    const left = problem.counts.slice();
    const nodes = mix ? wholePatterns([...patterns.values()], mix.amounts, left) : [];
    const filler = new Filler(problem, mix ? { ...prices, itemValue: mix.itemValues } : prices);
    const bound = round === 1 ? (machine: number) => filler.bestRatio(machine) : () => Number.MAX_VALUE;
    nodes.push(...construct(problem, filler, left, bound));
    for (const node of nodes) downsize(problem, node);
    if (isMixing) collectPatterns(patterns, nodes);
    const cost = costOf(problem, nodes) + unplacedPenalty(left);
    if (cost < bestCost * (1 - 1e-4)) sinceBetter = 0;
    else sinceBetter++;
    if (best === undefined || cost < bestCost) {
      bestCost = cost;
      best = { nodes, left, rounds: round };
    }
    if (bestCost <= target) return best!;
    if (round >= maxRounds || sinceBetter >= mostFailures || shouldStop()) break;
    if (!mix) prices = learn(problem, prices, nodes);
  }
  if (effort.maxRounds === 1 || isBound) return best!;
  return { ...best!, nodes: improve(problem, best!.nodes, prices, shouldStop) };
}

function patienceFor({ itemCount, counts }: PackingProblem): number {
  if (itemCount > fewItems) return patience.many;
  const { least, perPod, most } = patience.few;
  return Math.min(most, Math.max(least, perPod * itemsLeft({ left: counts })));
}

/** Alternates between mixing the known patterns and looking for better ones at the values that the mix gives items. */
function mixPatterns(problem: PackingProblem, prices: Prices, patterns: Map<string, Pattern>): MasterSolution {
  let mix = solveMaster(problem, [...patterns.values()]);
  const proposals = problem.itemCount <= maxProposedItems ? proposalsPerMix : 0;
  for (let proposal = 0; proposal < proposals; proposal++) {
    const before = patterns.size;
    proposePatterns(problem, { ...prices, itemValue: mix.itemValues }, patterns);
    if (patterns.size === before) break;
    mix = solveMaster(problem, [...patterns.values()]);
  }
  return mix;
}

function noBudgets({ budgets }: PackingProblem): PackingProblem["budgets"] {
  return { remaining: new Float64Array(0), uses: budgets.uses.map(() => []) };
}

function isWithinBudgets({ budgets }: PackingProblem, nodes: readonly PackedNode[]): boolean {
  const left = budgets.remaining.slice();
  for (const { machine } of nodes) for (const { budget, amount } of budgets.uses[machine]!) left[budget]! -= amount;
  return left.every((amount) => amount >= 0);
}

/** The same machines, each dearer by its share of what the hungriest machine takes of each budget. */
function withScarcity(problem: PackingProblem, weight: number): PackingProblem {
  const { price, budgets } = problem;
  const hungriest = new Float64Array(budgets.remaining.length);
  for (const uses of budgets.uses)
    for (const { budget, amount } of uses) hungriest[budget] = Math.max(hungriest[budget]!, amount);
  const dearest = price.reduce((most, amount) => Math.max(most, amount), 0);
  const scarce = price.map((amount, machine) => {
    let share = 0;
    for (const use of budgets.uses[machine]!) if (use.amount > 0) share += use.amount / hungriest[use.budget]!;
    return amount + weight * dearest * share;
  });
  return { ...problem, price: scarce };
}

function itemsLeft({ left }: Pick<Packing, "left">): number {
  return left.reduce((sum, count) => sum + count, 0);
}

/** No saving is worth a pod without a node. */
function unplacedPenalty(left: Int32Array): number {
  return itemsLeft({ left }) * 1e6;
}

function learn(problem: PackingProblem, prices: Prices, nodes: readonly PackedNode[]): Prices {
  const realized = new Float64Array(problem.itemCount);
  for (const node of nodes) {
    const { machine, items, counts } = node;
    const value = nodeValue(node, prices.itemValue);
    const ratio = value > 0 ? problem.price[machine]! / value : 0;
    items.forEach((item, index) => {
      realized[item]! += counts[index]! * prices.itemValue[item]! * ratio;
    });
  }
  const itemValue = prices.itemValue.map(
    (value, item) => value * (1 - learningRate) + (learningRate * realized[item]!) / Math.max(1, problem.counts[item]!),
  );
  return { ...prices, itemValue };
}
