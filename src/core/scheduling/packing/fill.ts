import { roomOnHost } from "../host-state.ts";
import type { Prices } from "./prices.ts";
import type { HostRules, PackedNode, PackingProblem } from "./problem.ts";
import { usableItems } from "./usable-items.ts";

/** Fills machines with items so that what is on them is worth as much as possible. Keeps scratch space between calls. */
export class Filler {
  private readonly problem: PackingProblem;
  readonly prices: Prices;
  /** The most that any item is worth beyond its resources. */
  private readonly largestBonus: number;
  private readonly room: Float64Array;
  private readonly weights: Float64Array;
  private readonly candidates: Int32Array;
  private readonly densities: Float64Array;
  private readonly members: Int32Array;
  /** Groups whose members may not come to the host any more. */
  private owned: number[] = [];
  private touched: number[] = [];
  private readonly countMembers = (group: number): number => this.members[group]!;

  constructor(problem: PackingProblem, prices: Prices) {
    this.problem = problem;
    this.prices = prices;
    this.largestBonus = prices.itemBonus.reduce((most, bonus) => Math.max(most, bonus), 0);
    this.room = new Float64Array(problem.dimensions);
    this.weights = new Float64Array(problem.dimensions);
    this.candidates = new Int32Array(problem.itemCount);
    this.densities = new Float64Array(problem.itemCount);
    this.members = new Int32Array(problem.hostGroupCount);
  }

  /** The most that a full machine could be worth, as a share of its price. */
  bestRatio(machine: number): number {
    const { dimensions, capacity, price } = this.problem;
    const prices = this.prices.clusterOf[machine]! * dimensions;
    let value = 0;
    for (let dimension = 0; dimension < dimensions; dimension++) {
      value += capacity[machine * dimensions + dimension]! * this.prices.resourcePrices[prices + dimension]!;
    }
    return (value + this.largestBonus) / Math.max(price[machine]!, 1e-9);
  }

  /** Builds a full node on an empty machine from what remains; undefined when nothing fits. */
  fillEmpty(machine: number, remaining: Int32Array): PackedNode | undefined {
    const node: PackedNode = { machine, items: [], counts: [], used: new Float64Array(this.problem.dimensions) };
    this.fill(node, remaining, usableItems(this.problem, machine));
    return node.items.length > 0 ? node : undefined;
  }

  /** The items for a machine, those first that are worth most for what they take of the weighed resources. */
  byDensity(machine: number, weights: readonly number[]): Int32Array {
    const { dimensions, capacity, requests, profile } = this.problem;
    const { densities } = this;
    const table = requests[profile[machine]!]!;
    const items = usableItems(this.problem, machine);
    for (const item of items) {
      let size = 1e-12;
      for (let index = 0; index < dimensions; index++) {
        const whole = capacity[machine * dimensions + index]!;
        size += (table[item * dimensions + index]! / Math.max(whole, 1e-12)) * weights[index]!;
      }
      densities[item] = this.prices.itemValue[item]! / size;
    }
    return items.toSorted((a, b) => densities[b]! - densities[a]!);
  }

  /**
   * Fills an empty machine with the items in this order, except that `spared` of the first are left out: what follows
   * may fit better then.
   */
  fillInOrder(machine: number, items: Int32Array, spared: number): PackedNode {
    const { dimensions, capacity, requests, profile, hostRules, counts } = this.problem;
    const table = requests[profile[machine]!]!;
    const node: PackedNode = { machine, items: [], counts: [], used: new Float64Array(dimensions) };
    for (let index = 0; index < dimensions; index++) this.room[index] = capacity[machine * dimensions + index]!;
    for (let rank = 0; rank < items.length; rank++) {
      const item = items[rank]!;
      const rules = hostRules[item];
      const fitting = Math.min(counts[item]!, this.mostThatFit(item, table));
      const most = rules && fitting > 0 ? Math.min(fitting, this.mostOnHost(rules)) : fitting;
      const count = rank === 0 ? most - spared : most;
      if (count <= 0) continue;
      node.items.push(item);
      node.counts.push(count);
      this.use(node, item, count, table);
    }
    this.forgetHosted();
    return node;
  }

