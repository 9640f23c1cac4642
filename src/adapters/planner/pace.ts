import type { Pace } from "../../core/scheduling/choose-plan.ts";

/** A plan is improved for at most this long: some time for everybody, and more for more pods. */
const improvementMilliseconds = 100;
const improvementMillisecondsPerPod = 0.2;
/** Few pods can be placed in few ways. */
const mostMillisecondsPerPod = 5;
/** Where one plan has taken so many times as long, there is not another. */
const mostPatience = 3;
const maxRounds = 200;

/** Time of this thread: on a machine that others keep busy a plan is as good as on an idle one, and takes longer. */
export function paceFor(pods: number): Pace {
  const allowed = improvementMilliseconds + pods * improvementMillisecondsPerPod;
  const improvement = Math.min(allowed, pods * mostMillisecondsPerPod);
  const started = spent();
  return {
    effort: (share) => {
      const until = spent() + improvement * share;
      return { maxRounds, shouldStop: () => spent() >= until };
    },
    isLate: () => spent() >= started + allowed * mostPatience,
  };
}

/** Milliseconds of a processor. */
function spent(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
