import { copyFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { catalogueFile } from "../../../bench/scenarios.ts";
import type { ControllerName } from "../../../scripts/lab/karpenter.ts";
import { type KarpenterStage, mustRun, onKarpenterStage } from "../karpenter-stage.ts";
import { readFidelity } from "../read-fidelity.ts";
import type { Suite, SuiteContext } from "../suite.ts";
import { BurstCluster } from "./burst-cluster.ts";
import { type Burst, type Bursts, goalsMissed, printBursts } from "./goals.ts";
import { readProcessUsage } from "./process-usage.ts";
import { burstManifests } from "./workload.ts";

const patienceMs = 180_000;

/** A thousand pods at once: how long until all run, on what, and what that takes of the controller; ours beside the Go one. */
export const burstSuite: Suite = {
  name: "burst",
  isMeasurement: true,
  async run({ progress }) {
    const bursts: { ours: Burst[]; binding: Burst[]; peer: Burst[] } = { ours: [], binding: [], peer: [] };
    for (let round = 1; round <= rounds; round++) {
      progress(`round ${round} of ${rounds}`);
      bursts.ours.push(await tryBurst({ title: "ours", name: "ours", progress }));
      bursts.binding.push(await tryBurst({ title: "binding", name: "ours", placementPolicy: "Bind", progress }));
      bursts.peer.push(await tryBurst({ title: "peer", name: "peer", progress }));
    }
    printBursts(bursts, progress);
    return goalsMissed(bursts);
  },
};

/** Each controller's in turn, because how fast a machine is changes from minute to minute. */
const rounds = 3;

interface Attempt {
  readonly title: keyof Bursts;
  readonly name: ControllerName;
  /** Of our controller; its default when there is none. */
  readonly placementPolicy?: "Bind";
  readonly progress: SuiteContext["progress"];
}

function tryBurst({ title, name, placementPolicy, progress }: Attempt): Promise<Burst> {
  const environment = {
    INSTANCE_TYPES_FILE_PATH: catalogueFile,
    ...(placementPolicy === undefined ? {} : { PLACEMENT_POLICY: placementPolicy }),
  };
  return onKarpenterStage({ name, environment, progress }, async (stage) => {
    const cluster = new BurstCluster(stage.controlPlane);
    try {
      return await measure(stage, cluster);
    } finally {
      cluster.close();
      const log = join(tmpdir(), `karpenter-burst-${title}.log`);
      await copyFile(stage.controller.logFile, log);
      progress(`${title}: the controller's log is ${log}`);
    }
  });
}

async function measure({ controlPlane, controller }: KarpenterStage, cluster: BurstCluster): Promise<Burst> {
  const { cluster: before, pods, podCount } = burstManifests();
  await mustRun("apply -f -", controlPlane.kubeconfigPath, before);
  await sleep(2000);
  const usedBefore = readProcessUsage(controller.processId);
  const started = performance.now();
  const applied = mustRun("apply -f -", controlPlane.kubeconfigPath, pods).then(() => performance.now());
  const doAllRun = async () => (await cluster.countPods()) >= podCount && !(await cluster.hasPodsThatDoNotRun());
  let isDone = await doAllRun();
  while (!isDone && performance.now() - started < patienceMs) {
    await sleep(200);
    controller.check();
    isDone = await doAllRun();
  }
  const seconds = (performance.now() - started) / 1000;
  const created = await applied;
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
    cpuSeconds: usage.cpuSeconds - usedBefore.cpuSeconds,
    ...(await readFidelity(controller.metricsUrl)),
  };
}
