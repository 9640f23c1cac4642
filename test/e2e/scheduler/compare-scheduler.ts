// Compares our scheduler with the real kube-scheduler on random clusters:
// `npx node test/e2e/scheduler/compare-scheduler.ts --clusters 100 --seed 1` and, for scores, `--scores`; `--model`
// compares the planner's model of kube-scheduler instead of our scheduler.
import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual, parseArgs } from "node:util";
import type { Pod } from "kubernetes-types/core/v1.js";
import { type ClusterObject, SchedulerCache } from "../../../src/embedded/scheduler/scheduler-cache.ts";
import type { Extender } from "./extender.ts";
import type { GrowingFile } from "./growing-file.ts";
import { ModelView } from "./model-view.ts";
import { bestNodes, type Decision, decisionOf, describeCandidate, scoresOf } from "./our-decision.ts";
import { plainCluster } from "./plain-cluster.ts";
import { type RandomCluster, randomCluster } from "./random-cluster.ts";
import {
  attemptOf,
  createCluster,
  createValid,
  keyOf,
  removeCluster,
  type SchedulerLab,
  settleMs,
  startSchedulerLab,
  waitForAttempts,
} from "./scheduler-lab.ts";

export interface ComparisonOptions {
  readonly clusters: number;
  /** Of the first cluster; the others follow. */
  readonly seed: number;
  /** Compares the scores of the feasible nodes instead of the feasible nodes. */
  readonly scores?: boolean;
  /** Compares the nodes that the planner's model chooses among with those of the highest score, in plain clusters. */
  readonly model?: boolean;
  readonly progress?: (line: string) => void;
}

export interface Comparison {
  readonly pods: number;
  /** Pods that had at least one feasible node. */
  readonly feasible: number;
  readonly differences: readonly string[];
}

export async function compareWithKubeScheduler(options: ComparisonOptions): Promise<Comparison> {
  const lab = await startSchedulerLab({ ...options, scores: options.scores === true || options.model === true });
  try {
    return await compareAll(lab, options);
  } finally {
    await lab.stop();
  }
}

async function compareAll(
  lab: SchedulerLab,
  { clusters, seed, scores = false, model = false, progress }: ComparisonOptions,
): Promise<Comparison> {
  let pods = 0;
  let feasible = 0;
  const differences: string[] = [];
  for (let current = seed; current < seed + clusters; current++) {
    const drawn = randomCluster(current, { hasVolumes: !scores && !model });
    const cluster = model ? plainCluster(drawn) : drawn;
    const objects = await createCluster(lab.api, cluster);
    const results = await (model
      ? compareModel(lab, objects, cluster)
      : compareOurs(lab, objects, { cluster, scores }));
    await removeCluster(lab.api);
    pods += results.length;
    feasible += results.filter(({ isFeasible }) => isFeasible).length;
    for (const { difference } of results)
      if (difference !== undefined) differences.push(`seed ${current}: ${difference}`);
    progress?.(`seed ${current}: ${pods} pods, ${feasible} with a place, ${differences.length} differences`);
  }
  return { pods, feasible, differences };
}

function compareOurs(
  lab: SchedulerLab,
  objects: readonly ClusterObject[],
  { cluster, scores }: { readonly cluster: RandomCluster; readonly scores: boolean },
): Promise<Result[]> {
  const cache = new SchedulerCache();
  for (const object of objects) cache.set(object);
  return scores ? compareScores(lab, cache, cluster) : compareDecisions(lab, cache, cluster);
}

interface Result {
  readonly isFeasible: boolean;
  readonly difference: string | undefined;
}

async function compareDecisions(lab: SchedulerLab, cache: SchedulerCache, cluster: RandomCluster): Promise<Result[]> {
  const pending = await createValid(lab.api, cluster.pending);
  const first = await decideAll(lab, cache, pending);
  // The scheduler may have seen an object too late; what is no accident shows again.
  const doubtful = pending.filter((_, position) => first[position]?.difference !== undefined);
  await sleep(doubtful.length === 0 ? 0 : settleMs);
  const again = doubtful.map((pod) => ({ ...pod, metadata: { ...pod.metadata, name: `${pod.metadata?.name}-again` } }));
  const second = await decideAll(lab, cache, await createValid(lab.api, again));
  const results = first.map((result) => (result.difference === undefined ? result : second.shift()!));
  return [...results, ...(await compareReturning(lab, cache, cluster))];
}

/** One after the other, because each keeps room free. The gate holds a pod back until its nomination is written. */
async function compareReturning({ api, extender }: SchedulerLab, cache: SchedulerCache, { returning }: RandomCluster) {
  const results: Result[] = [];
  for (const pod of returning) {
    const spec = {
      ...pod.spec,
      containers: pod.spec?.containers ?? [],
      schedulingGates: [{ name: "example.com/wait" }],
    };
    if (!(await api.create({ ...pod, spec } as ClusterObject))) continue;
    await api.change(pod, { spec: { schedulingGates: null } });
    const stored = (await waitForAttempts(api, [pod])).get(keyOf(pod))!;
    results.push(resultOf({ cache, extender, stored, status: pod.status ?? {} }));
    await api.remove(pod);
  }
  return results;
}

