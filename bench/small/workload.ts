import type { Random } from "../random.ts";
import { apart, spread, together } from "../scenarios.ts";
import {
  type Affinity,
  archLabel,
  capacityTypeLabel,
  familyLabel,
  hostLabel,
  instanceTypeLabel,
  type Labels,
  type PodSpec,
  preferred,
  zoneLabel,
} from "../wire.ts";

/** Replicas of one template. */
export interface Workload {
  readonly labels: Labels;
  readonly cpuMilli: number;
  readonly memoryMi: number;
  readonly spec: Omit<PodSpec, "containers">;
  /** A workload that others must follow, or that must stay small, has no pods yet. */
  readonly isNew: boolean;
}

const zones: readonly [string, ...string[]] = ["us-west-2a", "us-west-2b", "us-west-2c"];
/** Pods need a toleration for its nodes. */
export const batchPool = { name: "batch", labels: { workload: "batch" }, taint: { key: "dedicated", value: "batch" } };

export interface WorkloadContext {
  readonly random: Random;
  readonly name: string;
  readonly replicas: number;
  /** Those before it in the batch. */
  readonly others: readonly Workload[];
  readonly hasBatchPool: boolean;
}

export function randomWorkload({ random, name, replicas, others, hasBatchPool }: WorkloadContext): Workload {
  const labels = { app: name };
  const cpuMilli = random.choose([50, 100, 100, 250, 250, 500, 500, 1000, 2000, 4000]);
  const memoryMi = Math.floor(cpuMilli * random.choose([0.5, 1, 2, 2, 4, 4, 8]) * 1.024);
  const rules = topologyRules({ random, labels, replicas, others });
  const selector = rules.isFollower ? {} : selectorOf(random, rules.isZonal);
  const batch = hasBatchPool && !rules.isFollower && random.next() < 0.3;
  const isBoundToBatch = batch && random.next() < 0.5;
  const nodeSelector = { ...selector, ...(isBoundToBatch ? batchPool.labels : {}) };
  const { key, value } = batchPool.taint;
  return {
    labels,
    cpuMilli,
    memoryMi,
    isNew: rules.isFollower === true || rules.isFew === true,
    spec: {
      ...rules.spec,
      ...(Object.keys(nodeSelector).length > 0 ? { nodeSelector } : {}),
      ...(batch ? { tolerations: [{ key, operator: "Equal", value, effect: "NoSchedule" }] } : {}),
    },
  };
}

/** A third of the workloads select nodes. Zones are left to the rules over zones where there is one. */
function selectorOf(random: Random, isZonal = false): Labels {
  const share = random.next();
  if (share < 0.06) return { [archLabel]: "arm64" };
  if (share < 0.12) return { [archLabel]: "amd64" };
  if (share < 0.19) return { [capacityTypeLabel]: "on-demand" };
  if (share < 0.22) return { [capacityTypeLabel]: "spot" };
  if (share < 0.26) return { [familyLabel]: random.choose(["c6i", "m6i", "m7g", "r6g"]) };
  if (share < 0.29) return { [instanceTypeLabel]: random.choose(["m6i.4xlarge", "r7g.4xlarge"]) };
  if (share < 0.35 && !isZonal) return { [zoneLabel]: random.choose(zones) };
  return {};
}

interface TopologyRules {
  readonly spec: Omit<PodSpec, "containers">;
  readonly isZonal?: boolean;
  readonly isFollower?: boolean;
  readonly isFew?: boolean;
}

/** Half of the workloads say how their pods are to be placed beside others. */
function topologyRules({
  random,
  labels,
  replicas,
  others,
}: Pick<WorkloadContext, "random" | "replicas" | "others"> & { readonly labels: Labels }): TopologyRules {
  const share = random.next();
  if (share < 0.12) return { spec: spread(zoneLabel, labels), isZonal: true };
  if (share < 0.2) return { spec: spread(zoneLabel, labels, "ScheduleAnyway"), isZonal: true };
  if (share < 0.24) return { spec: spread(hostLabel, labels, "ScheduleAnyway") };
  if (share < 0.28) return { spec: spread(hostLabel, labels) };
  if (share < 0.31) return { spec: spreadOverBoth(labels), isZonal: true };
  if (share < 0.39) return { spec: apart(hostLabel, labels) };
  if (share < 0.44) return { spec: { affinity: ratherApart(labels) } };
  if (share < 0.46 && replicas <= zones.length) return { spec: apart(zoneLabel, labels), isZonal: true, isFew: true };
  if (share < 0.49) return { spec: together(zoneLabel, labels) };
  const other = others[Math.floor(random.next() * others.length)];
  if (other === undefined) return { spec: {} };
  if (share < 0.51) return { spec: together(zoneLabel, other.labels), isFollower: true };
  if (share < 0.52) return { spec: together(hostLabel, other.labels), isFollower: true };
  if (share < 0.54) return { spec: apart(hostLabel, other.labels), isFew: true };
  return { spec: {} };
}

function spreadOverBoth(labels: Labels): Omit<PodSpec, "containers"> {
  const topologySpreadConstraints = [spread(zoneLabel, labels), spread(hostLabel, labels, "ScheduleAnyway")].flatMap(
    (spec) => spec.topologySpreadConstraints ?? [],
  );
  return { topologySpreadConstraints };
}

function ratherApart(matchLabels: Labels): Affinity {
  const podAffinityTerm = { labelSelector: { matchLabels }, topologyKey: hostLabel };
  return { podAntiAffinity: { [preferred]: [{ weight: 100, podAffinityTerm }] } };
}
