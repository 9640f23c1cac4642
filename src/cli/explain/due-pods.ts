import type { ClusterState } from "../../core/cluster/cluster-state.ts";
import { takeSnapshot } from "../../core/cluster/take-snapshot.ts";
import { forkWithout } from "../../core/disruption/fork-snapshot.ts";
import type { DisruptionView } from "../../core/disruption/judge-candidate.ts";
import { mustStay } from "../../core/model/disruption-budget.ts";
import type { Pod } from "../../core/model/pod.ts";
import { isActive } from "../../core/model/pod-lifecycle.ts";
import type { Snapshot } from "../../core/model/snapshot.ts";
import { controllerOf } from "../../core/model/workload.ts";
import type { ProvisioningPlan } from "../../core/scheduling/plan.ts";
import { planProvisioning } from "../../core/scheduling/provisioning.ts";
import { isOnItsWay } from "../../core/workloads/counted-pods.ts";
import { foreseePods } from "../../core/workloads/foresee-pods.ts";
import type { Section } from "../ask/sections.ts";
import type { Question } from "./explain-pod.ts";
import { planRequest, planSettings } from "./plan-settings.ts";

/** Pods that are not on a node yet, and that keep it from being empty. */
export interface DuePods {
  readonly pods: readonly Pod[];
  /** Whether a plan puts them there. Otherwise they only fit, and the controller may have planned them for the node. */
  readonly isPlanned: boolean;
}

/**
 * Plans the pods that have no node, those included that workloads still have to create, and remembers where, as the
 * controller does. Its own memory is not known here: it keeps to the nodes of its earlier plans.
 */
export function planDuePods(nodeName: string, question: Question, view: DisruptionView): DuePods {
  const { cluster, settings, now } = question;
  const looksAhead = settings.lookAhead === "Workloads";
  const { snapshot, pendingPods } = takeSnapshot(cluster, {
    instanceTypesOf: ({ name }) => view.instanceTypesOf(name),
    mustStay: (pod) => mustStay(pod, view.budgets, now),
    isOnItsWay: (pod) => looksAhead && isOnItsWay(pod, cluster),
  });
  const expected = looksAhead ? foreseePods(cluster, { now, maxPods: settings.lookAheadMaxPods }) : [];
  const waiting = [...pendingPods, ...expected];
  const plan = (on: Snapshot): ProvisioningPlan["placements"] =>
    waiting.length === 0 ? [] : planProvisioning(on, waiting, planSettings(planRequest(on, question))).placements;
  const placements = plan(snapshot);
  remember(placements, cluster, now);
  const nominated = cluster.podsNominatedTo(nodeName).filter(isActive);
  const planned = [...nominated, ...podsOn(nodeName, placements)];
  if (planned.length > 0) return { pods: planned, isPlanned: true };
  const alone = forkWithout({ ...snapshot, nodePools: [] }, [], { gone: new Set(), destinations: new Set([nodeName]) });
  return { pods: podsOn(nodeName, plan(alone.snapshot)), isPlanned: false };
}

function podsOn(nodeName: string, placements: ProvisioningPlan["placements"]): readonly Pod[] {
  return placements.find(({ node }) => node.name === nodeName)?.pods ?? [];
}

function remember(placements: ProvisioningPlan["placements"], cluster: ClusterState, now: number): void {
  for (const { node, pods } of placements) {
    const object = cluster.nodes.get(node.name);
    const claim = object === undefined ? cluster.claims.get(node.name) : cluster.claimsOf(object)[0];
    if (claim === undefined) continue;
    for (const pod of pods) {
      cluster.intendedPods.intend(pod.uid, claim.name, now, pod.expectation === undefined ? undefined : pod);
    }
  }
}

/** Workload by workload. */
export function describeDuePods({ pods, isPlanned }: DuePods, cluster: ClusterState): Section {
  const groups = Map.groupBy(pods, (pod) => describeOrigin(pod, cluster));
  const lines = Array.from(groups, ([origin, { length }]) => {
    const [count, are, fit] = length === 1 ? ["1 pod", "is", "fits"] : [`${length} pods`, "are", "fit"];
    return `${count} ${origin} ${isPlanned ? `${are} due here` : `${fit} here and may be due`}`;
  });
  const source = `A plan that was made now puts them ${isPlanned ? "here" : "elsewhere"}. The controller keeps to its earlier plans, which are not known here.`;
  return { title: `PODS ON THEIR WAY (${pods.length})`, lines: pods.length === 0 ? [] : [...lines, source] };
}

function describeOrigin(pod: Pod, cluster: ClusterState): string {
  const { namespace, name, expectation } = pod;
  const owner = controllerOf(pod);
  if (owner === undefined) return `(${namespace}/${name})`;
  const top = cluster.workloadByUid(owner.uid)?.controller ?? owner;
  const workload = `${top.kind} ${namespace}/${top.name}`;
  return expectation === undefined ? `of ${workload}` : `that ${workload} still has to create`;
}
