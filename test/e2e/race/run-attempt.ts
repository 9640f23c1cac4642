import { copyFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { catalogueFile } from "../../../bench/scenarios.ts";
import { someAtATime } from "../../../scripts/check/some-at-a-time.ts";
import type { ControllerName } from "../../../scripts/lab/karpenter.ts";
import { readKwokStages } from "../../../scripts/lab/kwok-stages.ts";
import { OfferingPrices } from "../cluster-reader.ts";
import { ApiClient } from "../controller/api-client.ts";
import { type KarpenterStage, mustRun, onKarpenterStage } from "../karpenter-stage.ts";
import { readProcessUsage } from "../process-usage.ts";
import type { SuiteContext } from "../suite.ts";
import { withBusyCores } from "./busy-cores.ts";
import { type Column, controllerManagerFlags } from "./columns.ts";
import { type Measures, measure } from "./measure.ts";
import { withNotReadyNodes } from "./node-stages.ts";
import { ObjectWatch } from "./object-watch.ts";
import { RaceRecord, type WireClaim, type WireNode, type WirePod } from "./race-record.ts";
import type { RaceScenario } from "./race-scenario.ts";

/** Our controller with `PLACEMENT_POLICY=Suggest`, the same with `Bind`, and the Go controller. */
export const racers = ["ours", "bind", "peer"] as const;
export type Racer = (typeof racers)[number];

export interface Attempt {
  readonly racer: Racer;
  readonly scenario: RaceScenario;
  readonly column: Column;
  readonly round: number;
}

export interface RaceResult extends Measures {
  readonly cpuSeconds: number;
  readonly residentMegabytes: number;
  readonly peakResidentMegabytes: number;
}

const patienceSeconds = 300;
/** So long nothing comes or goes when the controller is at rest. The pool consolidates after 30 s, so not within it. */
const quietSeconds = 5;

/** A new cluster, the controller on it, and all Deployments at once. */
export async function runAttempt(attempt: Attempt, progress: SuiteContext["progress"]): Promise<RaceResult> {
  const { racer, scenario, column, round } = attempt;
  const stageOptions = {
    ...controllers[racer],
    progress,
    controlPlane: {
      kwokStages: withNotReadyNodes(await readKwokStages(), { isSlow: column.hasSlowNodes }),
      controllerManagerFlags: controllerManagerFlags(column),
    },
  };
  return await onKarpenterStage(stageOptions, async (stage) => {
    try {
      const act = () => race(stage, attempt);
      return await (column.isBusy ? withBusyCores(act) : act());
    } finally {
      const log = join(tmpdir(), `karpenter-race-${scenario.name}-${column.name}-${racer}-${round}.log`);
      await copyFile(stage.controller.logFile, log);
      progress(`${racer}: the controller's log is ${log}`);
    }
  });
}

interface ControllerSettings {
  readonly name: ControllerName;
  readonly environment: Readonly<Record<string, string>>;
}

const catalogue = { INSTANCE_TYPES_FILE_PATH: catalogueFile };

const controllers: Readonly<Record<Racer, ControllerSettings>> = {
  ours: { name: "ours", environment: { ...catalogue, PLACEMENT_POLICY: "Suggest" } },
  bind: { name: "ours", environment: { ...catalogue, PLACEMENT_POLICY: "Bind" } },
  peer: { name: "peer", environment: catalogue },
};

async function race({ controlPlane, controller }: KarpenterStage, attempt: Attempt): Promise<RaceResult> {
  const { scenario, column } = attempt;
  const prices = new OfferingPrices();
  let started = performance.now();
  const now = () => (performance.now() - started) / 1000;
  const record = new RaceRecord({ now, priceOf: (labels) => prices.of(labels) });
  const watches = [
    new ObjectWatch<WirePod>(controlPlane, "/api/v1/namespaces/default/pods", (event) => record.takePod(event)),
    new ObjectWatch<WireNode>(controlPlane, "/api/v1/nodes?labelSelector=karpenter.sh/nodepool", (event) =>
      record.takeNode(event),
    ),
    new ObjectWatch<WireClaim>(controlPlane, "/apis/karpenter.sh/v1/nodeclaims", (event) => record.takeClaim(event)),
  ];
  const api = new ApiClient(controlPlane);
  try {
    await mustRun("apply -f -", controlPlane.kubeconfigPath, scenario.clusterManifest(column));
    await mustRun("wait --for=condition=Ready nodepool --all --timeout=60s", controlPlane.kubeconfigPath);
    await Promise.all(watches.map(({ opened }) => opened));
    // What a controller does once about a new pool is no part of the race.
    await sleep(2000);
    const before = readProcessUsage(controller.processId);
    started = performance.now();
    let refusal: Error | undefined;
    const applied = someAtATime(deploymentsAtATime, scenario.deployments, (deployment) =>
      api.create("/apis/apps/v1/namespaces/default/deployments", deployment),
    ).catch((cause: Error) => {
      refusal = cause;
    });
    let runningAt: number | undefined;
    const isAtRest = () => runningAt !== undefined && now() - record.lastChangeAt >= quietSeconds;
    while (!isAtRest() && now() < patienceSeconds) {
      await sleep(20);
      controller.check();
      if (refusal !== undefined) throw refusal;
      for (const watch of watches) watch.check();
      if (record.running === scenario.podCount) runningAt ??= record.lastChangeAt;
    }
    await applied;
    const { podCount } = scenario;
    const restAt = runningAt === undefined ? now() : record.lastChangeAt;
    const usage = readProcessUsage(controller.processId);
    return {
      ...measure(record, { podCount, bootSeconds: column.bootSeconds, runningAt, restAt }),
      cpuSeconds: usage.cpuSeconds - before.cpuSeconds,
      residentMegabytes: usage.residentMegabytes,
      peakResidentMegabytes: usage.peakResidentMegabytes,
    };
  } finally {
    api.close();
    for (const watch of watches) watch.close();
  }
}

/** The pods of the first are created while the last are on their way, as with `kubectl apply` and `helm install`. */
const deploymentsAtATime = 8;
