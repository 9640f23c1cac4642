const hour = 3_600_000;

/** How much may be moved by our decision in an hour. */
export interface ChurnLimit {
  /** For each pod in the cluster. */
  readonly movesPerPod: number;
  /** In however small a cluster. */
  readonly leastMoves: number;
}

const defaultChurnLimit: ChurnLimit = { movesPerPod: 1, leastMoves: 20 };

export interface PastMove {
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly pods: number;
}

export type ChurnVerdict =
  /** How many pods may still be moved. */
  | { readonly isStopped: false; readonly left: number }
  /** When the next may be. */
  | { readonly isStopped: true; readonly until: number; readonly moved: number; readonly most: number };

/** Whether more pods may be moved after those of the last hour. */
export function judgeChurn(
  moves: readonly PastMove[],
  { pods, now }: { readonly pods: number; readonly now: number },
  { movesPerPod, leastMoves }: ChurnLimit = defaultChurnLimit,
): ChurnVerdict {
  const most = Math.max(leastMoves, Math.floor(pods * movesPerPod));
  const recent = [...recentMoves(moves, now)].sort((left, right) => left.time - right.time);
  const moved = recent.reduce((sum, move) => sum + move.pods, 0);
  if (moved < most) return { isStopped: false, left: most - moved };
  let remaining = moved;
  let until = now;
  for (const move of recent) {
    remaining -= move.pods;
    until = move.time + hour;
    if (remaining < most) break;
  }
  return { isStopped: true, until, moved, most };
}

/** Those that still count; the others can be forgotten. */
export function recentMoves(moves: readonly PastMove[], now: number): readonly PastMove[] {
  return moves.filter(({ time }) => now - time < hour);
}

export function describeChurn({ moved, most, until }: Extract<ChurnVerdict, { readonly isStopped: true }>): string {
  const time = new Date(until).toISOString();
  return `${moved} pods were moved within an hour and ${most} may be, so no more nodes go by choice until ${time}`;
}
