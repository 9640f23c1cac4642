import type { Clock, Timer } from "../../ports/clock.ts";

/** The clock of the machine. Its timers do not keep the process alive: what listens or is awaited does. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after(milliseconds: number, callback: () => void): Timer {
    if (milliseconds <= 0) {
      const immediate = setImmediate(callback);
      return { cancel: () => clearImmediate(immediate) };
    }
    let timeout: NodeJS.Timeout;
    const wait = (left: number): void => {
      // Node would fire a longer timer at once.
      const next = Math.min(left, 2 ** 31 - 1);
      timeout = setTimeout(() => (left > next ? wait(left - next) : callback()), next);
      timeout.unref();
    };
    wait(milliseconds);
    return { cancel: () => clearTimeout(timeout) };
  },
};