async function decideAll(
  { api, extender }: SchedulerLab,
  cache: SchedulerCache,
  pods: readonly Pod[],
): Promise<Result[]> {
  const attempted = await waitForAttempts(api, pods);
  return pods.map((pod) => resultOf({ cache, extender, stored: attempted.get(keyOf(pod))!, status: {} }));
}

interface Attempt {
  readonly cache: SchedulerCache;
  readonly extender: Extender;
  readonly stored: Pod;
  /** What the pod had when the scheduler took it up. */
  readonly status: NonNullable<Pod["status"]>;
}

function resultOf({ cache, extender, stored, status }: Attempt): Result {
  const observed = extender.observe(stored.metadata?.uid ?? "");
  const preemption = Array.from(observed.preemption, ([node, { victims, violations }]) =>
    describeCandidate(node, victims, violations),
  ).sort();
  const feasible = [...observed.feasible].sort();
  const message = feasible.length > 0 ? "" : (attemptOf(stored)?.message ?? "");
  const real: Decision = { feasible, preemption, message };
  const ours = decisionOf(cache, { ...stored, status });
  // Real preemption finds its candidates gone.
  const isPrevented = ours.preemption.length > 0 && feasible.length === 0;
  const prevented = isPrevented ? " no new claims to deallocate, preemption: no candidate node for preemption" : "";
  // The real one also names, for the nodes that it did not look at, whatever refused the nominated one.
  const isNominated = status.nominatedNodeName !== undefined;
  const comparable = (text: string) => (isNominated ? text.replace(/(plugin\(s\)) \[[^\]]*\]/, "$1") : text);
  const isSame = isDeepStrictEqual(
    { ...ours, message: comparable(ours.message + prevented) },
    { ...real, message: comparable(message) },
  );
  const { spec } = stored;
  const texts = [keyOf(stored), ...[ours, real, status, spec].map((part) => `  ${JSON.stringify(part)}`)];
  return { isFeasible: feasible.length > 0, difference: isSame ? undefined : texts.join("\n") };
}

async function compareScores(lab: SchedulerLab, cache: SchedulerCache, { pending }: RandomCluster): Promise<Result[]> {
  return scoreOneByOne(lab, pending, (stored, real) => {
    const ours = scoresOf(cache, { ...stored, status: {} });
    const isSame = isDeepStrictEqual(new Map([...ours].sort()), new Map([...real].sort()));
    const wrong = [...new Set([...ours.keys(), ...real.keys()])].filter((key) => ours.get(key) !== real.get(key));
    const lines = wrong.map((key) => `  ${key}: ours ${ours.get(key)}, real ${real.get(key)}`);
    const difference = isSame ? undefined : `${keyOf(stored)}\n${lines.join("\n")}\n  ${JSON.stringify(stored)}`;
    return { isFeasible: ours.size > 0, difference };
  });
}

/** Where kube-scheduler has more than one node to choose from. */
async function compareModel(
  lab: SchedulerLab,
  objects: readonly ClusterObject[],
  { pending }: RandomCluster,
): Promise<Result[]> {
  return scoreOneByOne(lab, pending, (stored, scores) => {
    const waiting = { ...stored, status: {} };
    const real = bestNodes([], scores);
    const ours = new ModelView(objects, [waiting]).choices(waiting);
    const isSame = scores.size === 0 ? ours.length <= 1 : isDeepStrictEqual(ours, real);
    const texts = [keyOf(stored), ...[ours, real, [...scores], stored].map((part) => `  ${JSON.stringify(part)}`)];
    return { isFeasible: scores.size > 0, difference: isSame ? undefined : texts.join("\n") };
  });
}

/** One after the other, because a pod counts on its node until binding has failed. */
async function scoreOneByOne(
  lab: SchedulerLab,
  pending: readonly Pod[],
  compare: (stored: Pod, real: ReadonlyMap<string, number>) => Result,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const pod of pending) {
    if (!(await lab.api.create(pod))) continue;
    const stored = (await waitForAttempts(lab.api, [pod])).get(keyOf(pod))!;
    await sleep(20);
    results.push(compare(stored, loggedScores(lab.schedulerLog, keyOf(pod))));
    await lab.api.remove(pod);
  }
  return results;
}

/** From what the log has got since the last look. Devices score every pod, though only those that claim some differ. */
function loggedScores(log: GrowingFile, pod: string): ReadonlyMap<string, number> {
  const scores = new Map<string, number>();
  const pattern = new RegExp(
    `"Plugin scored node for pod" .*pod="${pod}" plugin="(\\w+)" node="([\\w-]+)" score=(\\d+)`,
  );
  for (const line of log.read().split("\n")) {
    const match = pattern.exec(line);
    if (match !== null && match[1] !== "DynamicResources") scores.set(`${match[2]} ${match[1]}`, Number(match[3]));
  }
  return scores;
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      clusters: { type: "string", default: "20" },
      seed: { type: "string", default: "1" },
      scores: { type: "boolean", default: false },
      model: { type: "boolean", default: false },
    },
  });
  const { pods, feasible, differences } = await compareWithKubeScheduler({
    clusters: Number(values.clusters),
    seed: Number(values.seed),
    scores: values.scores,
    model: values.model,
    progress: (line) => console.log(line),
  });
  for (const difference of differences) console.log(`\n${difference}`);
  console.log(
    `\n${values.clusters} clusters, ${pods} pods, ${feasible} with a place, ${differences.length} differences`,
  );
  if (differences.length > 0) process.exitCode = 1;
}
