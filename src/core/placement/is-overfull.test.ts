import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { modelClaim, modelNode } from "../../../test/support/model-machine.ts";
import { modelPod } from "../../../test/support/model-pod.ts";
import type { Pod } from "../model/pod.ts";
import { isOverfull } from "./is-overfull.ts";

const amounts = (cpu: number, pods: number): ReadonlyMap<string, number> => new Map(Object.entries({ cpu, pods }));
const initialized = new Map([["karpenter.sh/initialized", "true"]]);
const claim = modelClaim({ allocatable: amounts(4_000, 3) });
const node = modelNode({ labels: initialized, allocatable: amounts(4_000, 3) });

function podsOf(...cpus: readonly number[]): readonly Pod[] {
  return cpus.map((cpu, index) => modelPod(`pod-${index}`, { spec: { requests: amounts(cpu, 1) } }));
}

describe("whether a node is overfull", () => {
  it("is decided by what its pods ask for and what it can allocate, in every resource", () => {
    const isFull = (...cpus: readonly number[]): boolean => isOverfull({ node, claim }, podsOf(...cpus));
    assert.deepEqual([isFull(), isFull(4_000), isFull(2_000, 2_000)], [false, false, false]);
    assert.deepEqual([isFull(2_000, 2_001), isFull(1, 1, 1), isFull(1, 1, 1, 1)], [true, false, true]);
  });

  it("is so where a pod asks for a resource that the node does not have", () => {
    const pod = modelPod("gpu", { spec: { requests: new Map([["example.com/gpu", 1]]) } });
    assert.equal(isOverfull({ node, claim }, [pod]), true);
    const nothing = modelPod("none", { spec: { requests: new Map([["example.com/gpu", 0]]) } });
    assert.equal(isOverfull({ node, claim }, [nothing]), false);
  });

  it("is decided by what the claim promises until the node is initialized", () => {
    const booting = modelNode({ allocatable: amounts(4_000, 0) });
    assert.equal(isOverfull({ node: booting, claim }, podsOf(1_000)), false);
    assert.equal(isOverfull({ node: undefined, claim }, podsOf(3_000, 1_001)), true);
    const lacking = modelNode({ labels: initialized, allocatable: amounts(3_900, 3) });
    assert.equal(isOverfull({ node: lacking, claim }, podsOf(4_000)), true);
  });
});
