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

export const poolConditionMetrics: Definitions<ConditionMetrics<"nodepool_", unknown>> = {
  operator_nodepool_status_condition_transition_seconds: {
    kind: "histogram",
    help: "How long a condition of a NodePool had a status before it got another.",
    labels: state,
    buckets,
  },
  operator_nodepool_status_condition_transitions_total: {
    kind: "counter",
    help: "Conditions of NodePools that got another status.",
    labels: transition,
  },
  operator_nodepool_status_condition_count: {
    kind: "gauge",
    help: "1 for every condition of a NodePool.",
    labels: ofObject,
  },
  operator_nodepool_status_condition_current_status_seconds: {
    kind: "gauge",
    help: "How long a condition of a NodePool has had its status.",
    labels: ofObject,
  },
  operator_nodepool_termination_current_time_seconds: {
    kind: "gauge",
    help: "How long a NodePool has been on its way out.",
    labels: { namespace, name },
  },
  operator_nodepool_termination_duration_seconds: {
    kind: "histogram",
    help: "How long NodePools took to go.",
    labels: {},
    buckets,
  },
};

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
