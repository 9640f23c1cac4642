/**
 * Every metric that is served, with its labels. On the wire all but those of the runtime and of conditions have
 * `karpenter_` before their name.
 */
export interface MetricLabels
  extends SchedulingMetrics,
    PodMetrics,
    NodeMetrics,
    DisruptionMetrics,
    ProcessMetrics,
    AwsMetrics,
    RuntimeMetrics,
    ConditionMetrics<"nodeclaim_", ByNodeClass>,
    ConditionMetrics<"nodepool_", unknown>,
    ConditionMetrics<"node_", ByNodeClass>,
    ConditionMetrics<"ec2nodeclass_", unknown>,
    ConditionMetrics<"", GroupKind> {}

export interface ProcessMetrics {
  build_info: { version: string; goversion: string; goarch: string; commit: string };
  cloudprovider_duration_seconds: { controller: string; method: string; provider: string };
  cloudprovider_errors_total: { controller: string; method: string; provider: string; error: string };
  /** Events that were not written. */
  events_dropped_total: { reason: "rate_limited" | "queue_full" | "failed" };
}

/** Only of the AWS provider. */
export interface AwsMetrics {
  cloudprovider_instance_type_cpu_cores: { instance_type: string };
  cloudprovider_instance_type_memory_bytes: { instance_type: string };
  cloudprovider_instance_type_offering_available: OfferingLabels;
  cloudprovider_instance_type_offering_price_estimate: OfferingLabels;
  cloudprovider_instance_launch_failures_total: {
    zone: string;
    zone_id: string;
    capacity_type: string;
    reason: string;
  };
  cloudprovider_instance_termination_failures_total: { zone: string; zone_id: string };
  cloudprovider_batcher_batch_size: { batcher: string };
  cloudprovider_batcher_batch_time_seconds: { batcher: string };
  interruption_received_messages_total: { message_type: string };
  interruption_deleted_messages_total: NoLabels;
  interruption_message_queue_duration_seconds: NoLabels;
  interruption_instance_status_unhealthy_total: { category: string };
  ec2nodeclasses_userdata_bytes: { nodeclass: string };
  /** Calls that AWS answered, or did not. */
  aws_requests_total: { service: string; operation: string; code: string };
  aws_request_duration_seconds: { service: string; operation: string };
}

interface OfferingLabels {
  instance_type: string;
  capacity_type: string;
  zone: string;
}

export interface SchedulingMetrics {
  scheduler_scheduling_duration_seconds: { controller: string };
  scheduler_queue_depth: { controller: string; scheduling_id: string };
  scheduler_unfinished_work_seconds: { controller: string; scheduling_id: string };
  scheduler_ignored_pods_count: NoLabels;
  scheduler_unschedulable_pods_count: { controller: string };
  scheduler_pending_pods_by_effective_zone_count: { controller: string; zone: string };
  cluster_state_node_count: NoLabels;
  cluster_state_synced: NoLabels;
  cluster_state_unsynced_time_seconds: NoLabels;
  cluster_utilization_percent: { resource_type: string };
  /** Pods that workloads still have to create and that plans include. */
  pods_expected: NoLabels;
  pods_expected_outcome_total: { outcome: "created" | "dropped" };
  nodes_bought_for_dropped_pods_total: { nodepool: string };
}

export interface PodMetrics {
  pods_scheduling_decision_duration_seconds: NoLabels;
  pods_state: {
    name: string;
    namespace: string;
    owner: string;
    node: string;
    scheduled: string;
    nodepool: string;
    zone: string;
    arch: string;
    capacity_type: string;
    instance_type: string;
    phase: string;
    ready: string;
    managed: string;
  };
  pods_startup_duration_seconds: NoLabels;
  pods_unstarted_time_seconds: NamespacedName;
  pods_unbound_time_seconds: NamespacedName;
  pods_bound_duration_seconds: NoLabels;
  pods_provisioning_bound_duration_seconds: NoLabels;
  pods_provisioning_startup_duration_seconds: NoLabels;
  pods_provisioning_unbound_time_seconds: NamespacedName;
  pods_provisioning_unstarted_time_seconds: NamespacedName;
  pods_provisioning_scheduling_undecided_time_seconds: NamespacedName;
  pods_eviction_requests_total: { code: string };
  pods_drained_total: { reason: string };
  pods_disruption_initiated_total: DisruptionCause;
}

