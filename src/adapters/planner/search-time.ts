const atLeast = 1_000;
const perNode = 4;
/** The fleet changes meanwhile, and a thread that answers nobody for too long is given up. */
const atMost = 30_000;

/** How long a search among so many nodes goes on at most, in milliseconds. */
export function searchTime(nodes: number): number {
  return Math.min(atLeast + nodes * perNode, atMost);
}
