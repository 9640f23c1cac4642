import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Progress } from "../../scripts/lab/binaries.ts";
import { type ControlPlane, type ControlPlaneOptions, startControlPlane } from "../../scripts/lab/control-plane.ts";
import {
  type ControllerName,
  definitionFiles,
  type RunningController,
  startController,
} from "../../scripts/lab/karpenter.ts";
import { readKwokStages } from "../../scripts/lab/kwok-stages.ts";
import { runCommand } from "./kubectl/kubectl.ts";

/** A clean control plane with a controller on it. */
export interface KarpenterStage {
  readonly controlPlane: ControlPlane;
  readonly controller: RunningController;
}

type ClusterOptions = Pick<
  ControlPlaneOptions,
  "progress" | "apiserverFlags" | "controllerManagerFlags" | "kwokStages"
>;

export interface StageOptions {
  readonly name: ControllerName;
  readonly environment: Readonly<Record<string, string>>;
  readonly progress: Progress;
  readonly controlPlane?: Omit<ClusterOptions, "progress">;
}

export async function onKarpenterStage<Result>(
  options: StageOptions,
  play: (stage: KarpenterStage) => Promise<Result>,
): Promise<Result> {
  const controlPlane = await startCluster({ ...options.controlPlane, progress: options.progress });
  try {
    const { kubeconfigPath } = controlPlane;
    await applyDefinitions(options.name, kubeconfigPath);
    const folder = await mkdtemp(join(tmpdir(), "karpenter-controller-"));
    const controller = await startController({ ...options, kubeconfigPath, folder });
    try {
      return await play({ controlPlane, controller });
    } finally {
      await controller.stop();
    }
  } finally {
    await controlPlane.stop();
  }
}

/** A whole control plane, on which kwok plays kubelet for our nodes. */
export async function startCluster(options: ClusterOptions): Promise<ControlPlane> {
  return await startControlPlane({
    hasControllerManager: true,
    hasScheduler: true,
    hasKwok: true,
    ...options,
    kwokStages: options.kwokStages ?? (await readKwokStages()),
  });
}

/** So that the API server knows the kinds of a controller. */
export async function applyDefinitions(name: ControllerName, kubeconfigPath: string): Promise<void> {
  const files = await definitionFiles(name);
  await mustRun(`apply --server-side ${files.map((file) => `-f ${file}`).join(" ")}`, kubeconfigPath);
  await mustRun("wait --for=condition=Established crd --all --timeout=180s", kubeconfigPath);
}

/** Runs kubectl, and throws when it does not end well. */
export async function mustRun(line: string, kubeconfig: string, input?: string): Promise<string> {
  const { status, output } = await runCommand(input === undefined ? { line } : { line, input }, kubeconfig);
  if (status !== 0) throw new Error(`kubectl ${line} ended with ${status} and said: ${output}`);
  return output;
}
