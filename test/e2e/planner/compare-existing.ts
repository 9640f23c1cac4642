import { setTimeout as sleep } from "node:timers/promises";
import type { Node, Pod } from "kubernetes-types/core/v1.js";
import type { ClusterObject } from "../../../src/embedded/scheduler/scheduler-cache.ts";
import { type RandomCluster, randomCluster } from "../scheduler/random-cluster.ts";
import {
  createCluster,
  createValid,
  keyOf,
  removeCluster,
  type SchedulerLab,
  settleMs,
  waitForAttempts,
} from "../scheduler/scheduler-lab.ts";
import { hostnameKey } from "../scheduler/words.ts";
import { knownDifferences } from "./known-differences.ts";
import { PlannerView } from "./planner-view.ts";
import type { Tally } from "./tally.ts";

/** Asks the planner and kube-scheduler where each pod of a random cluster could go on the nodes that there are. */
export async function compareExisting(lab: SchedulerLab, seed: number, tally: Tally): Promise<void> {
  const cluster = randomCluster(seed);
  const nominated = cluster.nominated.map(withoutCompany);
  const objects = await createCluster(lab.api, { objects: withNodesKept(cluster.objects), nominated });
  const view = new PlannerView(objects);
  for (const { pod, real } of await askAll(lab, cluster, view)) {
    tally.pods++;
    if (real.length > 0) tally.feasible++;
    const ours = view.feasible(pod);
    if (isSame(ours, real)) continue;
    const known = knownDifferences.find(({ applies }) => applies({ objects, pod, real }));
    if (known === undefined) tally.problems.push(describe({ seed, pod, ours, real }));
    else tally.know(known.name);
  }
  await removeCluster(lab.api);
}

/** Every kubelet says the name of its host, and cordoned nodes get a taint. The planner takes both for granted. */
export function withNodesKept(objects: readonly ClusterObject[]): ClusterObject[] {
  return objects.map((object) => (object.kind === "Node" ? kept(object as Node) : object));
}

function kept({ metadata, spec, ...node }: Node): ClusterObject {
  const cordon = { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" };
  return {
    ...node,
    metadata: { ...metadata, labels: { ...metadata?.labels, [hostnameKey]: metadata?.name ?? "" } },
    spec: { ...spec, taints: [...(spec?.taints ?? []), ...(spec?.unschedulable === true ? [cordon] : [])] },
  } as ClusterObject;
}

/** kube-scheduler forgets what nominated pods say of others where neither the pod nor anybody on a node says any such thing. */
function withoutCompany(pod: Pod): Pod {
  return { ...pod, spec: { ...pod.spec, containers: pod.spec?.containers ?? [], affinity: {} } };
}

interface Answer {
  readonly pod: Pod;
  readonly real: readonly string[];
}

/** What is no accident shows again: kube-scheduler may have seen an object too late. */
async function askAll(lab: SchedulerLab, { pending }: RandomCluster, view: PlannerView): Promise<Answer[]> {
  const first = await ask(lab, pending);
  const doubtful = first.filter(({ pod, real }) => !isSame(view.feasible(pod), real)).map(({ pod }) => keyOf(pod));
  if (doubtful.length === 0) return first;
  await sleep(settleMs);
  const again = pending
    .filter((pod) => doubtful.includes(keyOf(pod)))
    .map((pod) => ({ ...pod, metadata: { ...pod.metadata, name: `${pod.metadata?.name}-again` } }));
  return [...first.filter(({ pod }) => !doubtful.includes(keyOf(pod))), ...(await ask(lab, again))];
}

async function ask({ api, extender }: SchedulerLab, pods: readonly Pod[]): Promise<Answer[]> {
  const valid = await createValid(api, pods);
  const stored = await waitForAttempts(api, valid);
  return valid.map((asked) => {
    const pod = stored.get(keyOf(asked))!;
    return { pod, real: [...extender.observe(pod.metadata?.uid ?? "").feasible].sort() };
  });
}

function isSame(ours: readonly string[], real: readonly string[]): boolean {
  return ours.join() === real.join();
}

function describe({
  seed,
  pod,
  ours,
  real,
}: {
  seed: number;
  pod: Pod;
  ours: readonly string[];
  real: readonly string[];
}) {
  const lines = [
    `seed ${seed}: ${keyOf(pod)}`,
    `planner ${ours}`,
    `kube-scheduler ${real}`,
    JSON.stringify({ labels: pod.metadata?.labels, ...pod.spec, status: pod.status }),
  ];
  return lines.join("\n  ");
}
