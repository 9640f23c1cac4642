import type { Pod } from "kubernetes-types/core/v1.js";
import { readSnapshot } from "../../../src/core/api/read-objects.ts";
import { readPod } from "../../../src/core/api/read-pod.ts";
import { wellKnownLabels } from "../../../src/core/model/labels.ts";
import type { Snapshot } from "../../../src/core/model/snapshot.ts";
import { feasibleNodes } from "../../../src/core/scheduling/feasible-nodes.ts";
import type { PlanSettings } from "../../../src/core/scheduling/settings.ts";
import type { ClusterObject } from "../../../src/embedded/scheduler/scheduler-cache.ts";

export const settings: PlanSettings = {
  preferencePolicy: "Respect",
  minValuesPolicy: "Strict",
  reservedCapacity: "Strict",
  pricePerNode: 0,
  wellKnownLabels,
  defaultSpread: [],
  maxRounds: 5,
  shouldStop: () => false,
  requestsFor: undefined,
};

/** What the planner makes of a cluster. */
export class PlannerView {
  readonly #snapshot: Snapshot;

  constructor(objects: readonly ClusterObject[]) {
    this.#snapshot = readSnapshot(objects, []).snapshot;
  }

  /** Where the pod could go, by name. A pod that cannot be read goes nowhere. */
  feasible(pod: Pod): string[] {
    const read = readPod(pod);
    return read.problems === undefined ? feasibleNodes(this.#snapshot, read.value, settings).sort() : [];
  }
}
