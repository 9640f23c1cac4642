import { settingsOf } from "../../adapters/planner/answer-plan.ts";
import type { Snapshot } from "../../core/model/snapshot.ts";
import type { PlanSettings } from "../../core/scheduling/settings.ts";
import type { PlanRequest } from "../../ports/planner.ts";
import type { Catalogue } from "../ask/catalogue.ts";

/** Somebody waits for the answer. */
const longestMilliseconds = 2_000;
const maxRounds = 20;

/** As the controller would ask unless told otherwise. */
export function planRequest(snapshot: Snapshot, { wellKnownLabels }: Catalogue): PlanRequest {
  return {
    snapshot,
    pendingPods: [],
    preferencePolicy: "Respect",
    minValuesPolicy: "Strict",
    wellKnownLabels,
    defaultSpread: [],
  };
}

export function planSettings(request: PlanRequest): PlanSettings {
  const deadline = performance.now() + longestMilliseconds;
  const shouldStop = (): boolean => performance.now() >= deadline;
  return settingsOf(request, { reservedCapacity: "Strict", pricePerNode: 0, maxRounds, shouldStop });
}
