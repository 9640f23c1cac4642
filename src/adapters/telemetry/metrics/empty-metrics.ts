import type { MetricName } from "../../../ports/telemetry.ts";

/** Metrics that dashboards find, and that nothing gives a number to yet. A test holds this to the code. */
export const emptyMetrics: ReadonlySet<MetricName> = new Set<MetricName>([
  "scheduler_unfinished_work_seconds",
  "scheduler_pending_pods_by_effective_zone_count",
  "pods_provisioning_scheduling_undecided_time_seconds",
  // Limits of pods are not read.
  "nodes_total_pod_limits",
  "nodes_total_daemon_limits",
]);
