import { readFileSync } from "node:fs";
import { answerPlan } from "../../src/adapters/planner/answer-plan.ts";
import { paceFor } from "../../src/adapters/planner/pace.ts";
import { readInstanceTypes } from "../../src/core/api/read-instance-types.ts";
import { readSnapshot } from "../../src/core/api/read-objects.ts";
import type { PlanRequest } from "../../src/core/scheduling/plan-request.ts";
import type { PlanAnswer } from "../../src/ports/planner.ts";
import { catalogueFile } from "../scenarios.ts";
import type { Plan, Scenario } from "../wire.ts";
import type { Best } from "./best.ts";

/** Plans as the planner's thread of the controller does, at default effort. */
export class OurPlanner {
  readonly #instanceTypes = readInstanceTypes(JSON.parse(readFileSync(catalogueFile, "utf8"))).instanceTypes;
  readonly #labels = new Set(this.#instanceTypes.flatMap(({ requirements }) => [...requirements.keys()]));

  readonly #placement: PlanRequest["placement"];

  constructor(placement: PlanRequest["placement"]) {
    this.#placement = placement;
  }

  /** A plan may depend on how fast the machine is, so the worst one counts. */
  plan(scenario: Scenario, runs: number): Best {
    const request = this.requestFor(scenario);
    let seconds = Number.POSITIVE_INFINITY;
    let worst: PlanAnswer | undefined;
    for (let run = 0; run < runs; run++) {
      const started = performance.now();
      const answer = answerPlan(request, paceFor(request.pendingPods.length));
      seconds = Math.min(seconds, (performance.now() - started) / 1000);
      if (worst === undefined || isWorse(answer, worst)) worst = answer;
    }
    if (worst === undefined) throw new Error("Cannot plan in no runs");
    return { seconds, plan: planOf(scenario, worst, request) };
  }

  requestFor({ objects = [], nodePools, pods }: Scenario): PlanRequest {
    const read = readSnapshot([...objects, ...nodePools, ...pods], this.#instanceTypes, "unplaced");
    if (read.problems.length > 0) throw new Error(`Cannot read the batch: ${JSON.stringify(read.problems[0])}`);
    return {
      snapshot: read.snapshot,
      pendingPods: read.pendingPods,
      preferencePolicy: "Respect",
      minValuesPolicy: "Strict",
      wellKnownLabels: this.#labels,
      defaultSpread: [],
      hints: new Map(),
      placement: this.#placement,
    };
  }
}

function isWorse(one: PlanAnswer, other: PlanAnswer): boolean {
  if (one.refusals.length !== other.refusals.length) return one.refusals.length > other.refusals.length;
  return one.costPerHour > other.costPerHour;
}

function planOf({ name }: Scenario, { nodes, placements, refusals }: PlanAnswer, { pendingPods }: PlanRequest): Plan {
  const byUid = new Map(pendingPods.map((pod) => [pod.uid, `${pod.namespace}/${pod.name}`]));
  const namesOf = (uids: readonly string[]): string[] => uids.map((uid) => byUid.get(uid) ?? uid);
  return {
    scenario: name,
    nodes: nodes.map(({ poolName, instanceType, zone, capacityType, price, podUids, instanceTypes }) => ({
      nodePool: poolName,
      instanceType,
      zone,
      capacityType,
      pricePerHour: price,
      alternatives: instanceTypes.filter((type) => type !== instanceType),
      pods: namesOf(podUids),
    })),
    placements: placements.map(({ nodeName, podUids }) => ({ node: nodeName, pods: namesOf(podUids) })),
    unschedulable: refusals.flatMap(({ podUid, reason }) => namesOf([podUid]).map((pod) => ({ pod, reason }))),
  };
}
