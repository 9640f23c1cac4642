import type { Clock } from "../ports/clock.ts";

/** Rejects with the reason of the signal as soon as that says so. */
export function pause(clock: Clock, milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) return reject(signal.reason);
    const end = (): void => {
      timer.cancel();
      reject(signal?.reason);
    };
    const timer = clock.after(milliseconds, () => {
      signal?.removeEventListener("abort", end);
      resolve();
    });
    signal?.addEventListener("abort", end, { once: true });
  });
}
