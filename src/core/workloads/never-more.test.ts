import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { anySteps, checkExpected } from "../../../test/support/check-expected.ts";
import { ModelControlPlane } from "../../../test/support/model-control-plane.ts";
import { knownWorkloads } from "../../../test/support/model-workload.ts";
import type { Pod } from "../model/pod.ts";
import { foreseePods } from "./foresee-pods.ts";

/** What is expected by the objects that the watches have delivered. */
function expectedOf({ seenWorkloads, seenPods }: ModelControlPlane): readonly Pod[] {
  return foreseePods(knownWorkloads(seenWorkloads, seenPods), { now: 0, maxPods: 1_000 });
}

/** `atFirst` are the pods that are expected before there is any. */
function holdsFor(arrange: (plane: ModelControlPlane) => void, atFirst: number): void {
  const still = new ModelControlPlane();
  arrange(still);
  still.catchUp();
  assert.equal(expectedOf(still).length, atFirst);
  fc.assert(
    fc.property(anySteps, (steps) => {
      const plane = new ModelControlPlane();
      arrange(plane);
      for (const step of steps) {
        plane.take(step);
        checkExpected(plane, expectedOf(plane));
      }
      plane.catchUp();
      checkExpected(plane, expectedOf(plane));
    }),
    { numRuns: 300 },
  );
}

describe("no more pods exist and are expected than are asked for, in whatever order watches arrive,", () => {
  for (const [maxSurge, maxUnavailable] of [
    [0, 1],
    [1, 0],
    [3, 3],
  ] as const) {
    it(`of a Deployment with maxSurge ${maxSurge} and maxUnavailable ${maxUnavailable}`, () =>
      holdsFor((plane) => plane.addDeployment("web", 3, { maxSurge, maxUnavailable }), 3));
  }

  it("of a StatefulSet with Parallel", () => holdsFor((plane) => plane.addStatefulSet("db", 3, true), 3));
  it("of a StatefulSet with OrderedReady", () => holdsFor((plane) => plane.addStatefulSet("db", 3, false), 1));
  it("of a Job", () => holdsFor((plane) => plane.addJob("batch", { parallelism: 3, completions: 6 }), 3));
});
