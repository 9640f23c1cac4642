import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Pod } from "kubernetes-types/core/v1.js";
import { type ClusterObject, SchedulerCache } from "../../../src/embedded/scheduler/scheduler-cache.ts";
import { Dice } from "./dice.ts";
import { decisionOf, scoresOf } from "./our-decision.ts";
import { randomCluster } from "./random-cluster.ts";

/** As the API would hand out a pod of the generator: identified, with its priority worked out. */
function stored(pod: Pod): Pod {
  const priority =
    new Map([
      ["low", -5],
      ["middle", 10],
    ]).get(pod.spec?.priorityClassName ?? "") ?? 0;
  const spec = { ...pod.spec, containers: pod.spec?.containers ?? [], priority };
  return { ...pod, metadata: { ...pod.metadata, uid: `uid of ${pod.metadata?.name}` }, spec };
}

function everythingOf(seed: number): ClusterObject[] {
  const { objects, nominated } = randomCluster(seed);
  return [...objects, ...nominated].map((object) => (object.kind === "Pod" ? stored(object as Pod) : object));
}

function shuffle<T>(dice: Dice, items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, position: dice.next() }))
    .sort((a, b) => a.position - b.position)
    .map(({ item }) => item);
}

describe("what the scheduler knows", () => {
  it("depends on the objects that there are, not on those that were, nor on their order", () => {
    for (let seed = 1; seed <= 40; seed++) {
      const dice = new Dice(seed);
      const objects = everythingOf(seed);
      const plain = new SchedulerCache();
      for (const object of objects) plain.set(object);
      const eventful = new SchedulerCache();
      const others = everythingOf(seed + 1000);
      for (const object of shuffle(dice, [...objects, ...others])) eventful.set(object);
      for (const object of shuffle(dice, others)) eventful.remove(object);
      for (const object of shuffle(dice, objects)) eventful.set({ ...object });
      for (const pod of randomCluster(seed).pending.map(stored)) {
        assert.deepEqual(decisionOf(eventful, pod), decisionOf(plain, pod), `seed ${seed}, pod ${pod.metadata?.name}`);
        assert.deepEqual(scoresOf(eventful, pod), scoresOf(plain, pod), `seed ${seed}, pod ${pod.metadata?.name}`);
      }
    }
  });
});
