import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { daemonSetOwner } from "../../../test/support/model-pod.ts";
import { knownWorkloads, modelWorkload, podOf } from "../../../test/support/model-workload.ts";
import type { Pod } from "../model/pod.ts";
import type { Workload } from "../model/workload.ts";
import { isOnItsWay, isSuperseded, mayBeExpected } from "./counted-pods.ts";
import { missingPods } from "./missing-pods.ts";

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

const deployment = modelWorkload("web", {
  kind: "Deployment",
  createdAt: 10_000,
  demand: { kind: "replicas", replicas: 4 },
});
const replicaSet = replicaSetOf(deployment, "5d9f", 4);

function replicaSetOf({ name, uid }: Workload, hash: string, replicas: number): Workload {
  return modelWorkload(`${name}-${hash}`, {
    controller: { apiVersion: "apps/v1", kind: "Deployment", name, uid, isController: true },
    demand: { kind: "replicas", replicas },
  });
}

/** Those that pods may be expected of, each by itself. */
function expectingWorkloads(workloads: readonly Workload[]): readonly Workload[] {
  const known = knownWorkloads(workloads, []);
  return workloads.filter((one) => mayBeExpected(one, known) && !isSuperseded(one, known));
}

function namesOf(workloads: readonly Workload[]): readonly string[] {
  return expectingWorkloads(workloads).map(({ name }) => name);
}

describe("a Deployment", () => {
  it("asks for pods itself until its ReplicaSet is seen", () => {
    assert.deepEqual(namesOf([deployment]), ["web"]);
    assert.deepEqual(namesOf([deployment, replicaSet]), ["web-5d9f"]);
    assert.deepEqual(namesOf([replicaSet]), ["web-5d9f"]);
  });

  it("with maxSurge 100 % rolls out only through what its ReplicaSets ask for", () => {
    const [old, next] = [replicaSetOf(deployment, "old", 4), replicaSetOf(deployment, "next", 4)];
    const workloads = expectingWorkloads([deployment, old, next]);
    const pods = [0, 1, 2, 3].map((id) => podOf(old, id));
    const counts = workloads.map((workload) => missingPods(workload, workload === old ? pods : []).length);
    assert.deepEqual(counts, [0, 4]);
  });

  it("that is paused still scales through its ReplicaSet", () => {
    const paused = { ...deployment, demand: { kind: "none" } as const };
    const [scaled, ...rest] = expectingWorkloads([paused, replicaSetOf(deployment, "5d9f", 6)]);
    assert.deepEqual(rest, []);
    assert.equal(missingPods(scaled!, [podOf(scaled!, "a")]).length, 5);
    assert.deepEqual(missingPods(paused, []), []);
  });
});

describe("the annotation that opts out", () => {
  it("leaves out a workload and the ReplicaSets of a Deployment", () => {
    const optedOut = { ...deployment, isOptedOut: true };
    assert.deepEqual(namesOf([optedOut]), []);
    assert.deepEqual(namesOf([optedOut, replicaSet]), []);
    assert.deepEqual(namesOf([deployment, { ...replicaSet, isOptedOut: true }]), []);
  });
});