export interface NodeMetrics {
  nodeclaims_created_total: { reason: string; nodepool: string; min_values_relaxed: string };
  nodeclaims_terminated_total: { nodepool: string; capacity_type: string; zone: string };
  nodeclaims_disrupted_total: DisruptionCause;
  nodeclaims_unhealthy_disrupted_total: {
    condition: string;
    nodepool: string;
    capacity_type: string;
    image_id: string;
  };
  /** Machines without a NodeClaim that were ended. */
  nodeclaims_stray_instances_ended_total: NoLabels;
  nodeclaims_instance_termination_duration_seconds: { nodepool: string };
  nodeclaims_termination_duration_seconds: { nodepool: string };
  nodes_created_total: { nodepool: string; zone: string };
  nodes_terminated_total: { nodepool: string; zone: string };
  nodes_drained_total: { nodepool: string };
  nodes_termination_duration_seconds: { nodepool: string };
  nodes_lifetime_duration_seconds: { nodepool: string };
  nodes_allocatable: NodeLabels;
  nodes_total_pod_requests: NodeLabels;
  nodes_total_pod_limits: NodeLabels;
  nodes_total_daemon_requests: NodeLabels;
  nodes_total_daemon_limits: NodeLabels;
  nodes_system_overhead: NodeLabels;
  nodes_current_lifetime_seconds: NodeLabels;
  nodepools_limit: { resource_type: string; nodepool: string };
  nodepools_usage: { resource_type: string; nodepool: string };
  nodepools_cost_total: { nodepool: string };
  nodepools_cost_tracker_errors_total: { nodepool: string };
  nodepools_allowed_disruptions: { nodepool: string; reason: string };
  nodepools_nodes_consuming_budgets: { nodepool: string; reason: string };
}

export interface DisruptionMetrics {
  voluntary_disruption_decision_evaluation_duration_seconds: { reason: string; consolidation_type: string };
  voluntary_disruption_decisions_total: DisruptionDecision;
  voluntary_disruption_decisions_by_nodepool_total: DisruptionDecision & { nodepool: string };
  voluntary_disruption_eligible_nodes: { reason: string };
  voluntary_disruption_consolidation_timeouts_total: { consolidation_type: string };
  voluntary_disruption_failed_validations_total: { consolidation_type: string };
  voluntary_disruption_queue_failures_total: DisruptionDecision;
  /** 1 while too many pods were moved lately for more nodes to go by choice. */
  voluntary_disruption_stopped: NoLabels;
  consolidation_score: { decision: string; nodepool: string; policy: string };
  consolidation_moves_total: { decision: string; nodepool: string; policy: string };
}

export interface RuntimeMetrics {
  controller_runtime_reconcile_total: {
    controller: string;
    result: "success" | "error" | "requeue" | "requeue_after";
  };
  controller_runtime_reconcile_errors_total: { controller: string };
  controller_runtime_reconcile_time_seconds: { controller: string };
  controller_runtime_max_concurrent_reconciles: { controller: string };
  controller_runtime_active_workers: { controller: string };
  workqueue_depth: QueueName & { priority: string };
  workqueue_adds_total: QueueName;
  workqueue_retries_total: QueueName;
  workqueue_queue_duration_seconds: QueueName;
  workqueue_work_duration_seconds: QueueName;
  workqueue_unfinished_work_seconds: QueueName;
  workqueue_longest_running_processor_seconds: QueueName;
  leader_election_master_status: { name: string };
  /** The method is that of HTTP; the code is `<error>` when there was no answer. */
  client_go_request_total: { code: string; method: string };
  /** The verb is that of Kubernetes, as in `CREATE` and `LIST`; the kind is the plural name. */
  client_go_request_duration_seconds: {
    verb: string;
    group: string;
    version: string;
    kind: string;
    subresource: string;
  };
}

/** One family for each kind; those for all kinds together (`""`) are what old dashboards chart. */
export type ConditionMetrics<Of extends string, More> = Record<
  `operator_${Of}status_condition_transition_seconds`,
  ConditionState & More
> &
  Record<`operator_${Of}status_condition_transitions_total`, ConditionTransition & More> &
  Record<`operator_${Of}status_condition_count`, ConditionOfObject & More> &
  Record<`operator_${Of}status_condition_current_status_seconds`, ConditionOfObject & More> &
  Record<`operator_${Of}termination_current_time_seconds`, NamespacedName & More> &
  Record<`operator_${Of}termination_duration_seconds`, unknown extends More ? NoLabels : More>;

export type NoLabels = Readonly<Record<string, never>>;

/** Which labels there are depends on the well-known labels of the cloud provider. */
type NodeLabels = Readonly<Record<string, string>>;

/** The labels of the object that tell its pool and its node class, whose name depends on the cloud provider. */
export type ByNodeClass = Readonly<Record<string, string>>;

interface NamespacedName {
  name: string;
  namespace: string;
}

export interface GroupKind {
  group: string;
  kind: string;
}

interface ConditionState {
  type: string;
  status: string;
}

interface ConditionTransition extends ConditionState {
  reason: string;
}

interface ConditionOfObject extends ConditionTransition, NamespacedName {}

interface DisruptionCause {
  reason: string;
  nodepool: string;
  capacity_type: string;
  consolidation_policy: string;
  termination_mode: string;
}

interface DisruptionDecision {
  decision: string;
  reason: string;
  consolidation_type: string;
}

/** Both are the name of the controller. */
interface QueueName {
  name: string;
  controller: string;
}
