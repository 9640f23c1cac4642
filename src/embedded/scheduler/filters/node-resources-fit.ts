import { filterBy, type Preparation, type Situation } from "../node-filter.ts";
import type { Amounts } from "../node-resources.ts";
import type { NodeState } from "../node-state.ts";

/** A resource of which the node has too little left. */
interface Shortage {
  readonly reason: string;
  /** The whole node has too little. */
  readonly isHopeless: boolean;
}

export function nodeResourcesFit({ pod }: Situation): Preparation {
  const wanted = pod.amounts.requested;
  return filterBy((node) => {
    const shortages = shortagesOf(wanted, node);
    if (shortages.length === 0) return undefined;
    return {
      reasons: shortages.map(({ reason }) => reason),
      isResolvable: !shortages.some(({ isHopeless }) => isHopeless),
    };
  });
}

function shortagesOf(wanted: Amounts, { allocatable, requested, pods }: NodeState): Shortage[] {
  const shortages: Shortage[] = [];
  const need = (name: string, amount: number, [capacity, used]: readonly [number, number]) => {
    if (amount > 0 && amount > capacity - used) {
      shortages.push({ reason: `Insufficient ${name}`, isHopeless: amount > capacity });
    }
  };
  if (pods.size + 1 > allocatable.pods) shortages.push({ reason: "Too many pods", isHopeless: false });
  need("cpu", wanted.cpu, [allocatable.cpu, requested.cpu]);
  need("memory", wanted.memory, [allocatable.memory, requested.memory]);
  need("ephemeral-storage", wanted.ephemeralStorage, [allocatable.ephemeralStorage, requested.ephemeralStorage]);
  for (const [name, amount] of wanted.scalars) {
    need(name, amount, [allocatable.scalars.get(name) ?? 0, requested.scalars.get(name) ?? 0]);
  }
  return shortages;
}
