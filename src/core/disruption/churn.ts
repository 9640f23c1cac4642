const hour = 3_600_000;
/** In however small a cluster. */
const leastMoves = 20;
/** Moves within so much time are written down as one. */
const grain = 300_000;

/** On a pool: how many of its pods were moved by choice within the last hour, and when. */
export const movedPodsAnnotation = "karpenter.sh/moved-pods";

export interface PastMove {
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly pods: number;
}

export interface ChurnQuestion {
  /** How many there are. */
  readonly pods: number;
  /** How many of them may be moved within an hour. */
  readonly percentPerHour: number;
  readonly now: number;
}

export interface Churn {
  readonly moved: number;
  readonly most: number;
  /** How many pods may still be moved. */
  readonly left: number;
  /** When the next may be; now unless none is left. */
  readonly until: number;
}

/** Whether more pods may be moved after those of the last hour. */
export function judgeChurn(moves: readonly PastMove[], { pods, percentPerHour, now }: ChurnQuestion): Churn {
  const most = Math.max(leastMoves, Math.floor((pods * percentPerHour) / 100));
  const recent = [...recentMoves(moves, now)].sort((left, right) => left.time - right.time);
  const moved = recent.reduce((sum, move) => sum + move.pods, 0);
  let remaining = moved;
  let until = now;
  for (const move of recent) {
    if (remaining < most) break;
    remaining -= move.pods;
    until = move.time + hour;
  }
  return { moved, most, left: Math.max(0, most - moved), until };
}

function recentMoves(moves: readonly PastMove[], now: number): readonly PastMove[] {
  return moves.filter(({ time }) => now - time < hour);
}

export function describeStop({ moved, most, until }: Churn): string {
  const time = new Date(until).toISOString();
  return `${moved} pods were moved within an hour and ${most} may be, so no more nodes go by choice until ${time}`;
}

/** A move of so many pods has to wait. */
export function describeLeftOut({ moved, most }: Churn, pods: number): string {
  return `${moved} pods are moved within an hour and ${most} may be, which is too few for a move of ${pods} more`;
}

/** Those that still count, as in `2026-01-01T12:00:00.000Z=24,2026-01-01T12:10:00.000Z=3`. Never more than fourteen. */
export function writeMoves(moves: readonly PastMove[], now: number): string {
  const grains = new Map<number, PastMove>();
  for (const { time, pods } of recentMoves(moves, now)) {
    const key = Math.floor(time / grain);
    const known = grains.get(key);
    grains.set(key, { time: Math.max(time, known?.time ?? time), pods: pods + (known?.pods ?? 0) });
  }
  return [...grains]
    .sort(([left], [right]) => left - right)
    .map(([, { time, pods }]) => `${new Date(time).toISOString()}=${pods}`)
    .join(",");
}

/** What cannot be understood, or has not been yet, does not count. */
export function readMoves(text: string, now: number): readonly PastMove[] {
  const moves = text.split(",").flatMap((part) => {
    const [written = "", count = ""] = part.split("=");
    const time = Date.parse(written);
    return /^\d{1,9}$/.test(count) && time <= now ? [{ time, pods: Number(count) }] : [];
  });
  return recentMoves(moves, now);
}
