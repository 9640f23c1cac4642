import type { Clock, Timer } from "../../ports/clock.ts";

/** The clock of the machine. Its timers do not keep the process alive: what listens or is awaited does. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after(milliseconds: number, callback: () => void): Timer {
    if (milliseconds <= 0) {
      const immediate = setImmediate(callback);
      return { cancel: () => clearImmediate(immediate) };
    }
    // Node would fire longer timers at once.
    const timeout = setTimeout(callback, Math.min(milliseconds, 2 ** 31 - 1));
    timeout.unref();
    return { cancel: () => clearTimeout(timeout) };
  },
};
