import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { serveHealth, serveMetrics } from "../adapters/http/serve.ts";
import { HttpKubeTransport } from "../adapters/kube/http-kube-transport.ts";
import { loadKubeConfig } from "../adapters/kube/load-kube-config.ts";
import { WorkerPlanner } from "../adapters/planner/worker-planner.ts";
import { createLog } from "../adapters/telemetry/create-log.ts";
import { createMetrics } from "../adapters/telemetry/create-metrics.ts";
import { systemClock } from "../embedded/time/system-clock.ts";
import { EventRecorder } from "../runtime/event-recorder.ts";
import { openCloud } from "./clouds.ts";
import { Controller } from "./controller.ts";
import { measureTransport } from "./measure-transport.ts";
import { gatesWithoutEffect } from "./settings/feature-gates.ts";
import { type Environment, readSettings } from "./settings/read-settings.ts";
import type { Settings } from "./settings/settings-table.ts";

/** Settings that cannot be read, one sentence each. */
export class SettingsError extends Error {
  constructor(problems: readonly string[]) {
    super(`the settings cannot be read:\n${problems.map((problem) => `  ${problem}`).join("\n")}`);
  }
}

/** Runs the controller on a real cluster until the signal. */
export async function runController(
  args: readonly string[],
  environment: Environment,
  { version, stopped }: { readonly version: string; readonly stopped: Promise<void> },
): Promise<void> {
  const read = readSettings(args, environment);
  if (read.problems !== undefined) throw new SettingsError(read.problems);
  const { settings } = read;
  const access = loadKubeConfig({
    env: environment,
    // The variable may name several files, which is for whoever reads them to know.
    ...(settings.kubeconfig === (environment.KUBECONFIG ?? "") ? {} : { kubeconfigPath: settings.kubeconfig }),
  });
  const log = createLog({
    level: settings.logLevel,
    outputPaths: settings.logOutputPaths,
    errorOutputPaths: settings.logErrorOutputPaths,
    commit: version,
  });
  const clock = systemClock;
  const random = Math.random;
  const caBundle = access.tls.ca === undefined ? "" : Buffer.from(access.tls.ca).toString("base64");
  const cloud = await openCloud(settings, { clock, random, log, version, caBundle });
  const metrics = createMetrics({ provider: cloud, includesProcess: true });
  metrics.set("build_info", { version, goversion: process.version, goarch: process.arch, commit: version }, 1);
  const userAgent = `karpenter-ts/${version}`;
  const rateLimit = { qps: settings.kubeClientQps, burst: settings.kubeClientBurst };
  // More would only wait for each other in the API server, and each costs both sides as much as a request or two.
  const transport = new HttpKubeTransport({ access, clock, userAgent, rateLimit, maxConnections: 24 });
  const leaderTransport = new HttpKubeTransport({
    access,
    clock,
    userAgent,
    maxConnections: 2,
    requestTimeoutMs: 8_000,
  });
  const measured = (one: HttpKubeTransport) => measureTransport(one, { clock, metrics });
  const events = new EventRecorder({
    transport: measured(transport),
    clock,
    random,
    metrics,
    component: "karpenter",
    onError: (error) => log.error("events are lost", { error }),
  });
  const planner = new WorkerPlanner();
  planner.warmUp();
  const controller = new Controller({
    transport: measured(transport),
    leaderTransport: measured(leaderTransport),
    clock,
    random,
    telemetry: { log, metrics, events },
    planner,
    cloud,
    settings: {
      ...settings,
      isStaticCapacityEnabled: settings.featureGates.StaticCapacity,
      isNodeRepairEnabled: settings.featureGates.NodeRepair,
      isObservable: !settings.disableClusterStateObservability,
      isSpotToSpotEnabled: settings.featureGates.SpotToSpotConsolidation,
    },
    lease: settings.disableLeaderElection ? undefined : leaseFor(settings, access.namespace),
  });
  const serving = await Promise.all([
    serveMetrics({
      port: settings.metricsPort,
      metrics,
      enableProfiling: settings.enableProfiling,
      decisions: () => controller.decisions,
    }),
    serveHealth({
      port: settings.healthProbePort,
      healthChecks: new Map([["ping", () => {}]]),
      readyChecks: new Map([["synced", () => checkSynced(controller)]]),
    }),
  ]);
  for (const warning of read.warnings) log.warn(warning);
  const inVain = gatesWithoutEffect(settings.featureGates);
  if (inVain.length > 0) log.error("feature gates are on that are without effect yet", { featureGates: inVain });
  if (!settings.ignoreDraRequests) log.error("--ignore-dra-requests=false is without effect yet");
  log.info("starting", { version, provider: settings.cloudProvider, server: access.server });
  controller.start();
  await stopped;
  log.info("stopping");
  await controller.stop();
  await events.stop();
  await Promise.all([transport, leaderTransport, ...serving].map((part) => part.close()));
  log.close();
}

function leaseFor(
  settings: Settings,
  ownNamespace: string | undefined,
): { namespace: string; name: string; identity: string } {
  return {
    namespace: settings.leaderElectionNamespace || settings.systemNamespace || ownNamespace || "kube-system",
    name: settings.leaderElectionName,
    identity: `${hostname()}_${randomUUID()}`,
  };
}

function checkSynced({ unsynced }: Controller): void {
  if (unsynced.length > 0) throw new Error(`waiting to see ${unsynced.join(", ")}`);
}
