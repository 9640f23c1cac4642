import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { modelPod } from "../../../test/support/model-pod.ts";
import { knownWorkloads, modelWorkload, podOf, podsOf } from "../../../test/support/model-workload.ts";
import type { Pod } from "../model/pod.ts";
import type { Workload } from "../model/workload.ts";
import { foreseePods } from "./foresee-pods.ts";
import type { KnownWorkloads } from "./known-workloads.ts";

const created = 1_000_000;
const soon = created + 20_000;
const later = created + 40_000;
const set = modelWorkload("web-1", { createdAt: created, demand: { kind: "replicas", replicas: 5 } });

interface Look {
  readonly now?: number;
  readonly pods?: readonly Pod[];
  readonly more?: Partial<KnownWorkloads>;
}

function foreseen(workloads: readonly Workload[], { now = soon, pods = [], more = {} }: Look = {}): number {
  return foreseePods(knownWorkloads(workloads, pods, more), { now, maxPods: 100 }).length;
}

describe("the pods that one look at a cluster foresees", () => {
  it("are those that are missing, firm once one of them exists", () => {
    const look = (pods: readonly Pod[]) => foreseePods(knownWorkloads([set], pods), { now: soon, maxPods: 3 });
    assert.deepEqual(
      look([]).map(({ expectation }) => expectation),
      ["tentative", "tentative", "tentative"],
    );
    assert.deepEqual(
      look(podsOf(set, 3, { createdAt: created })).map(({ expectation }) => expectation),
      ["firm", "firm"],
    );
  });

  it("are none where the workload, the one that created it or the namespace is opted out", () => {
    const owner = modelWorkload("web", { kind: "Deployment", isOptedOut: true });
    const controller = { apiVersion: "apps/v1", kind: "Deployment", name: "web", uid: owner.uid, isController: true };
    assert.equal(foreseen([{ ...set, isOptedOut: true }]), 0);
    assert.equal(foreseen([owner, { ...set, controller }]), 0);
    assert.equal(foreseen([set], { more: { lookAheadOptOuts: new Map([["default", true]]) } }), 0);
    assert.equal(foreseen([set], { more: { lookAheadOptOuts: new Map([["other", true]]) } }), 5);
  });

  it("are no more than quotas leave", () => {
    const quota = { namespace: "default", hard: new Map([["count/pods", 4_000]]), used: new Map(), scopes: [] };
    const one = { ...quota, hard: new Map([["count/pods", 3]]) };
    const pods = podsOf(set, 1, { createdAt: created });
    assert.equal(foreseen([set], { pods, more: { resourceQuotas: [quota] } }), 4);
    assert.equal(foreseen([set], { pods, more: { resourceQuotas: [quota, one] } }), 2);
    assert.equal(foreseen([set], { pods, more: { resourceQuotas: [{ ...one, namespace: "other" }] } }), 4);
  });

  it("are none of a workload that has created none for half a minute", () => {
    assert.equal(foreseen([set], { now: later }), 0);
    assert.equal(foreseen([set], { now: later, pods: [podOf(set, "a", { createdAt: soon })] }), 4);
    const other = modelPod("other", { createdAt: soon });
    assert.equal(foreseen([set], { now: later, pods: [other] }), 0);
    // Its controller has yet to come to it.
    assert.equal(foreseen([{ ...set, isObserved: false }], { now: later, pods: [other] }), 5);
  });
});