  /**
   * Takes, again and again, the item whose requests lie most in the direction of the room that is left, weighed by
   * what resources are worth. An item that does not fit now never will, so it is dropped for good.
   */
  private fill(node: PackedNode, remaining: Int32Array, items: Int32Array): void {
    const { dimensions, capacity, requests, profile, hostRules } = this.problem;
    const { machine } = node;
    const table = requests[profile[machine]!]!;
    const { room, weights, candidates } = this;
    const prices = this.prices.clusterOf[machine]! * dimensions;
    for (let dimension = 0; dimension < dimensions; dimension++) {
      const whole = capacity[machine * dimensions + dimension]!;
      room[dimension] = whole - node.used[dimension]!;
      weights[dimension] = whole > 0 ? this.prices.resourcePrices[prices + dimension]! / whole : 0;
    }
    const priceHere = this.prices.resourcePrices.subarray(prices, prices + dimensions);
    const { itemValue } = this.prices;
    this.countHosted(node);
    let candidateCount = 0;
    for (const item of items) if (remaining[item]! > 0) candidates[candidateCount++] = item;
    candidateCount = thinOut(candidates, candidateCount);
    const base = new Map(node.items.map((item, index) => [item, index]));
    while (candidateCount > 0) {
      let best = -1;
      let bestAt = -1;
      let bestScore = -1;
      for (let at = 0; at < candidateCount; ) {
        const item = candidates[at]!;
        const row = item * dimensions;
        const rules = hostRules[item];
        let score = 0;
        let worthHere = 1e-12;
        let fits = true;
        for (let dimension = 0; dimension < dimensions; dimension++) {
          const need = table[row + dimension]!;
          const left = room[dimension]!;
          if (need > left) {
            fits = false;
            break;
          }
          score += need * left * weights[dimension]!;
          worthHere += need * priceHere[dimension]!;
        }
        // A pod that could go somewhere cheaper is worth less than the room it takes here.
        score = (score * itemValue[item]!) / worthHere + 1e-12;
        if (!fits || (rules && this.mostOnHost(rules) <= 0)) {
          candidates[at] = candidates[--candidateCount]!;
          continue;
        }
        if (score > bestScore) {
          bestScore = score;
          best = item;
          bestAt = at;
        }
        at++;
      }
      if (best < 0) break;
      const index = base.get(best);
      const already = index === undefined ? 0 : node.counts[index]!;
      const fitting = this.mostThatFit(best, table);
      const left = remaining[best]! - already;
      const rules = hostRules[best];
      const most = Math.min(left, fitting, rules ? this.mostOnHost(rules) : left);
      const count = Math.min(most, Math.max(1, fitting >> 2));
      this.add(node, base, best, count, table);
      if (count === left) candidates[bestAt] = candidates[--candidateCount]!;
    }
    this.forgetHosted();
  }

  private add(node: PackedNode, base: Map<number, number>, item: number, count: number, table: Float64Array): void {
    const index = base.get(item);
    if (index === undefined) {
      base.set(item, node.items.length);
      node.items.push(item);
      node.counts.push(count);
    } else {
      node.counts[index]! += count;
    }
    this.use(node, item, count, table);
  }

  private use(node: PackedNode, item: number, count: number, table: Float64Array): void {
    const { dimensions } = this.problem;
    for (let dimension = 0; dimension < dimensions; dimension++) {
      const amount = table[item * dimensions + dimension]! * count;
      this.room[dimension]! -= amount;
      node.used[dimension]! += amount;
    }
    this.countItem(item, count);
  }

  private mostThatFit(item: number, table: Float64Array): number {
    const { dimensions } = this.problem;
    let most = Number.MAX_SAFE_INTEGER;
    for (let dimension = 0; dimension < dimensions; dimension++) {
      const need = table[item * dimensions + dimension]!;
      if (need > 0) most = Math.min(most, Math.floor(this.room[dimension]! / need));
    }
    return most;
  }

  private mostOnHost(rules: HostRules): number {
    return roomOnHost(rules, this.countMembers, this.owned);
  }

  private countHosted(node: PackedNode): void {
    node.items.forEach((item, index) => {
      this.countItem(item, node.counts[index]!);
    });
  }

  private countItem(item: number, count: number): void {
    const rules = this.problem.hostRules[item];
    if (!rules) return;
    for (const group of rules.memberOf) {
      this.members[group]! += count;
      this.touched.push(group);
    }
    for (const group of rules.owns) this.owned.push(group);
  }

  private forgetHosted(): void {
    for (const group of this.touched) {
      this.members[group] = 0;
    }
    this.touched = [];
    this.owned = [];
  }
}

/** Looking at more items than this for one machine takes time and finds little. */
const maxCandidates = 256;

/** Keeps every so manieth of too many candidates, the same ones each time, and returns how many those are. */
function thinOut(candidates: Int32Array, count: number): number {
  const stride = Math.ceil(count / maxCandidates);
  if (stride <= 1) return count;
  let kept = 0;
  for (let at = 0; at < count; at += stride) candidates[kept++] = candidates[at]!;
  return kept;
}
