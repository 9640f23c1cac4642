import { scoredRequests } from "../node-resources.ts";
import type { NodeState } from "../node-state.ts";
import { highestScore, type NodeScorer } from "./node-score.ts";

interface Share {
  readonly used: number;
  readonly capacity: number;
}

/** The emptier the node would be, the better. */
export const leastAllocatedScore: NodeScorer = ({ pod }, nodes) => {
  const wanted = scoredRequests(pod.pod);
  return nodes.map(({ assumed, allocatable }) => {
    const shares = [
      { used: assumed.cpu + wanted.cpu, capacity: allocatable.cpu },
      { used: assumed.memory + wanted.memory, capacity: allocatable.memory },
    ].filter(hasCapacity);
    if (shares.length === 0) return 0;
    return Math.floor(shares.reduce((sum, share) => sum + freePercent(share), 0) / shares.length);
  });
};

function hasCapacity({ capacity }: Share): boolean {
  return capacity !== 0;
}

function freePercent({ used, capacity }: Share): number {
  return used > capacity ? 0 : Math.floor(((capacity - used) * highestScore) / capacity);
}

/** The more evenly cpu and memory would be used compared with now, the better. A pod that asks for neither changes nothing. */
export const balancedAllocationScore: NodeScorer = ({ pod }, nodes) => {
  const { cpu, memory } = pod.amounts.requested;
  if (cpu === 0 && memory === 0) return undefined;
  const half = highestScore / 2;
  return nodes.map((node) => half + Math.floor((half + balance(node, { cpu, memory }) - balance(node)) / 2));
};

function balance({ requested, allocatable }: NodeState, more = { cpu: 0, memory: 0 }): number {
  const [first, second] = [
    { used: requested.cpu + more.cpu, capacity: allocatable.cpu },
    { used: requested.memory + more.memory, capacity: allocatable.memory },
  ]
    .filter(hasCapacity)
    .map(({ used, capacity }) => Math.min(1, used / capacity));
  const deviation = first === undefined || second === undefined ? 0 : Math.abs((first - second) / 2);
  return Math.floor((1 - deviation) * highestScore);
}
