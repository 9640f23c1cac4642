import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { instanceType, offering } from "../../../test/support/builders.ts";
import { modelClaim } from "../../../test/support/model-machine.ts";
import type { InstanceType } from "../model/instance-type.ts";
import { capacityTypeLabel, instanceTypeLabel, zoneLabel } from "../model/labels.ts";
import { makeRequirement } from "../model/requirements.ts";
import { RefusedOfferings } from "./refused-offerings.ts";

const offerings = ["zone-1", "zone-2"].map((zone) => offering({ zone, price: 1 }));
const types = [2, 4].map((cpu) => instanceType(`c-${cpu}`, { cpu, offerings }));
const minutes = (count: number): number => count * 60_000;

function claimOf(requirements: Readonly<Record<string, readonly string[]>>, cpu = 1000) {
  return modelClaim({
    requirements: new Map(Object.entries(requirements).map(([key, values]) => [key, makeRequirement("In", values)])),
    requests: new Map([["cpu", cpu]]),
  });
}

function available(marked: readonly InstanceType[]): readonly string[] {
  return marked.flatMap(({ name, offerings: own }) =>
    own
      .filter((one) => one.isAvailable)
      .map(({ requirements }) => [name, ...(requirements.get(zoneLabel)?.values ?? [])].join(" ")),
  );
}

describe("RefusedOfferings", () => {
  it("has everything available that nobody was refused, in the list that it was given", () => {
    const refused = new RefusedOfferings();
    assert.equal(refused.mark(types, 0), types);
    refused.refuse(claimOf({ [instanceTypeLabel]: ["c-64"] }), types, 0);
    assert.equal(refused.mark(types, 0), types);
  });

  it("takes every offering that the claim allowed for sold out, and no other", () => {
    for (const { claim, left } of [
      { claim: claimOf({ [instanceTypeLabel]: ["c-2"] }), left: ["c-4 zone-1", "c-4 zone-2"] },
      { claim: claimOf({ [zoneLabel]: ["zone-1"] }), left: ["c-2 zone-2", "c-4 zone-2"] },
      {
        claim: claimOf({ [capacityTypeLabel]: ["spot"] }),
        left: ["c-2 zone-1", "c-2 zone-2", "c-4 zone-1", "c-4 zone-2"],
      },
      // The smaller ones would not have held its pods.
      { claim: claimOf({}, 3000), left: ["c-2 zone-1", "c-2 zone-2"] },
      { claim: { ...claimOf({}), labels: new Map([[zoneLabel, "zone-2"]]) }, left: ["c-2 zone-1", "c-4 zone-1"] },
    ]) {
      const refused = new RefusedOfferings();
      refused.refuse(claim, types, 0);
      assert.deepEqual(available(refused.mark(types, 0)), left);
    }
  });

  it("still knows what they cost", () => {
    const refused = new RefusedOfferings();
    refused.refuse(claimOf({}), types, 0);
    const prices = refused.mark(types, 0).map((type) => type.offerings.map(({ price }) => price));
    assert.deepEqual(prices, [
      [1, 1],
      [1, 1],
    ]);
  });

  it("forgets after three minutes, counted from the last time", () => {
    const refused = new RefusedOfferings();
    for (const [at, name] of ["c-2", "c-4", "c-2"].entries()) {
      refused.refuse(claimOf({ [instanceTypeLabel]: [name] }), types, minutes(at));
    }
    assert.deepEqual(available(refused.mark(types, minutes(4) - 1)), []);
    assert.deepEqual(available(refused.mark(types, minutes(4))), ["c-4 zone-1", "c-4 zone-2"]);
    assert.equal(refused.mark(types, minutes(5)), types);
  });

  it("forgets what could be bought since", () => {
    const refused = new RefusedOfferings();
    refused.refuse(claimOf({}), types, 0);
    const [zone, capacityType] = ["zone-2", "on-demand"];
    refused.accept(
      new Map([
        [instanceTypeLabel, "c-4"],
        [zoneLabel, zone],
        [capacityTypeLabel, capacityType],
      ]),
    );
    assert.deepEqual(available(refused.mark(types, 1)), ["c-4 zone-2"]);
  });

  it("gives the same list again until something changes, with the types in it that are as they were", () => {
    const refused = new RefusedOfferings();
    const claim = claimOf({ [instanceTypeLabel]: ["c-2"] });
    refused.refuse(claim, types, 0);
    const marked = refused.mark(types, 1);
    assert.equal(marked[1], types[1]);
    refused.refuse(claim, types, 2);
    assert.equal(refused.mark(types, 3), marked);
    refused.refuse(claimOf({}), types, 4);
    assert.notEqual(refused.mark(types, 5), marked);
  });
});
