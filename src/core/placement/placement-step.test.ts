import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { modelClaim, modelNode, modelTaint } from "../../../test/support/model-machine.ts";
import { modelPod } from "../../../test/support/model-pod.ts";
import type { NodeClaim } from "../model/node-claim.ts";
import type { NodeObject } from "../model/node-object.ts";
import type { Pod } from "../model/pod.ts";
import { placementStep } from "./placement-step.ts";

const claim = modelClaim({ name: "a" });
const ready = modelNode();
const refused = { nodeName: "", phase: "Pending", scheduledReason: "Unschedulable" };

function bound(
  pods: readonly Pod[],
  { of = claim, to = ready, beside = [] }: { of?: NodeClaim; to?: NodeObject | "none"; beside?: readonly Pod[] } = {},
): readonly string[] {
  const node = to === "none" ? undefined : to;
  return placementStep({ claim: of, node, intendedPods: pods, podsOnNode: beside })?.pods.map(({ name }) => name) ?? [];
}

describe("the next step of a placement", () => {
  it("binds the pods that are meant for a node once it is ready", () => {
    const pods = [modelPod("a", refused), modelPod("b", refused)];
    assert.deepEqual(bound(pods), ["a", "b"]);
    assert.deepEqual(bound(pods, { to: modelNode({ conditions: [] }) }), []);
    assert.deepEqual(bound(pods, { to: "none" }), []);
  });

  it("binds no more than there is room for beside what kube-scheduler has put there", () => {
    const large = { ...modelPod("any").spec, requests: new Map([["cpu", 1000]]) };
    const to = modelNode({ ...ready, allocatable: new Map([["cpu", 3900]]) });
    const pods = ["a", "b", "c"].map((name) => modelPod(name, { ...refused, spec: large }));
    assert.deepEqual(bound(pods, { to }), ["a", "b", "c"]);
    assert.deepEqual(bound(pods, { to, beside: [modelPod("d", { spec: large })] }), ["a", "b"]);
  });

  it("binds none to a node that goes, or that waits for a startup taint to be removed", () => {
    const pods = [modelPod("a", refused)];
    assert.deepEqual(bound(pods, { to: modelNode({ ...ready, deletedAt: 1 }) }), []);
    assert.deepEqual(bound(pods, { of: modelClaim({ deletedAt: 1 }) }), []);
    assert.deepEqual(bound(pods, { of: modelClaim({ startupTaints: [modelTaint("agent", "NoSchedule")] }) }), []);
  });

  it("leaves to kube-scheduler what it has not refused, what does not exist yet, and what it must decide", () => {
    const spec = modelPod("any").spec;
    const claimed = {
      ...spec,
      volumeClaims: [{ claimName: "data", isEphemeral: false, storageClassName: "", storage: 0 }],
    };
    const pods = [
      modelPod("untried", { ...refused, scheduledReason: "" }),
      modelPod("gated", { ...refused, isGated: true }),
      modelPod("going", { ...refused, isDeleting: true }),
      modelPod("bound", { ...refused, nodeName: "elsewhere" }),
      modelPod("expected", { ...refused, expectation: "firm" }),
      modelPod("with-volume", { ...refused, spec: claimed }),
    ];
    assert.deepEqual(bound(pods), []);
  });

  it("binds only pods that tolerate the taints of the node", () => {
    const to = modelNode({ ...ready, taints: [modelTaint("team", "NoSchedule", "x")] });
    assert.deepEqual(bound([modelPod("a", refused)], { to }), []);
  });
});
