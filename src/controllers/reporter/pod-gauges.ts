import type { Change } from "../../core/cluster/collection.ts";
import { archLabel, capacityTypeLabel, instanceTypeLabel, nodePoolLabel, zoneLabel } from "../../core/model/labels.ts";
import type { Pod } from "../../core/model/pod.ts";
import { isFinished } from "../../core/model/pod-lifecycle.ts";
import { WorkLoop } from "../../runtime/work-loop.ts";
import { GaugeBoard, type Reading } from "./gauge-board.ts";
import { forEachGently, refreshInterval } from "./refresh-rate.ts";
import type { ReporterOptions } from "./reporter-options.ts";

const interval = 30_000;

/** What state each pod is in, and how long pods take to be bound and to start. */
export class PodGauges {
  readonly #options: ReporterOptions;
  readonly #loop: WorkLoop;
  readonly #board: GaugeBoard;
  /** Pods whose state may have changed since it was shown. */
  readonly #changed = new Set<string>();
  /** Pods that were seen before they had started. */
  readonly #unstarted = new Set<string>();
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
        if (before?.labels === after?.labels) return;
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
      this.#unstarted.delete(key);
      return;
    }
    const { metrics } = this.#options.telemetry;
    if (after.phase === "Pending") this.#unstarted.add(key);
    if (before !== undefined && before.nodeName === "" && after.nodeName !== "") {
      const boundAt = after.scheduledAt ?? this.#options.clock.now();
      metrics.observe("pods_bound_duration_seconds", {}, secondsBetween(after.createdAt, boundAt));
    }
    if (!this.#unstarted.has(key)) return;
    if (after.readyAt !== undefined) {
      metrics.observe("pods_startup_duration_seconds", {}, secondsBetween(after.createdAt, after.readyAt));
      this.#unstarted.delete(key);
    } else if (isFinished(after)) this.#unstarted.delete(key);
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
    const labels = { name: pod.name, namespace: pod.namespace };
    const value = Math.floor(secondsBetween(pod.createdAt, this.#options.clock.now()));
    const unstarted: Reading = { metric: "pods_unstarted_time_seconds", labels, value };
    if (pod.nodeName !== "") return [state, unstarted];
    return [state, unstarted, { metric: "pods_unbound_time_seconds", labels, value }];
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
