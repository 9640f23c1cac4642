/** What the second wave depends on, in seconds since the start. */
export interface Waves {
  /** When each NodeClaim was created. */
  readonly claimsCreatedAt: readonly number[];
  readonly lastPodCreatedAt: number;
  readonly firstNodeReadyAt: number;
}

/** A controller that creates NodeClaims for one plan pauses less than that. */
const pauseSeconds = 3;

/**
 * When the second wave of NodeClaims began: the first claim that comes after a pause of 3 s, and not before all pods
 * exist or a first node is Ready. Undefined when there is none.
 *
 * By then the controller could know all that it needs, so a later claim corrects its first answer: a pod was not where
 * the plan had it, or the plan was short of nodes. A pause alone does not tell: while pods still arrive, a controller
 * that orders for those it has seen is right to order again. After the first node is Ready it is not, as pods that
 * arrive late then wait for one boot time more. With no boot time that is soon, and so the number says little about a
 * controller that does not look ahead: each of its batches but the first counts.
 */
export function startOfSecondWave({ claimsCreatedAt, lastPodCreatedAt, firstNodeReadyAt }: Waves): number | undefined {
  const times = claimsCreatedAt.toSorted((a, b) => a - b);
  const firstWaveUntil = Math.min(lastPodCreatedAt, firstNodeReadyAt);
  return times.find((time, index) => {
    const before = times[index - 1];
    return before !== undefined && time - before >= pauseSeconds && time >= firstWaveUntil;
  });
}
