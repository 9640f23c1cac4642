import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { modelClaim, modelNode, modelTaint } from "../../../test/support/model-machine.ts";
import { unregisteredTaint } from "../../core/lifecycle/registration.ts";
import { writeOpenPatch, writeSyncPatch } from "./write-node-patch.ts";

const claim = modelClaim({ name: "a", uid: "1" });
const protection = { finalizers: ["karpenter.sh/termination"], ownerUids: ["1"] };
const labels = new Map([["karpenter.sh/registered", "true"]]);
const owner = { apiVersion: "karpenter.sh/v1", kind: "NodeClaim", name: "a", uid: "1", blockOwnerDeletion: true };

describe("the patch that opens a node", () => {
  it("removes our taint, if nobody has written since", () => {
    const taints = [modelTaint("a", "NoSchedule"), unregisteredTaint];
    const node = modelNode({ ...protection, labels, taints, resourceVersion: "7" });
    assert.deepEqual(writeOpenPatch(claim, node, false), {
      metadata: { resourceVersion: "7" },
      spec: { taints: [{ key: "a", effect: "NoSchedule" }] },
    });
  });

  it("brings what protects pods where that is missing, beside what others have there", () => {
    const node = modelNode({ labels, finalizers: ["example.com/other"], ownerUids: ["2"] });
    assert.deepEqual(writeOpenPatch(claim, node, false), {
      metadata: { finalizers: ["karpenter.sh/termination"], ownerReferences: [owner] },
    });
  });

  it("says what the node has become", () => {
    assert.deepEqual(writeOpenPatch(claim, modelNode(protection), true), {
      metadata: { labels: { "karpenter.sh/registered": "true", "karpenter.sh/initialized": "true" } },
    });
  });

  it("is none for a node that is open", () => {
    assert.equal(writeOpenPatch(claim, modelNode({ ...protection, labels }), false), undefined);
  });
});

describe("the patch that brings onto a node what its claim asks for", () => {
  const node = modelNode({ labels: new Map([["karpenter.kwok.sh/kwoknodeclass", "default"]]) });

  it("is left out where all that is missing may come when the node is opened", () => {
    assert.equal(writeSyncPatch(claim, node, true), undefined);
    assert.deepEqual(writeSyncPatch(claim, node, false), {
      metadata: { finalizers: ["karpenter.sh/termination"], ownerReferences: [owner] },
    });
  });

  it("has all of it where something else is missing", () => {
    const { metadata } = writeSyncPatch(claim, modelNode(), true) as { metadata: object };
    assert.deepEqual(Object.keys(metadata), ["labels", "finalizers", "ownerReferences"]);
  });
});
