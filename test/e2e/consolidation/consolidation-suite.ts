import { copyFile, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { openCatalogue } from "../../../bench/catalogue.ts";
import { leastMoves, type RunningFleet } from "../../../bench/least-moves.ts";
import { catalogueFile } from "../../../bench/scenarios.ts";
import type { Labels, Pod } from "../../../bench/wire.ts";
import { type ControllerName, type RunningController, startController } from "../../../scripts/lab/karpenter.ts";
import { ClusterReader } from "../cluster-reader.ts";
import { ApiClient } from "../controller/api-client.ts";
import { type KarpenterStage, mustRun, onKarpenterStage } from "../karpenter-stage.ts";
import { readProcessUsage } from "../process-usage.ts";
import type { Suite, SuiteContext } from "../suite.ts";
import { follow } from "./follow.ts";
import { type Consolidation, type Consolidations, goalsMissed, most, printConsolidations } from "./goals.ts";
import { PodCounter } from "./pod-counter.ts";
import { fleetWorkload, type Workload } from "./workload.ts";

const podCount = 1000;
const provisionPatienceMs = 180_000;
const followMs = 240_000;

/** Half of every Deployment goes away: what the nodes cost from then on, and how often pods have to move for it. */
export const consolidationSuite: Suite = {
  name: "consolidation",
  isMeasurement: true,
  async run({ progress, focus }) {
    const workload = fleetWorkload(podCount);
    const consolidations: { -readonly [Title in keyof Consolidations]: Consolidation } = {};
    for (const attempt of attempts) {
      if (focus !== undefined && !focus.test(attempt.title)) continue;
      consolidations[attempt.title] = await tryConsolidation(attempt, workload, progress);
    }
    if (Object.keys(consolidations).length > 0) printConsolidations(consolidations, progress);
    return goalsMissed(consolidations);
  },
};

interface Attempt {
  readonly title: keyof Consolidations;
  /** Who buys the fleet. */
  readonly buyer: ControllerName;
  /** Who makes it smaller. */
  readonly consolidator: ControllerName;
  /** Of the pool from then on; the one that it was made with when there is none. */
  readonly policy?: "Balanced";
}

const attempts: readonly Attempt[] = [
  { title: "peer", buyer: "peer", consolidator: "peer" },
  { title: "takeover", buyer: "peer", consolidator: "ours" },
  { title: "balanced", buyer: "peer", consolidator: "ours", policy: "Balanced" },
  { title: "ours", buyer: "ours", consolidator: "ours" },
];

const environment = { INSTANCE_TYPES_FILE_PATH: catalogueFile };

function tryConsolidation(
  { title, buyer, consolidator, policy }: Attempt,
  workload: Workload,
  progress: SuiteContext["progress"],
): Promise<Consolidation> {
  return onKarpenterStage({ name: buyer, environment, progress }, async (stage) => {
    const cluster = new ClusterReader(stage.controlPlane);
    const counter = new PodCounter(stage.controlPlane);
    let controller = stage.controller;
    try {
      await provision({ stage, cluster, workload });
      progress(`${title}: all pods run`);
      if (policy !== undefined) await setPolicy(policy, stage);
      if (consolidator !== buyer) controller = await takeOver(consolidator, stage, progress);
      return await measure({ stage, cluster, counter, controller, workload });
    } finally {
      counter.close();
      cluster.close();
      const log = join(tmpdir(), `karpenter-consolidation-${title}.log`);
      await copyFile(controller.logFile, log);
      progress(`${title}: the controller's log is ${log}`);
      if (controller !== stage.controller) await controller.stop();
    }
  });
}

async function setPolicy(consolidationPolicy: string, { controlPlane }: KarpenterStage): Promise<void> {
  const api = new ApiClient(controlPlane);
  await api.patch("/apis/karpenter.sh/v1/nodepools/default", { spec: { disruption: { consolidationPolicy } } });
  api.close();
}

const leasePath = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/karpenter-leader-election";

/** Ends the controller, and has another lead as soon as the lease is free. */
async function takeOver(
  name: ControllerName,
  { controlPlane, controller: before }: KarpenterStage,
  progress: SuiteContext["progress"],
): Promise<RunningController> {
  const api = new ApiClient(controlPlane);
  const readLeader = async () =>
    (await api.find<{ spec: { holderIdentity?: string } }>(leasePath))?.spec.holderIdentity ?? "";
  const leader = await readLeader();
  await before.stop();
  const folder = await mkdtemp(join(tmpdir(), "karpenter-controller-"));
  const { kubeconfigPath } = controlPlane;
  const controller = await startController({ name, environment, progress, folder, kubeconfigPath });
  while (["", leader].includes(await readLeader())) {
    controller.check();
    await sleep(100);
  }
  api.close();
  return controller;
}

interface Scene {
  readonly stage: KarpenterStage;
  readonly cluster: ClusterReader;
  readonly workload: Workload;
}

async function provision({ stage: { controlPlane, controller }, cluster, workload }: Scene): Promise<void> {
  await mustRun("apply -f -", controlPlane.kubeconfigPath, workload.pool);
  await sleep(2000);
  const started = performance.now();
  await mustRun("apply -f -", controlPlane.kubeconfigPath, workload.deployments);
  while (!(await doAllRun(cluster, workload.podCount))) {
    if (performance.now() - started > provisionPatienceMs) throw new Error("not all pods run in time");
    controller.check();
    await sleep(200);
  }
}

async function measure({
  stage: { controlPlane },
  cluster,
  counter,
  controller,
  workload,
}: Scene & { readonly counter: PodCounter; readonly controller: RunningController }): Promise<Consolidation> {
  const before = readProcessUsage(controller.processId);
  counter.reset();
  const api = new ApiClient(controlPlane);
  const path = "/apis/apps/v1/namespaces/default/deployments";
  const scaled = Promise.all(
    [...workload.halves].map(([name, replicas]) => api.patch(`${path}/${name}`, { spec: { replicas } })),
  );
  const [samples, fleet] = await Promise.all([
    follow({ cluster, counter, controller }, followMs),
    scaled.then(() => seeFleet({ api, cluster, workload })),
  ]);
  api.close();
  const usage = readProcessUsage(controller.processId);
  return {
    samples,
    isWhole: await doAllRun(cluster, workload.halfCount),
    boundPerHour: workload.boundPerHour,
    leastMoves: leastMoves(fleet, workload.boundPerHour * most.priceOfBound),
    cpuSeconds: usage.cpuSeconds - before.cpuSeconds,
    peakResidentMegabytes: usage.peakResidentMegabytes,
  };
}

/** What there is once those that go have gone, and before anybody has drained a node. */
async function seeFleet({
  api,
  cluster,
  workload,
}: Pick<Scene, "cluster" | "workload"> & { readonly api: ApiClient }): Promise<RunningFleet> {
  while (!(await doAllRun(cluster, workload.halfCount))) await sleep(200);
  const [nodes, pods] = await Promise.all([
    api.list<{ metadata: { name: string; labels: Labels } }>("/api/v1/nodes?labelSelector=karpenter.sh/nodepool"),
    api.list<Pod & { spec: { nodeName: string } }>("/api/v1/namespaces/default/pods"),
  ]);
  const byNode = Map.groupBy(pods, ({ spec }) => spec.nodeName);
  return {
    nodes: nodes.map(({ metadata: { name, labels } }) => ({ labels, pods: byNode.get(name) ?? [] })),
    nodePools: workload.nodePools,
    catalogue: openCatalogue(catalogueFile),
  };
}

async function doAllRun(cluster: ClusterReader, count: number): Promise<boolean> {
  return (await cluster.countPods()) === count && !(await cluster.hasPodsThatDoNotRun());
}
