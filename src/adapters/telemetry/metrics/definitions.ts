import type { MetricLabels } from "../../../ports/metric-labels.ts";
import type { MetricName } from "../../../ports/telemetry.ts";
import { awsMetrics } from "./aws-metrics.ts";
import {
  claimConditionMetrics,
  ec2NodeClassConditionMetrics,
  nodeConditionMetrics,
  oldConditionMetrics,
  poolConditionMetrics,
} from "./condition-metrics.ts";
import type { Definition, Definitions } from "./definition.ts";
import { disruptionMetrics } from "./disruption-metrics.ts";
import { nodeMetrics } from "./node-metrics.ts";
import { podMetrics } from "./pod-metrics.ts";
import { processMetrics } from "./process-metrics.ts";
import { runtimeMetrics } from "./runtime-metrics.ts";
import { schedulingMetrics } from "./scheduling-metrics.ts";

const prefixed = {
  ...processMetrics,
  ...schedulingMetrics,
  ...nodeMetrics,
  ...podMetrics,
  ...disruptionMetrics,
  ...awsMetrics,
};

const definitions: Definitions<MetricLabels> = {
  ...prefixed,
  ...claimConditionMetrics,
  ...poolConditionMetrics,
  ...nodeConditionMetrics,
  ...ec2NodeClassConditionMetrics,
  ...oldConditionMetrics,
  ...runtimeMetrics,
};

export interface DefinedMetric {
  readonly name: MetricName;
  readonly wireName: string;
  readonly definition: Definition<Readonly<Record<string, string>>>;
}

/** Every metric, in the order of the documentation. */
export const definedMetrics: readonly DefinedMetric[] = Object.entries(definitions).map(([name, definition]) => ({
  name: name as MetricName,
  wireName: Object.hasOwn(prefixed, name) ? `karpenter_${name}` : name,
  definition,
}));
