import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { balancedAllocation, leastAllocated } from "./node-score.ts";

const capacity = { cpu: 4000, memory: 8000 };

describe("leastAllocated", () => {
  it("is the free share of cpu and memory, in percent, on average", () => {
    const scores = [
      { cpu: 0, memory: 0 },
      { cpu: 1000, memory: 2000 },
      { cpu: 4000, memory: 2000 },
      { cpu: 4000, memory: 8000 },
    ].map((used) => leastAllocated(used, capacity));
    assert.deepEqual(scores, [100, 75, 37, 0]);
  });

  it("rounds each share down, and then the average", () => {
    assert.equal(leastAllocated({ cpu: 1, memory: 0 }, capacity), 99);
    assert.equal(leastAllocated({ cpu: 1, memory: 1 }, capacity), 99);
    assert.equal(leastAllocated({ cpu: 40, memory: 2 }, capacity), 99);
  });

  it("is nothing for what is used up and more", () => {
    assert.equal(leastAllocated({ cpu: 5000, memory: 4000 }, capacity), 25);
  });

  it("leaves out what the node has nothing of", () => {
    assert.deepEqual(
      [
        leastAllocated({ cpu: 1000, memory: 100 }, { cpu: 4000, memory: 0 }),
        leastAllocated({ cpu: 100, memory: 2000 }, { cpu: 0, memory: 8000 }),
        leastAllocated({ cpu: 100, memory: 100 }, { cpu: 0, memory: 0 }),
      ],
      [75, 75, 0],
    );
  });
});

describe("balancedAllocation", () => {
  const empty = { cpu: 0, memory: 0 };

  it("is 75 where the node stays as even as it was", () => {
    assert.equal(balancedAllocation(empty, { cpu: 1000, memory: 2000 }, capacity), 75);
    assert.equal(balancedAllocation({ cpu: 1000, memory: 0 }, { cpu: 1000, memory: 2000 }, capacity), 75);
  });

  it("is more where the pod fills what is emptier, and less where it adds to the difference", () => {
    assert.deepEqual(
      [
        balancedAllocation({ cpu: 2000, memory: 0 }, { cpu: 0, memory: 4000 }, capacity),
        balancedAllocation(empty, { cpu: 0, memory: 4000 }, capacity),
      ],
      [87, 62],
    );
  });

  it("takes what is used beyond the capacity as the capacity", () => {
    assert.equal(balancedAllocation({ cpu: 4000, memory: 8000 }, { cpu: 4000, memory: 0 }, capacity), 75);
  });

  it("finds a node even that has only one of the two", () => {
    assert.equal(balancedAllocation(empty, { cpu: 1000, memory: 0 }, { cpu: 4000, memory: 0 }), 75);
  });
});
