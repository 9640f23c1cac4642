import type { SchedulingMetrics } from "../../../ports/metric-labels.ts";
import { type Definitions, durationBuckets } from "./definition.ts";
import { controller, nodepool, resource_type } from "./label-meanings.ts";

const scheduling_id = "which pass of the planner";

export const schedulingMetrics: Definitions<SchedulingMetrics> = {
  scheduler_scheduling_duration_seconds: {
    kind: "histogram",
    help: "How long a pass of the planner took.",
    labels: { controller },
    buckets: durationBuckets,
  },
  scheduler_queue_depth: {
    kind: "gauge",
    help: "Pods that the running pass of the planner still has to place.",
    labels: { controller, scheduling_id },
  },
  scheduler_unfinished_work_seconds: {
    kind: "gauge",
    help: "How long the running pass of the planner has taken so far.",
    labels: { controller, scheduling_id },
  },
  scheduler_ignored_pods_count: {
    kind: "gauge",
    help: "Pending pods that are left alone because what they ask for is not valid.",
    labels: {},
  },
  scheduler_unschedulable_pods_count: {
    kind: "gauge",
    help: "Pods for which the last pass found no capacity.",
    labels: { controller },
  },
  scheduler_pending_pods_by_effective_zone_count: {
    kind: "gauge",
    help: "Pending pods by the zone that they can go to.",
    labels: { controller, zone: "the only zone possible, `flexible` for several, `none`" },
  },
  cluster_state_node_count: { kind: "gauge", help: "Nodes and claims in the state of the cluster.", labels: {} },
  cluster_state_synced: {
    kind: "gauge",
    help: "1 when the state of the cluster has every node and claim of the API, otherwise 0.",
    labels: {},
  },
  cluster_state_unsynced_time_seconds: {
    kind: "gauge",
    help: "How long the state of the cluster has been incomplete.",
    labels: {},
  },
  cluster_utilization_percent: {
    kind: "gauge",
    help: "What pods request of all that nodes can give.",
    labels: { resource_type },
  },
  pods_expected: {
    kind: "gauge",
    help: "Pods that workloads still have to create and that plans include. (Not in the Go version.)",
    labels: {},
  },
  pods_expected_outcome_total: {
    kind: "counter",
    help: "Expected pods that were created, or dropped because their workload asks for fewer or creates none. (Not in the Go version.)",
    labels: { outcome: "`created` or `dropped`" },
  },
  nodes_bought_for_dropped_pods_total: {
    kind: "counter",
    help: "Nodes bought for expected pods that were dropped, and for no other pods. (Not in the Go version.)",
    labels: { nodepool },
  },
};
