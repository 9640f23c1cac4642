import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { Fleet } from "../../src/core/disruption/fleet.ts";
import { forkWithout } from "../../src/core/disruption/fork-snapshot.ts";
import { type ConsolidationPlan, searchConsolidation } from "../../src/core/disruption/search-consolidation.ts";
import { capacityTypeLabel, instanceTypeLabel, zoneLabel } from "../../src/core/model/labels.ts";
import type { Leaver } from "../../src/core/model/leaver.ts";
import type { Pod } from "../../src/core/model/pod.ts";
import { isReschedulable } from "../../src/core/model/pod-lifecycle.ts";
import { has, requirementFor } from "../../src/core/model/requirements.ts";
import type { Snapshot } from "../../src/core/model/snapshot.ts";
import type { PlannedNode } from "../../src/core/scheduling/plan.ts";
import { planProvisioning } from "../../src/core/scheduling/provisioning.ts";
import type { PlanSettings } from "../../src/core/scheduling/settings.ts";
import { defaultSettings } from "../support/builders.ts";
import { checkPlan } from "../support/check-plan.ts";
import { prepare, randomRecipe } from "../support/random-scenario.ts";

/** Other clusters, and more: `RANDOM_SEED=7 RANDOM_RUNS=20000 npx node --test test/disruption/random-fleets.test.ts`. */
const seed = Number(process.env.RANDOM_SEED ?? 1);
const numRuns = Number(process.env.RANDOM_RUNS ?? 200);
const settings: PlanSettings = { ...defaultSettings, reservedCapacity: "Fallback", maxRounds: 1 };

interface Question {
  readonly snapshot: Snapshot;
  readonly pendingPods: readonly Pod[];
  readonly leavers: readonly Leaver[];
  readonly destinations: ReadonlySet<string>;
}

function questionOf(snapshot: Snapshot, pendingPods: readonly Pod[]): Question {
  const staying = snapshot.nodes.filter(({ isDeleting, isInitialized }) => !isDeleting && isInitialized);
  const leavers = staying
    .filter(({ nodePool }) => nodePool !== "")
    .map(({ name, nodePool, labels, price }) => {
      const pods = (snapshot.podsByNode.get(name) ?? []).filter(isReschedulable);
      return {
        nodeName: name,
        poolName: nodePool,
        instanceType: labels.get(instanceTypeLabel) ?? "",
        capacityType: labels.get(capacityTypeLabel) ?? "",
        // Random nodes know no price; a high one makes them worth replacing.
        price: price ?? 1,
        podUids: pods.map(({ uid }) => uid),
        disturbance: 1 + pods.length,
        leastSaving: 0,
        isReady: true,
      };
    });
  return { snapshot, pendingPods, leavers, destinations: new Set(staying.map(({ name }) => name)) };
}

function search(question: Question): ConsolidationPlan {
  const fleet = new Fleet({ ...question, isSpotToSpotEnabled: true }, settings);
  const budgets = new Map(question.leavers.map(({ poolName }) => [poolName, 2]));
  const { destinations } = question;
  const steps = searchConsolidation(fleet, {
    possible: { budgets, destinations },
    seed: 1,
    maxEvaluations: 30,
    shouldStop: () => false,
  });
  for (let step = steps.next(); ; step = steps.next()) if (step.done === true) return step.value;
}

/** What the dearest machine costs that the cloud may pick for it. */
function worstPrice({ pool, instanceTypes, requirements }: PlannedNode): number {
  const named = pool.instanceTypes.filter(({ name }) => instanceTypes.includes(name));
  const prices = named.flatMap(({ offerings }) =>
    offerings
      .filter((offering) =>
        [zoneLabel, capacityTypeLabel].every((key) =>
          [...(offering.requirements.get(key)?.values ?? [])].some((value) =>
            has(requirementFor(requirements, key), value),
          ),
        ),
      )
      .filter(({ isAvailable }) => isAvailable)
      .map(({ price }) => price),
  );
  return Math.max(...prices);
}

describe("a search for cheaper fleets in random clusters", () => {
  it("leaves no pod without a place, and never pays more", () => {
    let moves = 0;
    let replacements = 0;
    fc.assert(
      fc.property(randomRecipe, (recipe) => {
        const { snapshot, pendingPods } = prepare(recipe);
        const question = questionOf(snapshot, pendingPods);
        const { parts } = search(question);
        moves += parts.length;
        const gone = new Set<string>();
        for (const { members, launches, savings } of parts) {
          const leavers = members.flatMap((index) => question.leavers[index] ?? []);
          for (const { nodeName } of leavers) gone.add(nodeName);
          const before = leavers.reduce((sum, { price = 0 }) => sum + price, 0);
          const worst = launches.reduce((sum, node) => sum + worstPrice(node), 0);
          assert.ok(savings > 0 && worst < before, `${worst} for ${before}`);
          replacements += launches.length;
        }
        const moving = new Set(
          question.leavers.filter(({ nodeName }) => gone.has(nodeName)).flatMap(({ podUids }) => podUids),
        );
        const { destinations } = question;
        const fork = forkWithout(snapshot, pendingPods, { gone, destinations, mayMove: ({ uid }) => moving.has(uid) });
        const plan = planProvisioning(fork.snapshot, fork.pendingPods, settings);
        assert.deepEqual(checkPlan(plan, { snapshot: fork.snapshot, pending: fork.pendingPods, settings }), []);
        assert.deepEqual(
          plan.refusals.filter(({ pod }) => moving.has(pod.uid)),
          [],
        );
      }),
      { seed, numRuns },
    );
    assert.ok(moves > numRuns / 4 && replacements > numRuns / 10, `only ${moves} moves, ${replacements} replacements`);
  });

  it("finds the same again", () => {
    fc.assert(
      fc.property(randomRecipe, (recipe) => {
        const { snapshot, pendingPods } = prepare(recipe);
        const question = questionOf(snapshot, pendingPods);
        assert.deepEqual(search(question), search(question));
      }),
      { seed, numRuns: numRuns / 4 },
    );
  });
});
