import type { ProcessMetrics } from "../../../ports/metric-labels.ts";
import { type Definitions, defaultBuckets } from "./definition.ts";
import { controller } from "./label-meanings.ts";

const call = {
  controller,
  method: "the question, as in `Create`",
  provider: "the cloud provider",
};

export const processMetrics: Definitions<ProcessMetrics> = {
  build_info: {
    kind: "gauge",
    help: "1, with what runs as labels.",
    labels: {
      version: "the version",
      goversion: "the version of Node, as in `node24.21.0`",
      goarch: "the architecture",
      commit: "the commit",
    },
  },
  cloudprovider_duration_seconds: {
    kind: "histogram",
    help: "How long the cloud provider took to answer.",
    labels: call,
    buckets: defaultBuckets,
  },
  cloudprovider_errors_total: {
    kind: "counter",
    help: "Answers of the cloud provider that were errors.",
    labels: {
      ...call,
      error: "`InsufficientCapacityError`, `NodeClaimNotFoundError`, `NodeClassNotReadyError` or empty",
    },
  },
  events_dropped_total: {
    kind: "counter",
    help: "Events that were not written. (Not in the Go version.)",
    labels: { reason: "`rate_limited`, `queue_full` or `failed`" },
  },
};
