import type { ByNodeClass, ConditionMetrics, GroupKind } from "../../../ports/metric-labels.ts";
import { type Definitions, defaultBuckets, exponentialBuckets } from "./definition.ts";
import { name, namespace } from "./label-meanings.ts";

const state = { type: "the type of the condition", status: "`True`, `False` or `Unknown`" };
const transition = { ...state, reason: "its reason" };
const ofObject = { namespace, name, ...transition };
const pool = { karpenter_sh_nodepool: "the NodePool" };
const poolAndState = { ...pool, karpenter_sh_initialized: "the label that tells initialized nodes" };
const groupKind: Record<keyof GroupKind, string> = { group: "the API group", kind: "the kind" };

const buckets = exponentialBuckets(0.5, 2, 15);

export const claimConditionMetrics: Definitions<ConditionMetrics<"nodeclaim_", ByNodeClass>> = {
  operator_nodeclaim_status_condition_transition_seconds: {
    kind: "histogram",
    help: "How long a condition of a NodeClaim had a status before it got another.",
    labels: { ...state, ...pool },
    more: "node-class",
    buckets,
  },
  operator_nodeclaim_status_condition_transitions_total: {
    kind: "counter",
    help: "Conditions of NodeClaims that got another status.",
    labels: { ...transition, ...pool },
    more: "node-class",
  },
  operator_nodeclaim_status_condition_count: {
    kind: "gauge",
    help: "1 for every condition of a NodeClaim.",
    labels: { ...ofObject, ...pool },
    more: "node-class",
  },
  operator_nodeclaim_status_condition_current_status_seconds: {
    kind: "gauge",
    help: "How long a condition of a NodeClaim has had its status.",
    labels: { ...ofObject, ...pool },
    more: "node-class",
  },
  operator_nodeclaim_termination_current_time_seconds: {
    kind: "gauge",
    help: "How long a NodeClaim has been on its way out.",
    labels: { namespace, name, ...pool },
    more: "node-class",
  },
  operator_nodeclaim_termination_duration_seconds: {
    kind: "histogram",
    help: "How long NodeClaims took to go.",
    labels: pool,
    more: "node-class",
    buckets,
  },
};

export const poolConditionMetrics = plainConditionMetrics("nodepool_", "NodePools");
export const ec2NodeClassConditionMetrics = plainConditionMetrics("ec2nodeclass_", "EC2NodeClasses");

/** Of a kind whose labels say nothing that anybody would ask by. */
function plainConditionMetrics<Prefix extends "nodepool_" | "ec2nodeclass_">(
  prefix: Prefix,
  kinds: string,
): Definitions<ConditionMetrics<Prefix, unknown>> {
  return {
    [`operator_${prefix}status_condition_transition_seconds`]: {
      kind: "histogram",
      help: `How long a condition of ${kinds} had a status before it got another.`,
      labels: state,
      buckets,
    },
    [`operator_${prefix}status_condition_transitions_total`]: {
      kind: "counter",
      help: `Conditions of ${kinds} that got another status.`,
      labels: transition,
    },
    [`operator_${prefix}status_condition_count`]: {
      kind: "gauge",
      help: `1 for every condition of ${kinds}.`,
      labels: ofObject,
    },
    [`operator_${prefix}status_condition_current_status_seconds`]: {
      kind: "gauge",
      help: `How long a condition of ${kinds} has had its status.`,
      labels: ofObject,
    },
    [`operator_${prefix}termination_current_time_seconds`]: {
      kind: "gauge",
      help: `How long ${kinds} have been on their way out.`,
      labels: { namespace, name },
    },
    [`operator_${prefix}termination_duration_seconds`]: {
      kind: "histogram",
      help: `How long ${kinds} took to go.`,
      labels: {},
      buckets,
    },
  } as Definitions<ConditionMetrics<Prefix, unknown>>;
}

export const nodeConditionMetrics: Definitions<ConditionMetrics<"node_", ByNodeClass>> = {
  operator_node_status_condition_transition_seconds: {
    kind: "histogram",
    help: "How long a condition of a node had a status before it got another.",
    labels: { ...state, ...poolAndState },
    more: "node-class",
    buckets,
  },
  operator_node_status_condition_transitions_total: {
    kind: "counter",
    help: "Conditions of nodes that got another status.",
    labels: { ...transition, ...poolAndState },
    more: "node-class",
  },
  operator_node_status_condition_count: {
    kind: "gauge",
    help: "1 for every condition of a node.",
    labels: { ...ofObject, ...poolAndState },
    more: "node-class",
  },
  operator_node_status_condition_current_status_seconds: {
    kind: "gauge",
    help: "How long a condition of a node has had its status.",
    labels: { ...ofObject, ...poolAndState },
    more: "node-class",
  },
  operator_node_termination_current_time_seconds: {
    kind: "gauge",
    help: "How long a node has been on its way out.",
    labels: { namespace, name, ...poolAndState },
    more: "node-class",
  },
  operator_node_termination_duration_seconds: {
    kind: "histogram",
    help: "How long nodes took to go.",
    labels: poolAndState,
    more: "node-class",
    buckets,
  },
};

/** Of NodeClaims and NodePools together. */
export const oldConditionMetrics: Definitions<ConditionMetrics<"", GroupKind>> = {
  operator_status_condition_transition_seconds: {
    kind: "histogram",
    help: "Deprecated: see the metric of each kind.",
    labels: { ...state, ...groupKind },
    buckets: defaultBuckets,
  },
  operator_status_condition_transitions_total: {
    kind: "counter",
    help: "Deprecated: see the metric of each kind.",
    labels: { ...transition, ...groupKind },
  },
  operator_status_condition_count: {
    kind: "gauge",
    help: "Deprecated: see the metric of each kind.",
    labels: { ...ofObject, ...groupKind },
  },
  operator_status_condition_current_status_seconds: {
    kind: "gauge",
    help: "Deprecated: see the metric of each kind.",
    labels: { ...ofObject, ...groupKind },
  },
  operator_termination_current_time_seconds: {
    kind: "gauge",
    help: "Deprecated: see the metric of each kind.",
    labels: { namespace, name, ...groupKind },
  },
  operator_termination_duration_seconds: {
    kind: "histogram",
    help: "Deprecated: see the metric of each kind.",
    labels: groupKind,
    buckets: defaultBuckets,
  },
};
