// Starts a controller on a control plane: ours, or the Go Karpenter with the same settings.
import { readdir } from "node:fs/promises";
import { get } from "node:http";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import nodeOptions from "../../bin/node-options.json" with { type: "json" };
import { ensureProgram, moduleFolder, type Progress } from "./binaries.ts";
import { createProcessGroup, findFreePorts } from "./process-group.ts";

export const controllerNames = ["ours", "peer"] as const;
export type ControllerName = (typeof controllerNames)[number];

export type CloudProviderName = "kwok" | "aws";

export interface ControllerOptions {
  readonly name: ControllerName;
  readonly kubeconfigPath: string;
  /** A folder for its log, which is removed with it. */
  readonly folder: string;
  /** `kwok` when left out. */
  readonly cloudProvider?: CloudProviderName;
  /** Settings besides those that everybody needs. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly progress: Progress;
}

export interface RunningController {
  readonly processId: number;
  readonly metricsUrl: string;
  /** Of `/healthz` and `/readyz`, without the path. */
  readonly healthUrl: string;
  readonly logFile: string;
  /** Throws when it has ended by itself. */
  check(): void;
  stop(): Promise<void>;
}

const repository = join(import.meta.dirname, "../..");
const patienceMs = 180_000;

/** Ready when it returns. It ends with this process, if nobody stops it before. */
export async function startController(options: ControllerOptions): Promise<RunningController> {
  const { name, kubeconfigPath, folder, cloudProvider = "kwok", environment = {}, progress } = options;
  const command =
    name === "peer"
      ? [await ensureProgram(`karpenter-${cloudProvider}`, progress)]
      : [
          process.execPath,
          ...nodeOptions.arguments,
          join(repository, "src/cli/main.ts"),
          "controller",
          "--cloud-provider",
          cloudProvider,
        ];
  // Not 8080: some of the Go Karpenter's tests listen there themselves.
  const [metrics = 0, health = 0] = await findFreePorts(2);
  const settings = {
    KUBECONFIG: kubeconfigPath,
    LEADER_ELECTION_NAMESPACE: "kube-system",
    LEADER_ELECTION_NAME: "karpenter-leader-election",
    SYSTEM_NAMESPACE: "kube-system",
    KARPENTER_SERVICE: "karpenter",
    DISABLE_WEBHOOK: "true",
    METRICS_PORT: String(metrics),
    HEALTH_PROBE_PORT: String(health),
    ...(name === "peer" ? {} : { NODE_COMPILE_CACHE: join(repository, nodeOptions.compileCache) }),
    ...environment,
  };
  const group = createProcessGroup(folder);
  const assignments = Object.entries(settings).map(([key, value]) => `${key}=${value}`);
  const processId = group.start("controller", "env", [...assignments, ...command]);
  const controller: RunningController = {
    processId,
    metricsUrl: `http://127.0.0.1:${metrics}/metrics`,
    healthUrl: `http://127.0.0.1:${health}`,
    logFile: join(folder, "controller.log"),
    check: () => group.check(),
    stop: () => group.stop(),
  };
  try {
    await waitUntilReady(`${controller.healthUrl}/readyz`, controller);
  } catch (cause) {
    await group.stop();
    throw cause;
  }
  return controller;
}

/** The files that define the API of a controller. */
export async function definitionFiles(
  name: ControllerName,
  cloudProvider: CloudProviderName = "kwok",
): Promise<string[]> {
  const folders = name === "peer" ? peerFolders[cloudProvider]() : [{ part: "charts/karpenter/crds", of: repository }];
  const files = await Promise.all(
    folders.map(async ({ part, of }) => {
      const folder = join(await of, part);
      return (await readdir(folder)).filter((file) => file.endsWith(".yaml")).map((file) => join(folder, file));
    }),
  );
  return files.flat();
}

const peerFolders = {
  kwok: () => ["pkg/apis/crds", "kwok/apis/crds"].map((part) => ({ part, of: moduleFolder("karpenter") })),
  aws: () => [{ part: "pkg/apis/crds", of: moduleFolder("karpenter-provider-aws") }],
};

async function waitUntilReady(url: string, controller: RunningController): Promise<void> {
  const deadline = performance.now() + patienceMs;
  while (!(await answers(url))) {
    controller.check();
    if (performance.now() > deadline) throw new Error(`the controller is not ready after ${patienceMs / 1000} s`);
    await sleep(100);
  }
}

function answers(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    const attempt = get(url, { agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    attempt.on("error", () => resolve(false));
  });
}
