import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { modelClaim, modelNode } from "../../../test/support/model-machine.ts";
import { modelPod } from "../../../test/support/model-pod.ts";
import type { NodeClaim } from "../model/node-claim.ts";
import type { NodeObject } from "../model/node-object.ts";
import { misfit } from "./misfit.ts";

const cpu = (amount: number): ReadonlyMap<string, number> => new Map([["cpu", amount]]);
const labels = new Map([
  ["karpenter.sh/registered", "true"],
  ["karpenter.sh/initialized", "true"],
]);
const claim = modelClaim({ allocatable: cpu(4_000) });
const node = modelNode({ labels, allocatable: cpu(4_000) });

function podOf(amount: number) {
  return modelPod("pod", { spec: { requests: cpu(amount) } });
}

function reason(amount: number, on: { node?: NodeObject; claim?: NodeClaim; daemons?: number } = {}) {
  const daemonPods = [podOf(on.daemons ?? 0)];
  return misfit(podOf(amount), { claim: on.claim ?? claim, node: on.node ?? node }, daemonPods);
}

describe("why a node cannot take a pod that it was launched for", () => {
  it("is undefined when the node is as promised, even if other pods have taken the room", () => {
    assert.equal(reason(4_000), undefined);
  });

  it("names a resource of which the node has less than promised, if the pod would have fit otherwise", () => {
    const small = modelNode({ ...node, allocatable: cpu(3_000) });
    const less = "nodes have less cpu than the instance type promises: 3 instead of 4";
    assert.deepEqual([reason(3_000, { node: small }), reason(3_001, { node: small })], [undefined, less]);
    assert.equal(reason(2_900, { node: small, daemons: 101 }), less);
    assert.equal(reason(4_001, { node: small }), undefined);
  });
});
