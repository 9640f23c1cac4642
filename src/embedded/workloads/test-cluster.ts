import type { Pod } from "kubernetes-types/core/v1.js";
import { EmbeddedCluster } from "../cluster.ts";
import { type KubeletOptions, Kubelets } from "../kubelet/kubelets.ts";
import { SchedulingLoop } from "../scheduling-loop/scheduling-loop.ts";
import { VirtualClock } from "../time/virtual-clock.ts";
import { EventRecorder } from "./event-recorder.ts";
import { Resource, type Stored } from "./resource.ts";
import { startWorkloads } from "./start-workloads.ts";
import type { WorkloadContext } from "./workload-context.ts";

/** Sunday, 1 March 2026, noon. */
const startOfTests = Date.UTC(2026, 2, 1, 12);

/** A cluster under virtual time for tests, whose kubelets can be set up. */
export class TestCluster {
  readonly clock = new VirtualClock(startOfTests);
  readonly cluster: EmbeddedCluster;
  readonly kubelets: Kubelets;
  readonly context: WorkloadContext;
  readonly errors: unknown[] = [];
  readonly #stops: (() => void)[] = [];

  constructor(options: KubeletOptions & { readonly seed?: number } = {}) {
    const { clock } = this;
    this.cluster = new EmbeddedCluster({
      clock,
      seed: options.seed ?? 1,
      without: ["scheduler", "workloads", "kubelet"],
    });
    const { api, random } = this.cluster;
    const recorder = new EventRecorder(api, clock);
    const onError = (_: string, error: unknown) => this.errors.push(error);
    this.context = { api, clock, random, recordEvent: recorder.record, onError };
    const workloads = startWorkloads(this.context);
    this.kubelets = new Kubelets(this.context, options);
    const scheduling = new SchedulingLoop(this.context);
    this.#stops.push(
      () => scheduling.stop(),
      () => workloads.stop(),
      () => this.kubelets.stop(),
      () => recorder.stop(),
      () => this.cluster.stop(),
    );
  }

  stop(): void {
    for (const stop of this.#stops) stop();
  }

  of<T extends object>(group: string, plural: string): Resource<T> {
    return new Resource<T>(this.cluster.api, group, plural);
  }

  get pods(): Stored<Pod>[] {
    return [...this.of<Pod>("", "pods").list()];
  }

  create(group: string, plural: string, body: object): void {
    const namespace = (body as { metadata: { namespace?: string } }).metadata.namespace ?? "default";
    const resource = this.of<object>(group, plural);
    resource.create(body, resource.definition.isNamespaced ? namespace : undefined);
  }

  node(name: string, more: { labels?: object; taints?: object[]; cpu?: string } = {}): void {
    const { labels = {}, taints = [], cpu = "8" } = more;
    const capacity = { cpu, memory: "32Gi", pods: "110" };
    this.create("", "nodes", { metadata: { name, labels }, spec: { taints }, status: { capacity } });
  }

  /** Reasons and messages of the events about an object, oldest first. */
  eventsAbout(name: string): string[] {
    return [...this.of<{ involvedObject: { name: string }; reason: string; message: string }>("", "events").list()]
      .filter(({ involvedObject }) => involvedObject.name === name)
      .sort((a, b) => Number(a.metadata.resourceVersion) - Number(b.metadata.resourceVersion))
      .map(({ reason, message }) => `${reason}: ${message}`);
  }

  async advance(seconds: number): Promise<void> {
    await this.clock.advance(seconds * 1000);
    if (this.errors.length > 0) throw this.errors[0];
  }
}
