/** What a score looks at: millicores and bytes. */
export interface Amounts {
  readonly cpu: number;
  readonly memory: number;
}

export const highestScore = 100;

/** What kube-scheduler takes a pod that asks for no cpu, or no memory, to need when it compares nodes. */
export const assumedRequests: Amounts = { cpu: 100, memory: 200 * 1024 * 1024 };

/** NodeResourcesFit with LeastAllocated: the emptier the node would be, the better. `used` has the pod in it already. */
export function leastAllocated(used: Amounts, capacity: Amounts): number {
  if (capacity.cpu === 0 && capacity.memory === 0) return 0;
  if (capacity.cpu === 0) return freePercent(used.memory, capacity.memory);
  if (capacity.memory === 0) return freePercent(used.cpu, capacity.cpu);
  return Math.floor((freePercent(used.cpu, capacity.cpu) + freePercent(used.memory, capacity.memory)) / 2);
}

/** NodeResourcesBalancedAllocation: the more evenly the node would be used, compared with now, the better. */
export function balancedAllocation(used: Amounts, more: Amounts, capacity: Amounts): number {
  const half = highestScore / 2;
  const after = balance(used.cpu + more.cpu, used.memory + more.memory, capacity);
  return half + Math.floor((half + after - balance(used.cpu, used.memory, capacity)) / 2);
}

function freePercent(used: number, capacity: number): number {
  return used > capacity ? 0 : Math.floor(((capacity - used) * highestScore) / capacity);
}

function balance(cpu: number, memory: number, capacity: Amounts): number {
  if (capacity.cpu === 0 || capacity.memory === 0) return highestScore;
  const difference = Math.min(1, cpu / capacity.cpu) - Math.min(1, memory / capacity.memory);
  return Math.floor((1 - Math.abs(difference / 2)) * highestScore);
}
