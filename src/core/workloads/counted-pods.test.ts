import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { daemonSetOwner } from "../../../test/support/model-pod.ts";
import { knownWorkloads, modelWorkload, podOf } from "../../../test/support/model-workload.ts";
import type { Pod } from "../model/pod.ts";
import { isOnItsWay } from "./counted-pods.ts";

const workload = modelWorkload("web-1");
const pod = podOf(workload, "a", { nodeName: "", scheduledReason: "" });

function isPlanned(fields: Partial<Pod>, set = workload): boolean {
  return isOnItsWay({ ...pod, ...fields }, knownWorkloads([set], []));
}

describe("a pod that kube-scheduler has not tried", () => {
  it("is planned for already if its workload is counted", () => {
    assert.equal(isPlanned({}), true);
    assert.equal(isPlanned({ owners: [] }), false);
    assert.equal(isPlanned({}, { ...workload, isOptedOut: true }), false);
  });

  it("is not once it was refused, nor if it belongs to a DaemonSet", () => {
    assert.equal(isPlanned({ scheduledReason: "Unschedulable" }), false);
    assert.equal(isPlanned({ owners: [{ ...daemonSetOwner, uid: workload.uid }] }), false);
  });
});
