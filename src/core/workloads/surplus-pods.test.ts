import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { modelWorkload, podOf, podsOf } from "../../../test/support/model-workload.ts";
import type { Pod } from "../model/pod.ts";
import type { Workload } from "../model/workload.ts";
import { surplusPods } from "./surplus-pods.ts";
import { podsOfUnseenSets } from "./unseen-sets.ts";

const [old, next] = [setOf("web-1", 2), setOf("web-2", 1)];

function setOf(name: string, replicas: number): Workload {
  return modelWorkload(name, { demand: { kind: "replicas", replicas } });
}

function surplus(pods: readonly (readonly Pod[])[], unseen: readonly Pod[] = []): number {
  return surplusPods({ sets: [old, next].map((workload, index) => ({ workload, pods: pods[index] ?? [] })), unseen });
}

describe("the surplus of a Deployment", () => {
  it("are the active pods that none of its ReplicaSets asks for", () => {
    assert.equal(surplus([podsOf(old, 2), podsOf(next, 1)]), 0);
    assert.equal(surplus([podsOf(old, 0), podsOf(next, 3)]), 2);
    assert.equal(surplus([podsOf(old, 3), podsOf(next, 3)]), 3);
    assert.equal(surplus([[], [...podsOf(next, 1), podOf(next, "x", { isDeleting: true })]]), 0);
  });

  it("includes the active pods of ReplicaSets that are not known", () => {
    const unseen = setOf("web-3", 4);
    assert.equal(surplus([], [...podsOf(unseen, 2), podOf(unseen, "x", { phase: "Failed" })]), 2);
  });

  it("leaves out ReplicaSets that are not looked ahead to", () => {
    const foreign = modelWorkload("web-4", { demand: { kind: "none" } });
    assert.equal(surplusPods({ sets: [{ workload: foreign, pods: podsOf(foreign, 2) }], unseen: [] }), 0);
  });
});

it("pods of ReplicaSets that are not known are found by the name of their Deployment", () => {
  const api = setOf("web-api-1", 1);
  const job = modelWorkload("batch-1", { kind: "Job" });
  const [known, unknown, other] = [podOf(old, "a"), podOf(next, "b"), podOf(api, "c")];
  const far = podOf(next, "d", { namespace: "far" });
  const pods = podsOfUnseenSets([known, unknown, other, far, podOf(job, "e")], (uid) => uid === old.uid);
  assert.deepEqual(
    pods,
    new Map([
      ["default/web", [unknown]],
      ["default/web-api", [other]],
      ["far/web", [far]],
    ]),
  );
});
