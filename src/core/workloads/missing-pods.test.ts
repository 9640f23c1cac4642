import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ModelPodFields } from "../../../test/support/model-pod.ts";
import { modelJob, modelStatefulSet, modelWorkload, podOf, podsOf } from "../../../test/support/model-workload.ts";
import type { OrdinalDemand, TaskDemand, Workload } from "../model/workload.ts";
import { isReplaced, missingPods } from "./missing-pods.ts";

const terminating: ModelPodFields = { deletesAt: 30_000 };
const succeeded: ModelPodFields = { phase: "Succeeded" };
const failed: ModelPodFields = { phase: "Failed" };

describe("the missing pods of a ReplicaSet", () => {
  const set = (replicas: number): Workload => modelWorkload("web", { demand: { kind: "replicas", replicas } });

  it("are those between its pods and its replicas", () => {
    assert.equal(missingPods(set(5), podsOf(set(5), 2)).length, 3);
    assert.equal(missingPods(set(2), podsOf(set(2), 5)).length, 0);
    assert.equal(missingPods(set(0), []).length, 0);
  });

  it("include the successors of pods that terminate or have ended", () => {
    const pods = [podOf(set(3), "a", terminating), podOf(set(3), "b", failed), podOf(set(3), "c")];
    assert.equal(missingPods(set(3), pods).length, 2);
  });

  it("count pods that wait for a node or for a gate as created", () => {
    const pods = [podOf(set(3), "a", { phase: "Pending", nodeName: "" }), podOf(set(3), "b", { isGated: true })];
    assert.equal(missingPods(set(3), pods).length, 1);
  });

  it("are none while it is deleted", () => {
    assert.deepEqual(missingPods({ ...set(3), isDeleting: true }, []), []);
  });

  it("are counted the same way for a ReplicationController", () => {
    const controller = modelWorkload("web", {
      kind: "ReplicationController",
      demand: { kind: "replicas", replicas: 3 },
    });
    assert.equal(missingPods(controller, podsOf(controller, 1)).length, 2);
  });

  it("are not listed beyond the limit, however many it asks for", () => {
    assert.equal(missingPods(set(2 ** 31 - 1), [], 7).length, 7);
    assert.equal(missingPods(set(2 ** 31 - 1), [], 0).length, 0);
  });
});

it("no pods are missing of a workload that creates none", () => {
  assert.deepEqual(missingPods(modelWorkload("web", { demand: { kind: "none" } }), []), []);
});

describe("the missing pods of a StatefulSet", () => {
  const missing = (
    demand: Partial<OrdinalDemand>,
    pods: Readonly<Record<number, ModelPodFields>>,
  ): readonly number[] => {
    const set = modelStatefulSet("db", demand);
    return missingPods(
      set,
      Object.entries(pods).map(([ordinal, fields]) => podOf(set, ordinal, fields)),
    );
  };

  it("are all of them with Parallel, by ordinal", () => {
    assert.deepEqual(missing({ isParallel: true, replicas: 4 }, { 1: { readyAt: undefined } }), [0, 2, 3]);
    assert.deepEqual(missing({ isParallel: true, start: 5 }, { 5: {} }), [6, 7]);
    assert.deepEqual(missing({ isParallel: true, replicas: 2 ** 31 - 1 }, {}).length, 5_000);
  });

  it("are the next one with OrderedReady", () => {
    assert.deepEqual(missing({}, {}), [0]);
    assert.deepEqual(missing({}, { 0: {} }), [1]);
    assert.deepEqual(missing({}, { 1: {}, 2: {} }), [0]);
    assert.deepEqual(missing({ start: 10 }, { 10: {} }), [11]);
    assert.deepEqual(missing({}, { 0: {}, 1: {}, 2: {} }), []);
  });

  it("wait with OrderedReady until every pod before is ready and does not terminate", () => {
    assert.deepEqual(missing({}, { 0: { readyAt: undefined } }), []);
    assert.deepEqual(missing({}, { 0: terminating }), []);
    assert.deepEqual(missing({}, { 0: failed }), []);
  });

  it("wait with OrderedReady until the pods before have been ready for minReadySeconds", () => {
    assert.deepEqual(missing({ available: 1 }, { 0: {}, 1: {} }), []);
    assert.deepEqual(missing({ available: 2 }, { 0: {}, 1: {} }), [2]);
    assert.deepEqual(missing({ available: 0, isParallel: true }, { 0: {} }), [1, 2]);
  });

  it("leave out the ordinal of a pod that terminates or has ended: the planner counts that pod itself", () => {
    assert.deepEqual(missing({ isParallel: true }, { 0: terminating, 1: failed }), [2]);
  });

  it("leave out ordinals that it no longer asks for", () => {
    assert.deepEqual(missing({ isParallel: true, replicas: 1 }, { 2: terminating }), [0]);
  });

  it("are as many fewer as it has pods beyond its last ordinal", () => {
    assert.deepEqual(missing({ isParallel: true, replicas: 3 }, { 2: {}, 4: {} }), [0]);
    assert.deepEqual(missing({ replicas: 1 }, { 1: {}, 2: {} }), []);
  });

  it("take the place of a pod that terminates while its ordinal is asked for", () => {
    const set = modelStatefulSet("db", { start: 2, replicas: 2 });
    const isAskedFor = (ordinal: number): boolean => isReplaced(podOf(set, ordinal, terminating), set);
    assert.deepEqual([1, 2, 3, 4].map(isAskedFor), [false, true, true, false]);
    assert.equal(isReplaced(podOf(set, 2, terminating), { ...set, isDeleting: true }), false);
    const web = modelWorkload("web");
    assert.equal(isReplaced(podOf(web, "a", terminating), web), true);
  });
});

