import type { Owner, Pod } from "../model/pod.ts";
import { isActive } from "../model/pod-lifecycle.ts";
import type { Demand, Workload } from "../model/workload.ts";
import { expectedPods } from "./expected-pod.ts";
import { missingPods } from "./missing-pods.ts";
import type { QuotaRoom } from "./quota-room.ts";

/** A workload that has not created all its pods yet. */
export interface Shortfall {
  readonly workload: Workload;
  /** Its pods as they are now, in the order in which they were seen. */
  readonly pods: readonly Pod[];
  /** Admission leaves pods of its namespace and service account as their templates describe them. */
  readonly isTrusted: boolean;
  /** It created no pod since nothing came of its pods: no machine is bought for them again until one exists. */
  readonly hasStalled: boolean;
  /** The numbers of the pods that were expected of it before, those that a plan has a place for first. */
  readonly numbers: readonly number[];
}

export interface ExpectationLimits {
  readonly quotaOf: (namespace: string) => QuotaRoom | undefined;
  /** How many pods the ReplicaSets of a controller have that none of them asks for, see {@link surplusPods}. */
  readonly surplusOf: (controller: Owner, namespace: string) => number;
  readonly maxPods: number;
}

/** The pods that workloads still have to create, older workloads first, and never more than they may create. */
export function expectPods(shortfalls: readonly Shortfall[], limits: ExpectationLimits): readonly Pod[] {
  const { quotaOf, surplusOf, maxPods } = limits;
  const oldestFirst = shortfalls.toSorted(
    (a, b) => a.workload.createdAt - b.workload.createdAt || (a.workload.uid < b.workload.uid ? -1 : 1),
  );
  const expected: Pod[] = [];
  /** By uid of the controller. */
  const surplus = new Map<string, number>();
  for (const shortfall of oldestFirst) {
    // A gate holds back its pods: nothing is planned for them before it is removed, and the next ones will have one, too.
    if (shortfall.pods.some((pod) => pod.isGated && isActive(pod))) continue;
    const { kind, namespace, ...workload } = shortfall.workload;
    const controller = kind === "ReplicaSet" ? workload.controller : undefined;
    const numbers = chooseNumbers(shortfall, maxPods - expected.length);
    const spare = controller === undefined ? 0 : (surplus.get(controller.uid) ?? surplusOf(controller, namespace));
    if (controller !== undefined) surplus.set(controller.uid, Math.max(0, spare - numbers.length));
    const quota = quotaOf(namespace);
    for (const pod of foresee(shortfall, numbers.slice(0, Math.max(0, numbers.length - spare)))) {
      // Its controller stops, too, when it may not create one.
      if (quota?.take(pod) === false) break;
      expected.push(pod);
    }
  }
  return expected;
}

/** Pods other than those of a StatefulSet are as good as each other: whichever were expected before are kept. */
function chooseNumbers({ workload, pods, numbers }: Shortfall, limit: number): readonly number[] {
  const missing = missingPods(workload, pods, limit);
  if (workload.demand.kind === "ordinals") return missing;
  const kept = numbers.slice(0, missing.length);
  const next = numbers.reduce((most, number) => Math.max(most, number), pods.length) + 1;
  return [...kept, ...Array.from({ length: missing.length - kept.length }, (_, index) => next + index)];
}

function foresee({ workload, pods, isTrusted, hasStalled }: Shortfall, numbers: readonly number[]): readonly Pod[] {
  const { demand } = workload;
  const byRevision = Map.groupBy(numbers, (number) => revisionOf(demand, number));
  return [...byRevision].flatMap(([revision, ofRevision]) => {
    const made = pods.filter((pod) => isMadeFrom(pod, demand, revision));
    const newest = newestAsAdmitted(made);
    // The template of an earlier revision is not known.
    if (newest === undefined && demand.kind === "ordinals" && revision !== demand.revision) return [];
    const isKnown = newest !== undefined || (isTrusted && made.length === 0);
    return expectedPods({ workload, newest, isFirm: isKnown && !hasStalled }, ofRevision);
  });
}

/** Of the template that a pod is going to be made from; "" where it is not known, or where there is only one. */
function revisionOf(demand: Demand, number: number): string {
  if (demand.kind !== "ordinals") return "";
  return number < demand.start + demand.partition ? demand.currentRevision : demand.revision;
}

function isMadeFrom(pod: Pod, demand: Demand, revision: string): boolean {
  if (demand.kind === "tasks" && demand.wasSuspended) return isActive(pod);
  return revision === "" || pod.labels.get("controller-revision-hash") === revision;
}

function newestAsAdmitted(pods: readonly Pod[]): Pod | undefined {
  let newest: Pod | undefined;
  for (const pod of pods) if (!pod.isEdited && pod.createdAt >= (newest?.createdAt ?? 0)) newest = pod;
  return newest;
}
