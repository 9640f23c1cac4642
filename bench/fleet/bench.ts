// How a large fleet is held and planned for: npm run bench:fleet. One JSON line for each measure.
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { WorkerPlanner } from "../../src/adapters/planner/worker-planner.ts";
import type { ClusterState } from "../../src/core/cluster/cluster-state.ts";
import { takeSnapshot } from "../../src/core/cluster/take-snapshot.ts";
import type { InstanceType } from "../../src/core/model/instance-type.ts";
import type { Pod } from "../../src/core/model/pod.ts";
import type { PlanningRequest } from "../../src/core/scheduling/plan-request.ts";
import { planProvisioning } from "../../src/core/scheduling/provisioning.ts";
import type { ScenarioOptions } from "../scenarios.ts";
import { clusterOf } from "./cluster-of.ts";
import { grownFleet, halved, planSettings } from "./grown-fleet.ts";
import { priceOf, settle } from "./settling.ts";

const megabyte = 2 ** 20;
/** So that there are about ten pods to a node, also where every second pod is gone. */
const mostCpus = { provisioning: 16, consolidation: 64 };
const common: Omit<PlanningRequest, "snapshot" | "pendingPods"> = {
  preferencePolicy: "Respect",
  minValuesPolicy: "Strict",
  wellKnownLabels: new Set(),
  defaultSpread: [],
};

function scenarioOf(pods: number): ScenarioOptions {
  return { kind: "fleet", pods, seed: 1, isTypical: true };
}

interface Timed<T> {
  readonly result: T;
  readonly seconds: number;
  readonly longestStallMilliseconds: number;
  /** How much of this thread's work came between two looks at the clock: the stall, had nobody else used the machine. */
  readonly longestTurnMilliseconds: number;
}

/** What happens, how long it takes, and for how long nothing else could happen meanwhile. */
async function timed<T>(act: () => Promise<T>): Promise<Timed<T>> {
  const stalls = monitorEventLoopDelay({ resolution: 5 });
  stalls.enable();
  // The first look at the clock sees no stall yet.
  await sleep(50);
  let worked = workedMilliseconds();
  let longestTurn = 0;
  const looks = setInterval(() => {
    const before = worked;
    worked = workedMilliseconds();
    longestTurn = Math.max(longestTurn, worked - before);
  }, 5);
  const started = performance.now();
  const result = await act();
  const seconds = (performance.now() - started) / 1000;
  await sleep(20);
  clearInterval(looks);
  stalls.disable();
  return {
    result,
    seconds,
    longestStallMilliseconds: Math.round(stalls.max / 1e6),
    longestTurnMilliseconds: Math.round(longestTurn),
  };
}

function workedMilliseconds(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

function say(measure: string, values: object): void {
  process.stdout.write(`${JSON.stringify({ measure, ...values })}\n`);
}

function read(cluster: ClusterState, instanceTypes: readonly InstanceType[]) {
  return takeSnapshot(cluster, { instanceTypesOf: () => instanceTypes, mustStay: () => false });
}

async function consolidation(pods: number): Promise<void> {
  const options = scenarioOf(pods * 2);
  const fleet = halved(grownFleet(options, mostCpus.consolidation));
  const cluster = clusterOf(fleet, options);
  const instanceTypes = fleet.nodePools[0]?.instanceTypes ?? [];
  const planner = new WorkerPlanner();
  planner.warmUp();
  // The thread has the catalogue, and knows its work, as it would after an hour.
  await planner.plan({ ...common, placement: "Bind", ...read(cluster, instanceTypes) });
  const { result, ...times } = await timed(async () => {
    const { snapshot, pendingPods } = read(cluster, instanceTypes);
    return await planner.consolidate({
      ...common,
      snapshot,
      pendingPods,
      candidates: snapshot.nodes.map(({ name, nodePool, labels, price = 0 }) => {
        const own = snapshot.podsByNode.get(name) ?? [];
        return {
          nodeName: name,
          poolName: nodePool,
          instanceType: labels.get("node.kubernetes.io/instance-type") ?? "",
          capacityType: labels.get("karpenter.sh/capacity-type") ?? "",
          price,
          podUids: own.map(({ uid }) => uid),
          disturbance: 1 + own.length,
          leastSaving: 0,
          isReady: true,
        };
      }),
      destinations: new Set(snapshot.nodes.map(({ name }) => name)),
      laterDestinations: new Set(snapshot.nodes.map(({ name }) => name)),
      budgets: new Map([["default", snapshot.nodes.length]]),
      isSpotToSpotEnabled: false,
      seed: 1,
    });
  });
  await planner.stop();
  const before = fleet.nodes.reduce((sum, { price = 0 }) => sum + price, 0);
  say("consolidation", {
    nodes: fleet.nodes.length,
    pods: cluster.pods.size,
    ...times,
    evaluations: result.evaluations,
    pricePerHour: before,
    pricePerHourAfter: before - result.whole.savings,
    nodesGone: result.whole.nodeNames.length,
  });
}

async function provisioning(pods: number, newPods: number): Promise<void> {
  const options = scenarioOf(pods);
  const fleet = grownFleet(options, mostCpus.provisioning);
  const cluster = clusterOf(fleet, options);
  const instanceTypes = fleet.nodePools[0]?.instanceTypes ?? [];
  const planner = new WorkerPlanner();
  planner.warmUp();
  const first = await timed(() => planner.plan({ ...common, placement: "Bind", ...read(cluster, instanceTypes) }));
  const newcomers: Pod[] = [];
  for (const pod of cluster.pods.values()) {
    if (newcomers.length === newPods) break;
    const name = `new-${newcomers.length}`;
    newcomers.push({ ...pod, name, uid: name, nodeName: "", phase: "Pending", scheduledReason: "Unschedulable" });
  }
  for (const pod of newcomers) cluster.pods.put(`${pod.namespace}/${pod.name}`, pod);
  globalThis.gc?.();
  const heldBytes = process.memoryUsage().rss;
  const { result, ...times } = await timed(() =>
    planner.plan({ ...common, placement: "Bind", ...read(cluster, instanceTypes) }),
  );
  await planner.stop();
  say("provisioning", {
    nodes: fleet.nodes.length,
    pods: cluster.pods.size,
    newPods,
    ...times,
    longestTurnAtFirst: first.longestTurnMilliseconds,
    residentMegabytes: Math.round(heldBytes / megabyte),
    nodesBought: result.nodes.length,
    refusals: result.refusals.length,
  });
}

/** Half of the pods leave; what a move must save, against the average for its disturbance, decides how far it goes. */
function settling(pods: number): void {
  const fleet = halved(grownFleet(scenarioOf(pods)));
  const remaining = [...fleet.podsByNode.values()].flat();
  const anew = planProvisioning({ ...fleet, nodes: [], podsByNode: new Map() }, remaining, planSettings);
  const boundPerHour = anew.boundPerHour();
  for (const threshold of [0, 0.25, 0.5, 1, 2]) {
    say("settling", {
      pods: remaining.length,
      threshold,
      before: priceOf(fleet),
      boundPerHour,
      ...settle(fleet, threshold),
    });
  }
}

const [measure, pods = "0"] = process.argv.slice(2);
if (measure === undefined || measure === "settling") settling(Number(pods) || 1_000);
if (measure === undefined || measure === "consolidation") await consolidation(Number(pods) || 20_000);
if (measure === undefined || measure === "provisioning") await provisioning(Number(pods) || 100_000, 1_000);
