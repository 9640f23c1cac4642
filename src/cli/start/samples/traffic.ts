import type { Clock, Timer } from "../../../ports/clock.ts";
import type { KubeTransport } from "../../../ports/kube-transport.ts";
import type { Telling } from "../telling.ts";
import { reportJob, sampleNamespace, sampleWorkloads, storefront, type Workload } from "./workloads.ts";

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
  /** How many pods each workload had when it was last looked at; another number is somebody's wish. */
  readonly #seen = new Map(sampleWorkloads.map(({ name, least }) => [name, least]));
  /** Until when a workload is left as somebody wished. */
  readonly #leftAloneUntil = new Map<string, number>();
  /** What the keys have added to storefronts beyond what customers ask for. */
  #extraStorefronts = 0;
  #timer: Timer | undefined;
  #steps = 0;
  #last: Promise<void> = Promise.resolve();

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

  /** Adds so many pods to the first workload, or takes them away, for good: customers come on top of them. */
  addStorefronts(count: number): Promise<void> {
    return this.#inTurn(async () => {
      const before = await this.#look(storefront);
      if (before === undefined) return;
      const replicas = Math.max(0, before + count);
      this.#extraStorefronts += replicas - before;
      await this.#scale(storefront, before, replicas);
    });
  }

  /** One after the other: whoever reads a number and writes another must be alone. */
  #inTurn(work: () => Promise<void>): Promise<void> {
    this.#last = this.#last.then(work, work);
    return this.#last;
  }

  #step(): Promise<void> {
    const step = ++this.#steps;
    const changing = sampleWorkloads.filter(({ least, most }) => most > least);
    // Chance first, so that an answer that comes late changes nothing about the next step.
    const aims = [0, 1].map(() => {
      const workload = changing[Math.floor(this.#options.random() * changing.length)] as Workload;
      return { workload, customers: this.#aimFor(workload) };
    });
    return this.#inTurn(async () => {
      if (step % stepsBetweenReports === 2) await this.#report(Math.ceil(step / stepsBetweenReports));
      for (const { workload, customers } of aims) await this.#serve(workload, customers);
    });
  }

  /** As many pods as customers ask for, unless somebody wants another number. */
  async #serve(workload: Workload, customers: number): Promise<void> {
    const before = await this.#look(workload);
    if (before === undefined || this.#options.clock.now() < (this.#leftAloneUntil.get(workload.name) ?? 0)) return;
    const extra = workload === storefront ? this.#extraStorefronts : 0;
    await this.#scale(workload, before, Math.max(0, customers + extra));
  }

  /** How many pods it should have now; undefined when somebody has deleted it, which is their right. */
  async #look(workload: Workload): Promise<number | undefined> {
    const { transport, clock } = this.#options;
    const { status, body } = await transport.send({ method: "GET", path: scalePath(workload) });
    if (status !== 200) return undefined;
    const replicas = (body as { spec?: { replicas?: number } }).spec?.replicas ?? 0;
    if (replicas !== this.#seen.get(workload.name)) {
      this.#seen.set(workload.name, replicas);
      this.#leftAloneUntil.set(workload.name, clock.now() + dayMilliseconds);
      const minutes = dayMilliseconds / 60_000;
      this.#tell(`somebody has scaled ${workload.name} to ${replicas} pods: it stays so for ${minutes} minutes`);
    }
    return replicas;
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

  async #scale(workload: Workload, before: number, replicas: number): Promise<void> {
    if (before === replicas) return;
    const { status } = await this.#options.transport.send({
      method: "PATCH",
      path: scalePath(workload),
      contentType: "application/merge-patch+json",
      body: { spec: { replicas } },
    });
    if (status >= 300) return;
    this.#seen.set(workload.name, replicas);
    this.#tell(`${workload.name} ${replicas > before ? "grows" : "shrinks"} from ${before} to ${replicas} pods`);
  }

  #tell(text: string): void {
    this.#options.tell({ at: this.#options.clock.now(), tone: "plain", text });
  }
}

function scalePath({ name }: Workload): string {
  return `/apis/apps/v1/namespaces/${sampleNamespace}/deployments/${name}/scale`;
}
