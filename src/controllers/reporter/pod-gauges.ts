import type { Change } from "../../core/cluster/collection.ts";
import { archLabel, capacityTypeLabel, instanceTypeLabel, nodePoolLabel, zoneLabel } from "../../core/model/labels.ts";
import type { Pod } from "../../core/model/pod.ts";
import { isFinished } from "../../core/model/pod-lifecycle.ts";
import type { MetricName } from "../../ports/telemetry.ts";
import { WorkLoop } from "../../runtime/work-loop.ts";
import { GaugeBoard, type Reading } from "./gauge-board.ts";
import { forEachGently, refreshInterval } from "./refresh-rate.ts";
import type { ReporterOptions } from "./reporter-options.ts";

const interval = 30_000;
/** Labels of its node that are shown with a pod. */
const nodeLabels = [nodePoolLabel, zoneLabel, archLabel, capacityTypeLabel, instanceTypeLabel];

/** What state each pod is in, and how long pods take to be bound and to start. */
export class PodGauges {
  readonly #options: ReporterOptions;
  readonly #loop: WorkLoop;
  readonly #board: GaugeBoard;
  /** Pods whose state may have changed since it was shown. */
  readonly #changed = new Set<string>();
  /** Pods that were seen before they had started. */
  readonly #unstarted = new Set<string>();
  /** When the pods that have a node, but have not started, were given a place by a plan of ours. */
  readonly #plannedAt = new Map<string, number>();
  readonly #unsubscribe: (() => void)[] = [];

  constructor(options: ReporterOptions) {
    this.#options = options;
    const { clock, telemetry } = options;
    this.#board = new GaugeBoard(telemetry.metrics);
    this.#loop = new WorkLoop({ name: "metrics.pod", clock, telemetry, reconcile: () => this.#refresh() });
  }

  start(): void {
    const { pods, nodes } = this.#options.cluster;
    for (const [key, pod] of pods.entries()) {
      this.#changed.add(key);
      if (pod.phase === "Pending") this.#unstarted.add(key);
    }
    this.#unsubscribe.push(
      pods.onChange((change) => this.#follow(change)),
      nodes.onChange(({ key, before, after }) => {
        if (nodeLabels.every((label) => before?.labels.get(label) === after?.labels.get(label))) return;
        for (const { namespace, name } of this.#options.cluster.podsOnNode(key)) {
          this.#changed.add(`${namespace}/${name}`);
        }
      }),
    );
    this.#loop.enqueue("");
  }

  async stop(): Promise<void> {
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    await this.#loop.stop();
    this.#board.hideAll();
  }

  #follow({ key, before, after }: Change<Pod>): void {
    this.#changed.add(key);
    if (after === undefined) {
      this.#forget(key);
      return;
    }
    if (after.phase === "Pending") this.#unstarted.add(key);
    if (before !== undefined && before.nodeName === "" && after.nodeName !== "") this.#observeBinding(key, after);
    if (!this.#unstarted.has(key)) return;
    if (after.readyAt !== undefined) this.#observeStart(key, after, after.readyAt);
    if (after.readyAt !== undefined || isFinished(after)) this.#forget(key);
  }

  #observeBinding(key: string, { uid, createdAt, scheduledAt }: Pod): void {
    const { clock, cluster, telemetry } = this.#options;
    const boundAt = scheduledAt ?? clock.now();
    telemetry.metrics.observe("pods_bound_duration_seconds", {}, secondsBetween(createdAt, boundAt));
    // The plan is forgotten as soon as the pod has its node.
    const plannedAt = cluster.nominations.nominatedAt(uid);
    if (plannedAt === 0) return;
    this.#plannedAt.set(key, plannedAt);
    telemetry.metrics.observe("pods_provisioning_bound_duration_seconds", {}, secondsBetween(plannedAt, boundAt));
  }

  #observeStart(key: string, { createdAt }: Pod, readyAt: number): void {
    const { metrics } = this.#options.telemetry;
    metrics.observe("pods_startup_duration_seconds", {}, secondsBetween(createdAt, readyAt));
    const plannedAt = this.#plannedAt.get(key);
    if (plannedAt === undefined) return;
    metrics.observe("pods_provisioning_startup_duration_seconds", {}, secondsBetween(plannedAt, readyAt));
  }

  #forget(key: string): void {
    this.#unstarted.delete(key);
    this.#plannedAt.delete(key);
  }

  async #refresh(): Promise<number> {
    const { cluster, clock } = this.#options;
    const keys = new Set([...this.#changed, ...this.#unstarted]);
    this.#changed.clear();
    await forEachGently(clock, [...keys], (key) => {
      const pod = cluster.pods.get(key);
      if (pod === undefined) this.#board.hide(key);
      else this.#board.show(key, this.#readingsOf(key, pod));
    });
    return refreshInterval(interval, this.#unstarted.size);
  }

  #readingsOf(key: string, pod: Pod): readonly Reading[] {
    const state: Reading = { metric: "pods_state", labels: this.#labelsOf(pod), value: 1 };
    if (!this.#unstarted.has(key)) return [state];
    const { clock, cluster } = this.#options;
    const labels = { name: pod.name, namespace: pod.namespace };
    const plannedAt = this.#plannedAt.get(key) ?? cluster.nominations.nominatedAt(pod.uid);
    const waits: [MetricName, number][] = [["pods_unstarted_time_seconds", pod.createdAt]];
    if (plannedAt > 0) waits.push(["pods_provisioning_unstarted_time_seconds", plannedAt]);
    if (pod.nodeName === "") {
      waits.push(["pods_unbound_time_seconds", pod.createdAt]);
      if (plannedAt > 0) waits.push(["pods_provisioning_unbound_time_seconds", plannedAt]);
    }
    const now = clock.now();
    return [
      state,
      ...waits.map(([metric, from]) => ({ metric, labels, value: Math.floor(secondsBetween(from, now)) })),
    ];
  }

  #labelsOf(pod: Pod): Reading["labels"] {
    const { namespace, name, nodeName, phase, readyAt, owners } = pod;
    const labels = this.#options.cluster.nodes.get(nodeName)?.labels;
    const pool = labels?.get(nodePoolLabel) ?? "";
    const [owner] = owners;
    return {
      name,
      namespace,
      owner:
        owner === undefined
          ? ""
          : `/apis/${owner.apiVersion}/namespaces/${namespace}/${owner.kind.toLowerCase()}s/${owner.name}`,
      node: nodeName,
      scheduled: String(nodeName !== ""),
      nodepool: pool,
      zone: labels?.get(zoneLabel) ?? "",
      arch: labels?.get(archLabel) ?? "",
      capacity_type: labels?.get(capacityTypeLabel) ?? "",
      instance_type: labels?.get(instanceTypeLabel) ?? "",
      phase,
      ready: String(readyAt !== undefined),
      managed: String(pool !== ""),
    };
  }
}

/** Never less than none: times are written in whole seconds. */
function secondsBetween(from: number, to: number): number {
  return Math.max(0, (to - from) / 1000);
}
