import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { planProvisioning } from "../../src/core/scheduling/provisioning.ts";
import type { PlanSettings } from "../../src/core/scheduling/settings.ts";
import { defaultSettings } from "../support/builders.ts";
import { checkPlan } from "../support/check-plan.ts";
import { prepare, randomRecipe } from "../support/random-scenario.ts";

/** More runs: `RANDOM_RUNS=100000 npx node --test test/scheduling/random-scenarios.test.ts`. */
const numRuns = Number(process.env.RANDOM_RUNS ?? 300);

const randomSettings: fc.Arbitrary<Partial<PlanSettings>> = fc.record({
  preferencePolicy: fc.constantFrom("Respect", "Ignore"),
  minValuesPolicy: fc.constantFrom("Strict", "BestEffort"),
  reservedCapacity: fc.constantFrom("Strict", "Fallback"),
  pricePerNode: fc.constantFrom(0, 0.01),
  maxRounds: fc.constantFrom(1, 5),
});

describe("planProvisioning of random clusters", () => {
  it("breaks no rule of Kubernetes or of the pools", () => {
    fc.assert(
      fc.property(randomRecipe, randomSettings, (recipe, chosen) => {
        const settings = { ...defaultSettings, ...chosen };
        const { snapshot, pendingPods } = prepare(recipe);
        const plan = planProvisioning(snapshot, pendingPods, settings);
        assert.deepEqual(checkPlan(plan, { snapshot, pending: pendingPods, settings }), []);
      }),
      { numRuns },
    );
  });
});
