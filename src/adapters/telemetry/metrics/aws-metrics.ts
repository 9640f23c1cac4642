import type { AwsMetrics } from "../../../ports/metric-labels.ts";
import { type Definitions, defaultBuckets, durationBuckets } from "./definition.ts";
import { capacity_type, zone } from "./label-meanings.ts";

const instance_type = "the instance type";
const zone_id = "the id of the zone, which is the same in all accounts";
const batcher = "`create_fleet`, `describe_instances` or `terminate_instances`";
const offering = { instance_type, capacity_type, zone };
const call = { service: "the service, as in `ec2`", operation: "the call, as in `CreateFleet`" };

const sizeBuckets: readonly number[] = [
  ...[1, 2, 4, 5, 10, 15, 20, 25, 30, 40, 50, 60, 70, 80, 90, 100],
  ...[125, 150, 175, 200, 225, 250, 275, 300, 350, 400, 450, 500, 550, 600, 700, 800, 900, 1000],
];

export const awsMetrics: Definitions<AwsMetrics> = {
  cloudprovider_instance_type_cpu_cores: {
    kind: "gauge",
    help: "Cores of an instance type.",
    labels: { instance_type },
  },
  cloudprovider_instance_type_memory_bytes: {
    kind: "gauge",
    help: "Memory of an instance type.",
    labels: { instance_type },
  },
  cloudprovider_instance_type_offering_available: {
    kind: "gauge",
    help: "1 when the instance type can be had there, as far as is known, otherwise 0.",
    labels: offering,
  },
  cloudprovider_instance_type_offering_price_estimate: {
    kind: "gauge",
    help: "Dollars an hour.",
    labels: offering,
  },
  cloudprovider_instance_launch_failures_total: {
    kind: "counter",
    help: "Machines that EC2 did not launch.",
    labels: { zone, zone_id, capacity_type, reason: "why, as in `InsufficientInstanceCapacity`" },
  },
  cloudprovider_instance_termination_failures_total: {
    kind: "counter",
    help: "Machines that EC2 did not end when it was asked to.",
    labels: { zone, zone_id },
  },
  cloudprovider_batcher_batch_size: {
    kind: "histogram",
    help: "Requests that were sent to EC2 as one.",
    labels: { batcher },
    buckets: sizeBuckets,
  },
  cloudprovider_batcher_batch_time_seconds: {
    kind: "histogram",
    help: "How long requests were collected before they were sent as one.",
    labels: { batcher },
    buckets: durationBuckets,
  },
  interruption_received_messages_total: {
    kind: "counter",
    help: "Messages from the interruption queue.",
    labels: {
      message_type: "`spot_interrupted`, `scheduled_change`, `no_op` and so on, `malformed` for what cannot be read",
    },
  },
  interruption_deleted_messages_total: {
    kind: "counter",
    help: "Messages that were acted on, or dropped, and taken off the interruption queue.",
    labels: {},
  },
  interruption_message_queue_duration_seconds: {
    kind: "histogram",
    help: "How long after the event its message was acted on.",
    labels: {},
    buckets: durationBuckets,
  },
  interruption_instance_status_unhealthy_total: {
    kind: "counter",
    help: "Machines that EC2 says are unhealthy, once for as long as it says so.",
    labels: { category: "`InstanceStatus`, `SystemStatus` or `EventStatus`" },
  },
  ec2nodeclasses_userdata_bytes: {
    kind: "gauge",
    help: "The size of the largest user data of a node class. EC2 takes 16384 bytes.",
    labels: { nodeclass: "the EC2NodeClass" },
  },
  aws_requests_total: {
    kind: "counter",
    help: "Calls of AWS. (The Go version has `aws_sdk_go_request_*` instead.)",
    labels: { ...call, code: "`OK`, the code of the error, or empty when there was no answer" },
  },
  aws_request_duration_seconds: {
    kind: "histogram",
    help: "How long AWS took to answer, tries that failed included. (The Go version has `aws_sdk_go_request_*` instead.)",
    labels: call,
    buckets: defaultBuckets,
  },
};
