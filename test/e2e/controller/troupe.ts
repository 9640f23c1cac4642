import { copyFile, mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Progress } from "../../../scripts/lab/binaries.ts";
import type { ControlPlane } from "../../../scripts/lab/control-plane.ts";
import { type RunningController, startController } from "../../../scripts/lab/karpenter.ts";
import type { ApiClient } from "./api-client.ts";

export const leasePath = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/karpenter-leader-election";

interface TroupeOptions {
  readonly controlPlane: ControlPlane;
  readonly api: ApiClient;
  readonly progress: Progress;
  /** `kwok` when left out. */
  readonly cloudProvider?: "kwok" | "aws";
  /** Settings of every controller. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** The controllers that play, most of the time one. */
export class Troupe {
  readonly #options: TroupeOptions;
  readonly #all = new Set<RunningController>();
  readonly #logsOfTheDead = new Map<string, Buffer>();
  #leading: RunningController | undefined;
  #startCount = 0;

  constructor(options: TroupeOptions) {
    this.#options = options;
  }

  /** How many there were, with those that are gone. */
  get startCount(): number {
    return this.#startCount;
  }

  get leading(): RunningController {
    if (this.#leading === undefined) throw new Error("no controller runs");
    return this.#leading;
  }

  set leading(controller: RunningController) {
    this.#leading = controller;
  }

  /** Ready when it returns, but it may not lead yet. */
  async add(environment: Readonly<Record<string, string>> = {}): Promise<RunningController> {
    const folder = await mkdtemp(join(tmpdir(), "karpenter-controller-"));
    const { controlPlane, progress, cloudProvider = "kwok" } = this.#options;
    const controller = await startController({
      name: "ours",
      kubeconfigPath: controlPlane.kubeconfigPath,
      folder,
      cloudProvider,
      environment: { ...this.#options.environment, ...environment },
      progress,
    });
    this.#all.add(controller);
    this.#startCount++;
    this.#leading ??= controller;
    return controller;
  }

  /** Asks it to stop, as Kubernetes does, and says how it ended: the words of `check`, undefined if it did not. */
  async dismiss(controller: RunningController, seconds: number): Promise<string | undefined> {
    process.kill(controller.processId, "SIGTERM");
    const deadline = performance.now() + seconds * 1000;
    let ending: string | undefined;
    while (ending === undefined && performance.now() < deadline) {
      await sleep(50);
      try {
        controller.check();
      } catch (cause) {
        ending = String(cause);
      }
    }
    await this.#remove(controller);
    return ending;
  }

  /** Without a word to anybody, as when its machine goes. */
  async kill(controller: RunningController): Promise<void> {
    process.kill(controller.processId, "SIGKILL");
    await this.#remove(controller);
  }

  async #remove(controller: RunningController): Promise<void> {
    this.#all.delete(controller);
    if (this.#leading === controller) this.#leading = undefined;
    this.#logsOfTheDead.set(keptLog(controller), await readFile(controller.logFile));
    await controller.stop();
  }

  /** Kills the one that leads and starts another, which need not wait until the lease of the dead runs out. */
  async replace(environment: Readonly<Record<string, string>> = {}): Promise<void> {
    await this.kill(this.leading);
    const { api } = this.#options;
    // Who has just started may have died without one.
    const lease = await api.find(leasePath);
    if (lease !== undefined) await api.patch(leasePath, { spec: { holderIdentity: "", leaseDurationSeconds: 1 } });
    await this.add(environment);
  }

  /** Throws when one of them has ended by itself. */
  check(): void {
    for (const controller of this.#all) controller.check();
  }

  /** Writes all logs to where they stay when everybody is gone, and says where. */
  async keepLogs(): Promise<string[]> {
    const all = [...this.#all];
    await Promise.all([
      ...[...this.#logsOfTheDead].map(([file, log]) => writeFile(file, log)),
      ...all.map((controller) => copyFile(controller.logFile, keptLog(controller))),
    ]);
    return [...this.#logsOfTheDead.keys(), ...all.map(keptLog)];
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#all].map((controller) => controller.stop()));
  }

  /** Whether the controller says that it leads. */
  async leads(controller: RunningController): Promise<boolean> {
    const text = await (await fetch(controller.metricsUrl)).text();
    return /^leader_election_master_status\{.*\} 1$/m.test(text);
  }
}

function keptLog({ processId }: RunningController): string {
  return join(tmpdir(), `karpenter-controller-${processId}.log`);
}
