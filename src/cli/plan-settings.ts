import type { Scenario } from "../core/api/read-scenario.ts";
import type { InstanceType } from "../core/model/instance-type.ts";
import { wellKnownLabels } from "../core/model/labels.ts";
import type { PlanSettings } from "../core/scheduling/settings.ts";

export type Effort = "fast" | "full";

export interface PlanChoices {
  readonly effort: Effort;
  readonly preferencePolicy: PlanSettings["preferencePolicy"];
  readonly minValuesPolicy: PlanSettings["minValuesPolicy"];
  readonly pricePerNode: number;
}

/** A plan is improved for at most this long: some time for everybody, and more for more pods. */
const improvementMilliseconds = 500;
const improvementMillisecondsPerPod = 0.2;

const maxRounds = 200;

export function planSettings(scenario: Scenario, choices: PlanChoices): PlanSettings {
  const { instanceTypes, pendingPods, defaultConstraints } = scenario;
  const deadline = performance.now() + improvementMilliseconds + pendingPods.length * improvementMillisecondsPerPod;
  return {
    preferencePolicy: choices.preferencePolicy,
    minValuesPolicy: choices.minValuesPolicy,
    reservedCapacity: "Strict",
    pricePerNode: choices.pricePerNode,
    wellKnownLabels: new Set([...wellKnownLabels, ...labelsOf(instanceTypes)]),
    defaultSpread: defaultConstraints,
    maxRounds: choices.effort === "fast" ? 1 : maxRounds,
    shouldStop: () => performance.now() >= deadline,
    requestsFor: undefined,
  };
}

/** Pods may select whatever instance types and offerings define. */
function labelsOf(instanceTypes: readonly InstanceType[]): Set<string> {
  const keys = new Set<string>();
  for (const { requirements, offerings } of instanceTypes) {
    for (const key of requirements.keys()) keys.add(key);
    for (const offering of offerings) for (const key of offering.requirements.keys()) keys.add(key);
  }
  return keys;
}
