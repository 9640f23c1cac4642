import { growingPause, longestPause } from "../model/growing-pause.ts";

/** How a workload gets on with creating the pods that it is asked for. */
export interface Progress {
  /** When it last created a pod, or since when some have been missing, without the time in which none was. */
  readonly since: number | undefined;
  /** Since when some have been missing, undefined while none is. */
  readonly missingSince: number | undefined;
  /** When it was asked for fewer pods, so that none is missing although it created none. */
  readonly until: number | undefined;
  /** How many times nothing came of its pods in a row. */
  readonly drops: number;
  /** Until then none of its pods are expected, whatever else changes. */
  readonly droppedUntil: number;
}

export interface ProgressNews {
  readonly now: number;
  readonly isMissingPods: boolean;
  /** When it last created a pod, as far as that was seen. */
  readonly createdAt: number;
  /**
   * When kube-controller-manager last created a pod for any workload, for one that it has not come to yet: such a
   * workload waits in its queue, but not for ever: pods of other workloads may be created all day.
   */
  readonly queueMovedAt: number | undefined;
}

export const noProgress: Progress = {
  since: undefined,
  missingSince: undefined,
  until: undefined,
  drops: 0,
  droppedUntil: 0,
};

const patience = 30_000;
const longestQueue = 120_000;

/** Without a pod for half a minute, something keeps the workload from creating them: a webhook, a quota, a controller that is away. */
export function nextProgress(progress: Progress, news: ProgressNews): Progress {
  if (news.now < progress.droppedUntil) return progress;
  return news.isMissingPods ? whileMissing(progress, news) : whileComplete(progress, news);
}

function whileMissing(progress: Progress, { now, createdAt, queueMovedAt }: ProgressNews): Progress {
  const { since, until, drops, missingSince = now } = progress;
  const began = until === undefined ? since : now - (until - (since ?? until));
  const queueLeftAt = Math.min(queueMovedAt ?? 0, missingSince + longestQueue);
  const latest = Math.max(began ?? now, createdAt, queueLeftAt);
  if (now - latest >= patience) {
    const droppedUntil = now + growingPause(drops + 1);
    return { since: now, missingSince: undefined, until: now, drops: drops + 1, droppedUntil };
  }
  const isSame = latest === since && until === undefined && progress.missingSince !== undefined;
  return isSame ? progress : { ...progress, since: latest, missingSince, until: undefined };
}

/** Only pods that were created are progress: an HPA that asks for more and for fewer in turn must not begin anew. */
function whileComplete(progress: Progress, { now, createdAt }: ProgressNews): Progress {
  const { since, until = now, droppedUntil } = progress;
  if (since === undefined || createdAt >= since) return noProgress;
  if (now - Math.max(until, droppedUntil) >= longestPause) return noProgress;
  return progress.until === undefined ? { ...progress, missingSince: undefined, until } : progress;
}
