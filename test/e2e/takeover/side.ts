import { copyFile, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { moduleFolder, type Progress } from "../../../scripts/lab/binaries.ts";
import type { ControlPlane } from "../../../scripts/lab/control-plane.ts";
import {
  type CloudProviderName,
  type ControllerName,
  definitionFiles,
  type RunningController,
  startController,
} from "../../../scripts/lab/karpenter.ts";
import { chartFolder } from "../../chart/chart-files.ts";
import type { Helm } from "../chart/helm.ts";
import { controllerEnvironment, namespace } from "../chart/service.ts";
import { kubeconfigOf } from "../chart/service-account.ts";
import type { ApiClient } from "../controller/api-client.ts";
import { mustRun } from "../karpenter-stage.ts";

export interface SideParts {
  readonly controlPlane: ControlPlane;
  readonly api: ApiClient;
  readonly helm: Helm;
  readonly cloudProvider: CloudProviderName;
  /** What helm is told of either. */
  readonly values: Readonly<Record<ControllerName, readonly string[]>>;
  readonly progress: Progress;
}

const secondsToEnd = 30;
const deploymentPath = `/apis/apps/v1/namespaces/${namespace}/deployments/karpenter`;

const peerCharts = {
  kwok: async () => join(await moduleFolder("karpenter"), "kwok/charts"),
  aws: async () => join(await moduleFolder("karpenter-provider-aws"), "charts/karpenter"),
};

/** One of the two that take over from each other: its definitions, its chart, and its controller with the chart's rights. */
export class Side {
  readonly name: ControllerName;
  readonly #parts: SideParts;
  #controller: RunningController | undefined;

  constructor(name: ControllerName, parts: SideParts) {
    this.name = name;
    this.#parts = parts;
  }

  get controller(): RunningController {
    if (this.#controller === undefined) throw new Error(`no controller of ${this.name} runs`);
    return this.#controller;
  }

  /** As docs/migrating.md says it, this and the way back. */
  async install(): Promise<void> {
    const { controlPlane, helm } = this.#parts;
    await this.#define();
    await helm.must(await this.#upgradeIn(namespace), controlPlane.kubeconfigPath);
  }

  /** What helm says against another namespace, while the other's chart is in the first. */
  async installElsewhere(): Promise<string> {
    const { controlPlane, helm } = this.#parts;
    return (await helm.run(await this.#upgradeIn("default"), controlPlane.kubeconfigPath)).complaint;
  }

  async #upgradeIn(place: string): Promise<string[]> {
    const { cloudProvider, values } = this.#parts;
    const chart = this.name === "ours" ? chartFolder : await peerCharts[cloudProvider]();
    const release = ["upgrade", "--install", "karpenter", chart, "--namespace", place, "--skip-crds"];
    return [...release, ...values[this.name]];
  }

  async restore(): Promise<void> {
    const { controlPlane, helm } = this.#parts;
    await this.#define();
    await helm.must(["rollback", "karpenter", "--namespace", namespace], controlPlane.kubeconfigPath);
  }

  async #define(): Promise<void> {
    const { controlPlane, cloudProvider } = this.#parts;
    const { kubeconfigPath } = controlPlane;
    const files = (await definitionFiles(this.name, cloudProvider)).map((file) => `-f ${file}`).join(" ");
    await mustRun(`apply --server-side --force-conflicts ${files}`, kubeconfigPath);
    await mustRun("wait --for=condition=Established crd --all --timeout=180s", kubeconfigPath);
  }

  /** Leads when it returns. It is a process of its own, with what its pods would have: nothing here could run those. */
  async start(): Promise<void> {
    const { controlPlane, api, helm, cloudProvider, progress } = this.#parts;
    const deployment = await api.find<{ spec: { replicas: number } }>(deploymentPath);
    if (!deployment?.spec.replicas) throw new Error(`the chart of ${this.name} starts nothing`);
    const kubeconfigPath = await kubeconfigOf({ namespace, name: "karpenter" }, controlPlane, helm.folder);
    const folder = await mkdtemp(join(tmpdir(), "karpenter-controller-"));
    const environment = await controllerEnvironment(api);
    const { name } = this;
    this.#controller = await startController({
      name,
      kubeconfigPath,
      folder,
      cloudProvider,
      environment,
      progress,
    });
    while ((await this.readMetric("leader_election_master_status")) !== 1) {
      this.controller.check();
      await sleep(100);
    }
  }

  async stop(): Promise<void> {
    const { controller } = this;
    const scale = `-n ${namespace} scale deployment karpenter --replicas=0`;
    await mustRun(scale, this.#parts.controlPlane.kubeconfigPath);
    process.kill(controller.processId, "SIGTERM");
    for (let waited = 0; isAlive(controller); waited++) {
      if (waited > secondsToEnd * 10) throw new Error(`${this.name} does not end within ${secondsToEnd} s`);
      await sleep(100);
    }
    await this.kill();
  }

  /** Whatever it is doing. Its log stays. */
  async kill(): Promise<void> {
    if (this.#controller === undefined) return;
    await copyFile(this.#controller.logFile, this.logFile);
    await this.#controller.stop();
    this.#controller = undefined;
  }

  get logFile(): string {
    return join(tmpdir(), `karpenter-takeover-${this.#parts.cloudProvider}-${this.name}.log`);
  }

  /** The sum over all labels. */
  async readMetric(name: string): Promise<number> {
    const text = await (await fetch(this.controller.metricsUrl)).text();
    const values = [...text.matchAll(new RegExp(`^${name}(?:\\{.*\\})? (\\S+)$`, "gm"))];
    return values.reduce((sum, [, value]) => sum + Number(value), 0);
  }
}

function isAlive(controller: RunningController): boolean {
  try {
    controller.check();
    return true;
  } catch {
    return false;
  }
}
