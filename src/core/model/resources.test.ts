import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { parseQuantity } from "./quantity.ts";
import {
  addQuantities,
  addResources,
  fits,
  maxQuantities,
  noResources,
  type ResourceQuantities,
  subtractResources,
  toResources,
} from "./resources.ts";

function quantities(amounts: Record<string, string>): ResourceQuantities {
  return new Map(Object.entries(amounts).map(([name, text]) => [name, parseQuantity(text) ?? 0n]));
}

const resources = (amounts: Record<string, number>) => new Map(Object.entries(amounts));

describe("quantities by resource", () => {
  const a = quantities({ cpu: "100m", memory: "1Gi" });
  const b = quantities({ cpu: "250m", "nvidia.com/gpu": "1" });

  test("add up", () => {
    assert.deepEqual(addQuantities(a, b), quantities({ cpu: "350m", memory: "1Gi", "nvidia.com/gpu": "1" }));
  });

  test("have a largest of each", () => {
    assert.deepEqual(maxQuantities(a, b), quantities({ cpu: "250m", memory: "1Gi", "nvidia.com/gpu": "1" }));
  });

  test("become millicores and whole units, rounded up", () => {
    const exact = quantities({ cpu: "0.1001", memory: "1.5Ki", "ephemeral-storage": "100m", pods: "1" });
    assert.deepEqual(toResources(exact), resources({ cpu: 101, memory: 1536, "ephemeral-storage": 1, pods: 1 }));
  });

  test("are rounded after adding, not before", () => {
    const half = quantities({ cpu: "500u" });
    assert.deepEqual(toResources(addQuantities(half, half)), resources({ cpu: 1 }));
  });
});

describe("resources", () => {
  test("add up and leave a rest", () => {
    const sum = addResources(resources({ cpu: 1, memory: 2 }), resources({ cpu: 3, pods: 1 }));
    assert.deepEqual(sum, resources({ cpu: 4, memory: 2, pods: 1 }));
    assert.deepEqual(subtractResources(sum, resources({ cpu: 5, gpu: 1 })), resources({ cpu: -1, memory: 2, pods: 1 }));
    assert.deepEqual(subtractResources(sum, resources({ cpu: 5 }), 0), resources({ cpu: 0, memory: 2, pods: 1 }));
  });

  test("fit when there is enough of each", () => {
    assert.equal(fits(resources({ cpu: 4 }), resources({ cpu: 4, memory: 0 })), true);
    assert.equal(fits(resources({ cpu: 5 }), resources({ cpu: 4 })), false);
    assert.equal(fits(resources({ gpu: 1 }), resources({ cpu: 4 })), false);
  });

  test("fit when nothing is asked of a resource that is missing", () => {
    assert.equal(fits(resources({ gpu: 0 }), noResources), true);
  });

  test("never fit where something is overdrawn", () => {
    assert.equal(fits(resources({ cpu: 1 }), resources({ cpu: 4, memory: -1 })), false);
  });
});
