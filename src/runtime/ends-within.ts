import type { Clock } from "../ports/clock.ts";

/** Whether the work is over by then; it goes on all the same. Rejects when it fails before. */
export async function endsWithin(milliseconds: number, clock: Clock, work: Promise<unknown>): Promise<boolean> {
  const late = Promise.withResolvers<false>();
  const timer = clock.after(milliseconds, () => late.resolve(false));
  try {
    return await Promise.race([work.then(() => true), late.promise]);
  } finally {
    timer.cancel();
  }
}
