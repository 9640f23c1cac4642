import type { Clock } from "../ports/clock.ts";
import type { Metrics } from "../ports/telemetry.ts";

/** Shows whether all that is there has been seen: also to whoever does not lead, and before anybody does. */
export function reportSync(
  isSynced: () => boolean,
  { clock, metrics }: { readonly clock: Clock; readonly metrics: Pick<Metrics, "collect"> },
): () => void {
  let syncedAt = clock.now();
  return metrics.collect(() => {
    const now = clock.now();
    if (isSynced()) syncedAt = now;
    return {
      cluster_state_synced: [{ labels: {}, value: isSynced() ? 1 : 0 }],
      cluster_state_unsynced_time_seconds: [{ labels: {}, value: (now - syncedAt) / 1000 }],
    };
  });
}
