import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { modelClaim, modelNode, modelTaint } from "../../../test/support/model-machine.ts";
import { unregisteredTaint } from "../../core/lifecycle/registration.ts";
import type { NodeObject } from "../../core/model/node-object.ts";
import { writeRegistrationPatch } from "./write-node-patch.ts";

const claim = modelClaim({ name: "a", uid: "1" });
const protection = { finalizers: ["karpenter.sh/termination"], ownerUids: ["1"] };
const labels = new Map([
  ["karpenter.kwok.sh/kwoknodeclass", "default"],
  ["karpenter.sh/registered", "true"],
]);
const owner = { apiVersion: "karpenter.sh/v1", kind: "NodeClaim", name: "a", uid: "1", blockOwnerDeletion: true };

/** The patch that leaves the taints as they are. */
function patchOf(node: NodeObject, { of = claim, isInitialized = false } = {}): object | undefined {
  return writeRegistrationPatch(of, node, { taints: node.writtenTaints, isInitialized });
}

describe("the patch that registers a node", () => {
  it("replaces the taints, if no other writer has changed the node since", () => {
    const taints = [modelTaint("a", "NoSchedule"), unregisteredTaint];
    const node = modelNode({ ...protection, labels, taints, resourceVersion: "7" });
    const kept = node.writtenTaints.slice(0, 1);
    assert.deepEqual(writeRegistrationPatch(claim, node, { taints: kept, isInitialized: false }), {
      metadata: { resourceVersion: "7" },
      spec: { taints: [{ key: "a", effect: "NoSchedule" }] },
    });
  });

  it("replaces the taints where one has taken the place of another", () => {
    const node = modelNode({ ...protection, labels, taints: [unregisteredTaint], resourceVersion: "7" });
    const taints = [{ ...modelTaint("a", "NoSchedule"), timeAdded: undefined }];
    assert.deepEqual(writeRegistrationPatch(claim, node, { taints, isInitialized: false }), {
      metadata: { resourceVersion: "7" },
      spec: { taints: [{ key: "a", effect: "NoSchedule" }] },
    });
  });

  it("adds the finalizer and the owner where they are missing, beside those of others", () => {
    const node = modelNode({ labels, finalizers: ["example.com/other"], ownerUids: ["2"] });
    assert.deepEqual(patchOf(node), {
      metadata: { finalizers: ["karpenter.sh/termination"], ownerReferences: [owner] },
    });
  });

  it("adds the labels and annotations of the claim, and says that the node is registered", () => {
    const of = modelClaim({
      ...claim,
      labels: new Map([["example.com/team", "ours"]]),
      annotations: new Map([["example.com/mine", "yes"]]),
    });
    const node = modelNode({ ...protection, labels: new Map([["example.com/team", "theirs"]]) });
    assert.deepEqual(patchOf(node, { of }), {
      metadata: {
        labels: {
          "karpenter.kwok.sh/kwoknodeclass": "default",
          "example.com/team": "ours",
          "karpenter.sh/registered": "true",
        },
        annotations: { "example.com/mine": "yes" },
      },
    });
  });

  it("says that the node is initialized once it is", () => {
    assert.deepEqual(patchOf(modelNode({ ...protection, labels }), { isInitialized: true }), {
      metadata: { labels: { "karpenter.sh/initialized": "true" } },
    });
  });

  it("is none for a node that has everything", () => {
    assert.equal(patchOf(modelNode({ ...protection, labels, taints: [modelTaint("a", "NoSchedule")] })), undefined);
  });
});
