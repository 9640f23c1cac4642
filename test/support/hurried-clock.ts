import type { Clock } from "../../src/ports/clock.ts";

/** Nobody waits by this one, and no time passes. */
export const hurriedClock: Clock = {
  now: () => 0,
  after: (_, callback) => {
    queueMicrotask(callback);
    return { cancel: () => {} };
  },
};