describe("the missing pods of a Job", () => {
  const missing = (demand: Partial<TaskDemand>, pods: readonly ModelPodFields[]): number => {
    const job = modelJob("batch", demand);
    return missingPods(
      job,
      pods.map((fields, index) => podOf(job, index, fields)),
    ).length;
  };
  const running: ModelPodFields = {};

  it("are as many as may run side by side", () => {
    assert.equal(missing({}, []), 5);
    assert.equal(missing({}, [running, running]), 3);
    assert.equal(missing({ parallelism: 0 }, []), 0);
  });

  it("are no more than completions are left", () => {
    assert.equal(missing({ succeeded: 8 }, []), 2);
    assert.equal(missing({ succeeded: 8 }, [running]), 1);
    assert.equal(missing({ succeeded: 10 }, []), 0);
  });

  it("are counted from its pods where its status is behind", () => {
    assert.equal(missing({ completions: 6 }, [succeeded, succeeded, succeeded]), 3);
    const uncounted = { ...succeeded, isUncounted: true };
    assert.equal(missing({ completions: 6, succeeded: 1 }, [succeeded, uncounted, uncounted]), 3);
  });

  it("count a pod once whose end is in the status already", () => {
    const counted = new Set(["uid-batch-0", "uid-batch-1"]);
    const uncounted = { ...succeeded, isUncounted: true };
    assert.equal(missing({ completions: 5, succeeded: 2, counted }, [uncounted, uncounted]), 3);
    const failure = { ...failed, isUncounted: true, createdAt: 1 };
    const two = { failed: 2, counted, backoffLimit: 2 };
    assert.equal(missing(two, [failure, failure, { ...succeeded, createdAt: 2 }]), 5);
  });

  it("are none without a number of completions once one has succeeded", () => {
    assert.equal(missing({ completions: undefined }, [running]), 4);
    assert.equal(missing({ completions: undefined }, [running, succeeded]), 0);
    assert.equal(missing({ completions: undefined, succeeded: 1 }, []), 0);
  });

  it("are none with more failures than its backoff limit, and while it waits after one", () => {
    assert.equal(missing({ failed: 7 }, []), 0);
    assert.equal(missing({ failed: 6 }, []), 5);
    assert.equal(missing({ backoffLimit: 0 }, [{ ...failed, isUncounted: true }]), 0);
    assert.equal(missing({}, [running, failed]), 0);
    assert.equal(missing({}, [running, failed, { ...succeeded, createdAt: 1 }]), 4);
  });

  it("are those of other indexes where each index is retried on its own", () => {
    const indexed = { hasBackoffPerIndex: true, backoffLimit: 2 ** 31 - 1 };
    assert.equal(missing(indexed, [running, { ...failed, isUncounted: true }]), 3);
    assert.equal(missing({ ...indexed, failedIndexes: 7 }, [running]), 2);
    assert.equal(missing({ ...indexed, backoffLimit: 3, failed: 4 }, [running]), 0);
  });

  it("replace a pod that terminates at once, or after its end where the Job says so", () => {
    assert.equal(missing({}, [running, { ...terminating }]), 4);
    assert.equal(missing({ waitsForTerminating: true }, [running, { ...terminating }]), 3);
    assert.equal(missing({ waitsForTerminating: true }, [running, { ...terminating, ...succeeded }]), 4);
  });
});
