import { seededRandom } from "../../model/seeded-random.ts";
import { construct } from "./construct.ts";
import { downsize } from "./downsize.ts";
import { Filler } from "./fill.ts";
import { costOf, nodeValue } from "./packed-node.ts";
import type { Prices } from "./prices.ts";
import type { PackedNode, PackingProblem } from "./problem.ts";

/** Tries that may fail in a row before another would not pay: a few nodes can be taken apart in few ways. */
const patience = { perNode: 3, most: 150 };

/** How many nodes are taken apart at once, at most. */
const largestNeighbourhood = 16;

/** How many nodes are looked at to find bad ones. */
const lookedAt = 64;

/** A try that asks for a machine whose full worth is below this share of the best one's is not worth making. */
const worthLooking = 0.6;

/**
 * Takes a few nodes apart, those that are worth least for their price first, and packs their items again with values a
 * little off. Keeps what is cheaper. The tries are a function of the arguments: the numbers they draw are always the same.
 */
export function improve(
  problem: PackingProblem,
  packed: readonly PackedNode[],
  prices: Prices,
  shouldStop: () => boolean,
): PackedNode[] {
  const nodes = [...packed];
  const draw = seededRandom(0x9e3779b9);
  const bounds = ratioBounds(problem, prices);
  const mostFailures = Math.min(patience.most, patience.perNode * nodes.length);
  for (let failures = 0; failures < mostFailures && !shouldStop(); ) {
    const chosen = neighbourhood(problem, nodes, prices, draw);
    const left = new Int32Array(problem.itemCount);
    const taken = chosen.map((index) => nodes[index]!);
    for (const { items, counts } of taken) {
      items.forEach((item, at) => {
        left[item]! += counts[at]!;
      });
    }
    const itemValue = prices.itemValue.map((value) => value * (0.75 + draw() * 0.5));
    const filler = new Filler(problem, { ...prices, itemValue });
    const rebuilt = construct(problem, filler, left, (machine) => bounds[machine]!);
    for (const node of rebuilt) downsize(problem, node);
    const isCheaper = costOf(problem, rebuilt) < costOf(problem, taken) - 1e-9;
    if (left.some((count) => count > 0) || !isCheaper) {
      failures++;
      continue;
    }
    failures = 0;
    const gone = new Set(chosen);
    const kept = nodes.filter((_, index) => !gone.has(index));
    nodes.splice(0, nodes.length, ...kept, ...rebuilt);
  }
  return nodes;
}

function ratioBounds(problem: PackingProblem, prices: Prices): Float64Array {
  const filler = new Filler(problem, prices);
  const ratios = Float64Array.from({ length: problem.machineCount }, (_, machine) => filler.bestRatio(machine));
  const best = ratios.reduce((most, ratio) => Math.max(most, ratio), 0);
  return ratios.map((ratio) => (ratio >= best * worthLooking ? Number.MAX_VALUE : ratio));
}

/** Some nodes drawn at random, half of them the worst of a larger draw. */
function neighbourhood(
  problem: PackingProblem,
  nodes: readonly PackedNode[],
  prices: Prices,
  draw: () => number,
): number[] {
  const size = Math.min(nodes.length, 2 + Math.floor(draw() * (largestNeighbourhood - 1)));
  const looked = new Set<number>();
  const wanted = Math.min(nodes.length, lookedAt);
  while (looked.size < wanted) looked.add(Math.floor(draw() * nodes.length));
  const wasted = Array.from(looked, (index) => {
    const node = nodes[index]!;
    const waste = problem.price[node.machine]! - nodeValue(node, prices.itemValue);
    return { index, waste: waste * (0.2 + draw()) };
  });
  wasted.sort((a, b) => b.waste - a.waste);
  const chosen = new Set(wasted.slice(0, Math.ceil(size / 2)).map(({ index }) => index));
  while (chosen.size < size) chosen.add(Math.floor(draw() * nodes.length));
  return [...chosen];
}
