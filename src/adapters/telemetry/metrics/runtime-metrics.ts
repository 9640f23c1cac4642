import type { RuntimeMetrics } from "../../../ports/metric-labels.ts";
import { type Definitions, durationBuckets, exponentialBuckets } from "./definition.ts";
import { controller } from "./label-meanings.ts";

const queue = { name: "the same as controller", controller };
const queueBuckets = exponentialBuckets(1e-8, 10, 12);

export const runtimeMetrics: Definitions<RuntimeMetrics> = {
  controller_runtime_reconcile_total: {
    kind: "counter",
    help: "Reconciliations.",
    labels: { controller, result: "`success`, `error`, `requeue` or `requeue_after`" },
  },
  controller_runtime_reconcile_errors_total: {
    kind: "counter",
    help: "Reconciliations that failed.",
    labels: { controller },
  },
  controller_runtime_reconcile_time_seconds: {
    kind: "histogram",
    help: "How long a reconciliation took.",
    labels: { controller },
    buckets: durationBuckets.filter((bucket) => bucket <= 60),
  },
  controller_runtime_max_concurrent_reconciles: {
    kind: "gauge",
    help: "How many reconciliations may run at once.",
    labels: { controller },
  },
  controller_runtime_active_workers: {
    kind: "gauge",
    help: "How many reconciliations run.",
    labels: { controller },
  },
  workqueue_depth: {
    kind: "gauge",
    help: "Objects that wait for their reconciliation.",
    labels: { ...queue, priority: "`0`" },
  },
  workqueue_adds_total: { kind: "counter", help: "Objects that were queued.", labels: queue },
  workqueue_retries_total: { kind: "counter", help: "Objects that were queued again after a failure.", labels: queue },
  workqueue_queue_duration_seconds: {
    kind: "histogram",
    help: "How long objects waited for their reconciliation.",
    labels: queue,
    buckets: queueBuckets,
  },
  workqueue_work_duration_seconds: {
    kind: "histogram",
    help: "How long work on an object from the queue took.",
    labels: queue,
    buckets: queueBuckets,
  },
  workqueue_unfinished_work_seconds: {
    kind: "gauge",
    help: "How long the running reconciliations have taken so far, added up.",
    labels: queue,
  },
  workqueue_longest_running_processor_seconds: {
    kind: "gauge",
    help: "How long the oldest running reconciliation has taken so far.",
    labels: queue,
  },
  leader_election_master_status: {
    kind: "gauge",
    help: "1 when this process leads, otherwise 0.",
    labels: { name: "the Lease" },
  },
  client_go_request_total: {
    kind: "counter",
    help: "Requests to the API server.",
    labels: { code: "the HTTP status, `<error>` without an answer", method: "the HTTP method" },
  },
  client_go_request_duration_seconds: {
    kind: "histogram",
    help: "How long requests to the API server took.",
    labels: {
      verb: "as in `CREATE` or `LIST`",
      group: "the API group",
      version: "its version",
      kind: "the plural name of the kind",
      subresource: "the subresource, or empty",
    },
    buckets: exponentialBuckets(0.001, 1.5, 20),
  },
};
