import type { Clock, Timer } from "../../../ports/clock.ts";
import type { KubeTransport } from "../../../ports/kube-transport.ts";
import type { Telling } from "../telling.ts";
import { reportJob, sampleNamespace, sampleWorkloads, type Workload } from "./workloads.ts";

export interface TrafficOptions {
  readonly transport: KubeTransport;
  readonly clock: Clock;
  /** From 0 to 1, 1 excluded. */
  readonly random: () => number;
  readonly tell: (telling: Telling) => void;
}

const stepMilliseconds = 20_000;
/** A day of the shop. */
const dayMilliseconds = 6 * 60_000;
const stepsBetweenReports = 7;

/** Customers: they let the sample workloads grow and shrink, the same way for the same seed. */
export class Traffic {
  readonly #options: TrafficOptions;
  readonly #startedAt: number;
  #timer: Timer | undefined;
  #steps = 0;

  constructor(options: TrafficOptions) {
    this.#options = options;
    this.#startedAt = options.clock.now();
  }

  start(): void {
    this.#timer = this.#options.clock.after(stepMilliseconds, () => {
      this.start();
      void this.#step();
    });
  }

  stop(): void {
    this.#timer?.cancel();
  }

  /** Adds so many pods to the first workload, or takes them away. */
  async addStorefronts(count: number): Promise<void> {
    const [storefront] = sampleWorkloads;
    if (storefront === undefined) return;
    const now = await this.#replicasOf(storefront);
    if (now !== undefined) await this.#scale(storefront, Math.max(0, now + count));
  }

  async #step(): Promise<void> {
    this.#steps++;
    if (this.#steps % stepsBetweenReports === 2) await this.#report(Math.ceil(this.#steps / stepsBetweenReports));
    const changing = sampleWorkloads.filter(({ least, most }) => most > least);
    // Chance first, so that an answer that comes late changes nothing about the next step.
    const aims = [0, 1].map(() => {
      const workload = changing[Math.floor(this.#options.random() * changing.length)] as Workload;
      return { workload, replicas: this.#aimFor(workload) };
    });
    for (const { workload, replicas } of aims) await this.#scale(workload, replicas);
  }

  /** Much at noon, little at night, and never quite the same. */
  #aimFor({ least, most }: Workload): number {
    const { clock, random } = this.#options;
    const hour = ((clock.now() - this.#startedAt) % dayMilliseconds) / dayMilliseconds;
    const crowd = (1 - Math.cos(2 * Math.PI * hour)) / 2 + (random() - 0.5) * 0.5;
    return Math.round(least + (most - least) * Math.min(1, Math.max(0, crowd)));
  }

  async #report(number: number): Promise<void> {
    const path = `/apis/batch/v1/namespaces/${sampleNamespace}/jobs`;
    const { status } = await this.#options.transport.send({ method: "POST", path, body: reportJob(number) });
    if (status < 300) this.#tell(`the job report-${number} starts 16 pods for a minute`);
  }

  async #scale(workload: Workload, replicas: number): Promise<void> {
    const before = await this.#replicasOf(workload);
    // Somebody has deleted it, which is their right.
    if (before === undefined || before === replicas) return;
    const { status } = await this.#options.transport.send({
      method: "PATCH",
      path: scalePath(workload),
      contentType: "application/merge-patch+json",
      body: { spec: { replicas } },
    });
    if (status < 300)
      this.#tell(`${workload.name} ${replicas > before ? "grows" : "shrinks"} from ${before} to ${replicas} pods`);
  }

  async #replicasOf(workload: Workload): Promise<number | undefined> {
    const { status, body } = await this.#options.transport.send({ method: "GET", path: scalePath(workload) });
    return status === 200 ? ((body as { spec?: { replicas?: number } }).spec?.replicas ?? 0) : undefined;
  }

  #tell(text: string): void {
    this.#options.tell({ at: this.#options.clock.now(), tone: "plain", text });
  }
}

function scalePath({ name }: Workload): string {
  return `/apis/apps/v1/namespaces/${sampleNamespace}/deployments/${name}/scale`;
}
