import type { Clock } from "../../ports/clock.ts";

/** What each object may cost of the time between two refreshes: at 5,000 objects they are shown every 25 seconds. */
const millisecondsPerObject = 5;
const objectsAtOnce = 200;

/** Large clusters are shown less often, so that showing them takes no notable share of a processor. */
export function refreshInterval(usual: number, objects: number): number {
  return Math.max(usual, objects * millisecondsPerObject);
}

/** Acts on each, and lets others have their turn now and then: a lease does not wait for a dashboard. */
export async function forEachGently<T>(clock: Clock, items: readonly T[], act: (item: T) => void): Promise<void> {
  for (let first = 0; first < items.length; first += objectsAtOnce) {
    if (first > 0) {
      await new Promise<void>((resolve) => {
        clock.after(0, resolve);
      });
    }
    for (const item of items.slice(first, first + objectsAtOnce)) act(item);
  }
}
