import assert from "node:assert/strict";
import fc from "fast-check";
import type { Pod } from "../../src/core/model/pod.ts";
import { isActive, isReschedulable } from "../../src/core/model/pod-lifecycle.ts";
import { controllerUid, type Workload } from "../../src/core/model/workload.ts";
import { isReplaced } from "../../src/core/workloads/missing-pods.ts";
import { askedBy, goingNode, type ModelControlPlane, type Step, stepKinds } from "./model-control-plane.ts";

/** Whatever may happen to workloads, their pods and the watches; what controllers and watches do is more frequent. */
export const anySteps = fc.array(
  fc.record<Step>({
    what: fc.constantFrom(...stepKinds, "sync", "sync", "sync", "start", "start", "watch", "watch"),
    pick: fc.nat(1_000),
  }),
  { maxLength: 150, size: "max" },
);

interface Sum {
  asked: number;
  existing: number;
  expected: number;
}

/**
 * Fails when more pods exist and are expected than are asked for. What an owner asks for is judged by the objects that
 * the watches have delivered so far. A Deployment asks for the sum of what its ReplicaSets ask for, or for its own
 * replicas while none of them was delivered. Every other workload asks for what its own object says. For a while more pods
 * than that may exist, for example after it was scaled down: then none are expected. So for every owner:
 *
 *     expected = 0, or expected + existing ≤ asked
 *
 * Existing are active pods (running, pending, on nodes that go or stay), and the terminating pods of a StatefulSet on
 * nodes that go whose successors the planner finds places for. A pod is in one of these groups only.
 */
export function checkExpected(plane: ModelControlPlane, pods: readonly Pod[]): void {
  for (const [uid, { asked, existing, expected }] of sumsOf(plane, pods)) {
    const total = existing + expected;
    assert.ok(
      expected === 0 || total <= asked,
      `${uid}: ${expected} expected, ${existing} existing, ${asked} asked for`,
    );
    const most = plane.mostAsked(uid);
    assert.ok(expected === 0 || total <= most, `${uid}: ${total} expected or existing, ${most} ever asked for`);
  }
}

function sumsOf(plane: ModelControlPlane, pods: readonly Pod[]): ReadonlyMap<string, Sum> {
  const seen = new Map(plane.seenWorkloads.map((workload) => [workload.uid, workload]));
  const sums = new Map<string, Sum>();
  const sumOf = (uid: string): Sum => {
    const sum = sums.get(uid) ?? { asked: 0, existing: 0, expected: 0 };
    sums.set(uid, sum);
    return sum;
  };
  const withSets = new Set(plane.seenWorkloads.flatMap(({ controller }) => controller?.uid ?? []));
  for (const workload of plane.seenWorkloads) {
    if (!withSets.has(workload.uid)) sumOf(workload.controller?.uid ?? workload.uid).asked += askedBy(workload);
  }
  // The planner looks for a place for the next pod of a StatefulSet when this one terminates on a node that goes.
  const isPlannedAgain = (pod: Pod): boolean => {
    const workload = seen.get(controllerUid(pod));
    return pod.nodeName === goingNode && isReschedulable(pod) && workload !== undefined && isReplaced(pod, workload);
  };
  for (const pod of plane.seenPods) if (isActive(pod) || isPlannedAgain(pod)) sumOf(ownerOf(pod, seen)).existing++;
  for (const { uid } of pods) {
    const workload = seen.get(uid.slice(0, uid.lastIndexOf("/")));
    if (workload === undefined) throw new Error(`${uid} is expected of a workload that is not there`);
    sumOf(workload.controller?.uid ?? workload.uid).expected++;
  }
  return sums;
}

/** The object that decides: a Deployment for all its ReplicaSets, those included of which only pods were delivered. */
function ownerOf(pod: Pod, seen: ReadonlyMap<string, Workload>): string {
  const [owner] = pod.owners;
  if (owner?.kind !== "ReplicaSet") return owner?.uid ?? "";
  return seen.get(owner.uid)?.controller?.uid ?? `uid-${owner.name.slice(0, owner.name.lastIndexOf("-"))}`;
}
