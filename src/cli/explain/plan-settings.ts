import type { Snapshot } from "../../core/model/snapshot.ts";
import { settingsOf } from "../../core/scheduling/choose-plan.ts";
import type { PlanningRequest } from "../../core/scheduling/plan-request.ts";
import type { PlanSettings } from "../../core/scheduling/settings.ts";
import type { Catalogue } from "../ask/catalogue.ts";
import type { ControllerSettings } from "../ask/running-controller.ts";

/** Somebody waits for the answer. */
const longestMilliseconds = 2_000;
const maxRounds = 20;

/** What the answers of a controller depend on besides the cluster. */
export interface PlanContext {
  readonly catalogue: Catalogue;
  readonly settings: ControllerSettings;
}

/** As the controller would ask. */
export function planRequest(snapshot: Snapshot, { catalogue, settings }: PlanContext): PlanningRequest {
  const { preferencePolicy, minValuesPolicy, defaultSpread } = settings;
  return {
    snapshot,
    pendingPods: [],
    preferencePolicy,
    minValuesPolicy,
    wellKnownLabels: catalogue.wellKnownLabels,
    defaultSpread,
  };
}

export function planSettings(request: PlanningRequest): PlanSettings {
  const deadline = performance.now() + longestMilliseconds;
  const shouldStop = (): boolean => performance.now() >= deadline;
  return settingsOf(request, { reservedCapacity: "Strict", pricePerNode: 0, maxRounds, shouldStop });
}
