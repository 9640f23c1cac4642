import type { NodeMetrics } from "../../../ports/metric-labels.ts";
import { type Definitions, exponentialBuckets } from "./definition.ts";
import { capacity_type, nodepool, resource_type, zone } from "./label-meanings.ts";

export const disruptionCause = {
  reason: "why, as in `drifted`, `expired`, `registration_timeout`",
  nodepool,
  capacity_type,
  consolidation_policy: "of a consolidation the policy of the pool in snake case, otherwise empty",
  termination_mode: "`graceful`, `eventual` (with a grace period) or `forceful` (without any grace)",
};

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;

const node = {
  node_name: "the node",
  phase: "the phase of the node",
  managed: "`true` when the node is one of ours",
};
const resourceOfNode = { ...node, resource_type };

export const nodeMetrics: Definitions<NodeMetrics> = {
  nodeclaims_created_total: {
    kind: "counter",
    help: "NodeClaims created.",
    labels: {
      reason: "`provisioned`, or why the node that it replaces goes",
      nodepool,
      min_values_relaxed: "`true` when minValues had to give way",
    },
  },
  nodeclaims_terminated_total: {
    kind: "counter",
    help: "NodeClaims that are gone.",
    labels: { nodepool, capacity_type, zone },
  },
  nodeclaims_disrupted_total: {
    kind: "counter",
    help: "NodeClaims that were chosen to go.",
    labels: disruptionCause,
  },
  nodeclaims_unhealthy_disrupted_total: {
    kind: "counter",
    help: "NodeClaims that go because their node is unhealthy.",
    labels: {
      condition: "the condition of the node in snake case",
      nodepool,
      capacity_type,
      image_id: "what the machine was started from",
    },
  },
  nodeclaims_stray_instances_ended_total: {
    kind: "counter",
    help: "Machines without a NodeClaim that were ended.",
    labels: {},
  },
  nodeclaims_instance_termination_duration_seconds: {
    kind: "histogram",
    help: "From when the end of a machine was asked for until it was gone.",
    labels: { nodepool },
    buckets: exponentialBuckets(1, 2, 11),
  },
  nodeclaims_termination_duration_seconds: {
    kind: "histogram",
    help: "From the deletion of a NodeClaim until it was gone.",
    labels: { nodepool },
    buckets: exponentialBuckets(1, 2, 12),
  },
  nodes_created_total: { kind: "counter", help: "Nodes that joined.", labels: { nodepool, zone } },
  nodes_terminated_total: { kind: "counter", help: "Nodes that are gone.", labels: { nodepool, zone } },
  nodes_drained_total: { kind: "counter", help: "Nodes from which all pods are gone.", labels: { nodepool } },
  nodes_termination_duration_seconds: {
    kind: "summary",
    help: "From the deletion of a node until it was gone.",
    labels: { nodepool },
  },
  nodes_lifetime_duration_seconds: {
    kind: "histogram",
    help: "How old nodes were when they went.",
    labels: { nodepool },
    buckets: [
      ...[15, 30, 45].map((minutes) => minutes * minute),
      ...[1, 2, 4, 6, 8, 10, 12, 16, 20].map((hours) => hours * hour),
      ...[1, 2, 3, 5, 10, 15, 20, 25, 30].map((days) => days * day),
    ],
  },
  nodes_allocatable: {
    kind: "gauge",
    help: "What a node can give to pods.",
    labels: resourceOfNode,
    more: "well-known",
  },
  nodes_total_pod_requests: {
    kind: "gauge",
    help: "What the pods on a node request, those of DaemonSets included.",
    labels: resourceOfNode,
    more: "well-known",
  },
  nodes_total_pod_limits: {
    kind: "gauge",
    help: "The limits of the pods on a node, those of DaemonSets included.",
    labels: resourceOfNode,
    more: "well-known",
  },
  nodes_total_daemon_requests: {
    kind: "gauge",
    help: "What the pods of DaemonSets on a node request.",
    labels: resourceOfNode,
    more: "well-known",
  },
  nodes_total_daemon_limits: {
    kind: "gauge",
    help: "The limits of the pods of DaemonSets on a node.",
    labels: resourceOfNode,
    more: "well-known",
  },
  nodes_system_overhead: {
    kind: "gauge",
    help: "What a node has and cannot give to pods.",
    labels: resourceOfNode,
    more: "well-known",
  },
  nodes_current_lifetime_seconds: { kind: "gauge", help: "How old a node is.", labels: node, more: "well-known" },
  nodepools_limit: { kind: "gauge", help: "The limits of a pool.", labels: { resource_type, nodepool } },
  nodepools_usage: { kind: "gauge", help: "What the nodes of a pool add up to.", labels: { resource_type, nodepool } },
  nodepools_cost_total: {
    kind: "gauge",
    help: "What the nodes of a pool cost an hour, in dollars.",
    labels: { nodepool },
  },
  nodepools_cost_tracker_errors_total: {
    kind: "counter",
    help: "Nodes of a pool whose price nobody knew.",
    labels: { nodepool },
  },
  nodepools_allowed_disruptions: {
    kind: "gauge",
    help: "How many nodes of a pool its budgets let go now.",
    labels: { nodepool, reason: "the reason, as budgets write it" },
  },
  nodepools_nodes_consuming_budgets: {
    kind: "gauge",
    help: "How many nodes of a pool count against its budgets now.",
    labels: { nodepool, reason: "the reason, as budgets write it" },
  },
};
