import type { DisruptionMetrics } from "../../../ports/metric-labels.ts";
import { type Definitions, durationBuckets } from "./definition.ts";
import { consolidation_type, decision, disruptionReason, nodepool } from "./label-meanings.ts";

const taken = { decision, reason: disruptionReason, consolidation_type };
const move = { decision: "`approved` or `rejected`", nodepool, policy: "the consolidation policy of the pool" };

export const disruptionMetrics: Definitions<DisruptionMetrics> = {
  voluntary_disruption_decision_evaluation_duration_seconds: {
    kind: "histogram",
    help: "How long it took to decide whether nodes should go.",
    labels: { reason: disruptionReason, consolidation_type },
    buckets: durationBuckets,
  },
  voluntary_disruption_decisions_total: {
    kind: "counter",
    help: "Decisions to let nodes go.",
    labels: taken,
  },
  voluntary_disruption_decisions_by_nodepool_total: {
    kind: "counter",
    help: "Decisions to let nodes go, for each pool that they concern.",
    labels: { nodepool, ...taken },
  },
  voluntary_disruption_eligible_nodes: {
    kind: "gauge",
    help: "Nodes that may go.",
    labels: { reason: disruptionReason },
  },
  voluntary_disruption_consolidation_timeouts_total: {
    kind: "counter",
    help: "Searches for a consolidation that were ended because they took too long.",
    labels: { consolidation_type },
  },
  voluntary_disruption_failed_validations_total: {
    kind: "counter",
    help: "Nodes whose consolidation was dropped because it no longer held when it was looked at again.",
    labels: { consolidation_type },
  },
  voluntary_disruption_queue_failures_total: {
    kind: "counter",
    help: "Decisions to let nodes go that could not be carried out.",
    labels: taken,
  },
  voluntary_disruption_stopped: {
    kind: "gauge",
    help: "1 while moves that would save money wait because too many pods were moved within an hour. (Not in the Go version.)",
    labels: {},
  },
  consolidation_score: {
    kind: "histogram",
    help: "How much a consolidation saves for the disruption that it is.",
    labels: move,
    buckets: [0.1, 0.25, 0.33, 0.5, 1, 2, 5, 10],
  },
  consolidation_moves_total: { kind: "counter", help: "Consolidations that were weighed.", labels: move },
};
