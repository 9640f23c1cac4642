const minute = 60_000;
const pauses: readonly number[] = [5 * minute, 10 * minute, 20 * minute];
export const longestPause = 30 * minute;

/** How long something is left alone that came to nothing so many times in a row: 5, 10, 20, then 30 minutes. */
export function growingPause(times: number): number {
  return pauses[times - 1] ?? longestPause;
}
