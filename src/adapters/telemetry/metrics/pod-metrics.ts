import type { PodMetrics } from "../../../ports/metric-labels.ts";
import { type Definitions, durationBuckets } from "./definition.ts";
import { capacity_type, name, namespace, nodepool, zone } from "./label-meanings.ts";
import { disruptionCause } from "./node-metrics.ts";

export const podMetrics: Definitions<PodMetrics> = {
  pods_scheduling_decision_duration_seconds: {
    kind: "histogram",
    help: "From when a pending pod was seen to the first decision about it.",
    labels: {},
    buckets: durationBuckets,
  },
  pods_state: {
    kind: "gauge",
    help: "1 for every pod, with all that is known of it as labels.",
    labels: {
      name,
      namespace,
      owner: "the path of its owner in the API",
      node: "the node it is bound to",
      scheduled: "`true` when it is bound",
      nodepool,
      zone,
      arch: "the architecture of its node",
      capacity_type,
      instance_type: "the instance type of its node",
      phase: "its phase",
      ready: "the status of its condition Ready",
      managed: "`true` when its node is one of ours",
    },
  },
  pods_startup_duration_seconds: {
    kind: "summary",
    help: "From the creation of a pod to Ready.",
    labels: {},
  },
  pods_unstarted_time_seconds: {
    kind: "gauge",
    help: "How long a pod has existed without being Ready.",
    labels: { name, namespace },
  },
  pods_unbound_time_seconds: {
    kind: "gauge",
    help: "How long a pod has existed without being bound.",
    labels: { name, namespace },
  },
  pods_bound_duration_seconds: {
    kind: "histogram",
    help: "From the creation of a pod to its binding.",
    labels: {},
    buckets: durationBuckets,
  },
  pods_provisioning_bound_duration_seconds: {
    kind: "histogram",
    help: "From the first decision that there is a place for a pod to its binding.",
    labels: {},
    buckets: durationBuckets,
  },
  pods_provisioning_startup_duration_seconds: {
    kind: "histogram",
    help: "From the first decision that there is a place for a pod to Ready.",
    labels: {},
    buckets: durationBuckets,
  },
  pods_provisioning_unbound_time_seconds: {
    kind: "gauge",
    help: "How long a pod has had a place without being bound.",
    labels: { name, namespace },
  },
  pods_provisioning_unstarted_time_seconds: {
    kind: "gauge",
    help: "How long a pod has had a place without being Ready.",
    labels: { name, namespace },
  },
  pods_provisioning_scheduling_undecided_time_seconds: {
    kind: "gauge",
    help: "How long a pod has been pending without a decision.",
    labels: { name, namespace },
  },
  pods_eviction_requests_total: {
    kind: "counter",
    help: "Evictions asked for, by what the API answered.",
    labels: { code: "the HTTP status of the answer" },
  },
  pods_drained_total: {
    kind: "counter",
    help: "Pods that left a node because it goes.",
    labels: { reason: "why the node goes, or `Forceful Termination`" },
  },
  pods_disruption_initiated_total: {
    kind: "counter",
    help: "Pods that have to move because their node was chosen to go.",
    labels: disruptionCause,
  },
};
