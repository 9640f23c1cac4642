import { copyFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { catalogueFile } from "../../../bench/scenarios.ts";
import { type ControllerName, controllerNames } from "../../../scripts/lab/karpenter.ts";
import { type KarpenterStage, mustRun, onKarpenterStage } from "../karpenter-stage.ts";
import type { Suite, SuiteContext } from "../suite.ts";
import { BurstCluster } from "./burst-cluster.ts";
import { type Burst, goalsMissed, printBursts } from "./goals.ts";
import { readProcessUsage } from "./process-usage.ts";
import { fleetManifests } from "./workload.ts";

const podCount = 1000;
const patienceMs = 180_000;

/** A thousand pods at once: how long until all run, on what, and what that takes of the controller; ours beside the Go one. */
export const burstSuite: Suite = {
  name: "burst",
  isMeasurement: true,
  async run(context) {
    const bursts = new Map<ControllerName, Burst>();
    for (const name of controllerNames) bursts.set(name, await tryBurst(name, context));
    printBursts(bursts, context.progress);
    return goalsMissed(bursts);
  },
};

function tryBurst(name: ControllerName, { progress }: SuiteContext): Promise<Burst> {
  const environment = { INSTANCE_TYPES_FILE_PATH: catalogueFile };
  return onKarpenterStage({ name, environment, progress }, async (stage) => {
    const cluster = new BurstCluster(stage.controlPlane);
    try {
      return await measure(stage, cluster);
    } finally {
      cluster.close();
      await copyFile(stage.controller.logFile, join(tmpdir(), `karpenter-burst-${name}.log`));
    }
  });
}

async function measure({ controlPlane, controller }: KarpenterStage, cluster: BurstCluster): Promise<Burst> {
  const { pool, deployments } = fleetManifests(podCount);
  await mustRun("apply -f -", controlPlane.kubeconfigPath, pool);
  await sleep(2000);
  const before = readProcessUsage(controller.processId);
  const started = performance.now();
  await cluster.createDeployments(deployments);
  const created = performance.now();
  while ((await cluster.countPods()) < podCount || (await cluster.hasPodsThatDoNotRun())) {
    controller.check();
    if (performance.now() - started > patienceMs) break;
    await sleep(200);
  }
  const seconds = (performance.now() - started) / 1000;
  const isDone = !(await cluster.hasPodsThatDoNotRun());
  const usage = readProcessUsage(controller.processId);
  const nodes = await cluster.nodes();
  return {
    isDone,
    seconds,
    createSeconds: (created - started) / 1000,
    nodes: nodes.count,
    pricePerHour: nodes.pricePerHour,
    laterClaims: await cluster.countLaterClaims(),
    residentMegabytes: usage.residentMegabytes,
    peakResidentMegabytes: usage.peakResidentMegabytes,
    cpuSeconds: usage.cpuSeconds - before.cpuSeconds,
    ...(await readFidelity(controller.metricsUrl)),
  };
}

/** What our controller says about its own plans; the Go one knows nothing of the kind. */
async function readFidelity(metricsUrl: string): Promise<Pick<Burst, "shareAsPlanned" | "secondWaveNodes">> {
  const text = await (await fetch(metricsUrl)).text();
  const sum = (name: string) =>
    [...text.matchAll(new RegExp(`^karpenter_${name}.* ([\\d.e+]+)$`, "gm"))].reduce(
      (all, [, n]) => all + Number(n),
      0,
    );
  const all = sum("plan_pods_total\\{");
  if (all === 0) return { shareAsPlanned: undefined, secondWaveNodes: undefined };
  return {
    shareAsPlanned: sum('plan_pods_total\\{[^}]*outcome="as_planned"') / all,
    secondWaveNodes: sum("plan_second_wave_nodes_total\\{"),
  };
}
