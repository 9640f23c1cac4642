import type { MetricName } from "../../../ports/telemetry.ts";

/** Metrics that dashboards find, and that nothing gives a number to yet. A test holds this to the code. */
export const emptyMetrics: ReadonlySet<MetricName> = new Set<MetricName>([
  "scheduler_unfinished_work_seconds",
  "scheduler_pending_pods_by_effective_zone_count",
  "pods_provisioning_scheduling_undecided_time_seconds",
  // Limits of pods are not read.
  "nodes_total_pod_limits",
  "nodes_total_daemon_limits",
  // No node is replaced by choice.
  "nodepools_allowed_disruptions",
  "nodepools_nodes_consuming_budgets",
  "voluntary_disruption_decision_evaluation_duration_seconds",
  "voluntary_disruption_decisions_total",
  "voluntary_disruption_decisions_by_nodepool_total",
  "voluntary_disruption_eligible_nodes",
  "voluntary_disruption_consolidation_timeouts_total",
  "voluntary_disruption_failed_validations_total",
  "voluntary_disruption_queue_failures_total",
  "consolidation_score",
  "consolidation_moves_total",
]);
