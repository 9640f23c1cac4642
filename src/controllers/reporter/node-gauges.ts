import { wellKnownLabels } from "../../core/model/labels.ts";
import type { NodeObject } from "../../core/model/node-object.ts";
import { isDaemonPod, isFinished } from "../../core/model/pod-lifecycle.ts";
import { type Resources, subtractResources } from "../../core/model/resources.ts";
import type { MetricName } from "../../ports/telemetry.ts";
import { shortMetricLabel } from "../../runtime/metric-label-name.ts";
import { WorkLoop } from "../../runtime/work-loop.ts";
import { GaugeBoard, type Reading } from "./gauge-board.ts";
import { forEachGently, refreshInterval } from "./refresh-rate.ts";
import type { ReporterOptions } from "./reporter-options.ts";
import { amountShown, resourceShown } from "./resource-readings.ts";

const interval = 5_000;

interface Sums {
  readonly labels: Reading["labels"];
  readonly readings: readonly Reading[];
  readonly requests: Resources;
}

/** What each node has and what its pods ask of it, and how much of the cluster is used. */
export class NodeGauges {
  readonly #options: ReporterOptions;
  readonly #loop: WorkLoop;
  readonly #board: GaugeBoard;
  readonly #labelNames: readonly (readonly [key: string, name: string])[];
  /** What was found of each node; a node or pod that changes puts it out of date. */
  readonly #sums = new Map<string, Sums>();
  readonly #unsubscribe: (() => void)[] = [];
  #unsyncedSince: number | undefined;

  constructor(options: ReporterOptions) {
    this.#options = options;
    const { clock, telemetry, cloud } = options;
    this.#board = new GaugeBoard(telemetry.metrics);
    this.#labelNames = [...new Set([...wellKnownLabels, ...cloud.wellKnownLabels])].map((key) => [
      key,
      shortMetricLabel(key),
    ]);
    this.#loop = new WorkLoop({ name: "metrics.node", clock, telemetry, reconcile: () => this.#refresh() });
  }

  start(): void {
    const { nodes, pods, claims } = this.#options.cluster;
    this.#unsubscribe.push(
      nodes.onChange(({ key, after }) => {
        this.#sums.delete(key);
        if (after === undefined) this.#board.hide(key);
      }),
      pods.onChange(({ before, after }) => {
        this.#sums.delete(before?.nodeName ?? "");
        this.#sums.delete(after?.nodeName ?? "");
      }),
      claims.onChange(({ before, after }) => {
        if (before === undefined || after === undefined) this.#sums.delete((after ?? before)?.nodeName ?? "");
      }),
    );
    this.#loop.enqueue("");
  }

  async stop(): Promise<void> {
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    await this.#loop.stop();
    this.#board.hideAll();
  }

  async #refresh(): Promise<number> {
    const { cluster, clock } = this.#options;
    const allocatable = new Map<string, number>();
    const requests = new Map<string, number>();
    await forEachGently(clock, [...cluster.nodes.entries()], ([name]) => {
      const node = cluster.nodes.get(name);
      if (node === undefined) return;
      const sums = this.#sums.get(name) ?? this.#sum(node);
      this.#sums.set(name, sums);
      const value = Math.floor((clock.now() - node.createdAt) / 1000);
      const age: Reading = { metric: "nodes_current_lifetime_seconds", labels: sums.labels, value };
      this.#board.show(name, [...sums.readings, age]);
      addTo(allocatable, node.allocatable);
      addTo(requests, sums.requests);
    });
    this.#board.show("", [...this.#stateOfView(), ...utilization(allocatable, requests)]);
    return refreshInterval(interval, cluster.nodes.size);
  }

  #stateOfView(): readonly Reading[] {
    const { cluster, clock, isSynced } = this.#options;
    this.#unsyncedSince = isSynced() ? undefined : (this.#unsyncedSince ?? clock.now());
    const unsynced = this.#unsyncedSince === undefined ? 0 : (clock.now() - this.#unsyncedSince) / 1000;
    const labels = {};
    return [
      { metric: "cluster_state_node_count", labels, value: cluster.nodes.size },
      { metric: "cluster_state_synced", labels, value: this.#unsyncedSince === undefined ? 1 : 0 },
      { metric: "cluster_state_unsynced_time_seconds", labels, value: unsynced },
    ];
  }

  #sum(node: NodeObject): Sums {
    const { cluster } = this.#options;
    const requests = new Map<string, number>();
    const daemonRequests = new Map<string, number>();
    for (const pod of cluster.podsOnNode(node.name)) {
      if (isFinished(pod)) continue;
      addTo(requests, pod.spec.requests);
      if (isDaemonPod(pod)) addTo(daemonRequests, pod.spec.requests);
    }
    const labels = this.#labelsOf(node);
    const readings = [
      ...readingsOf("nodes_allocatable", labels, node.allocatable),
      ...readingsOf("nodes_total_pod_requests", labels, requests),
      ...readingsOf("nodes_total_daemon_requests", labels, daemonRequests),
      ...readingsOf("nodes_system_overhead", labels, subtractResources(node.capacity, node.allocatable)),
    ];
    return { labels, readings, requests };
  }

  #labelsOf(node: NodeObject): Reading["labels"] {
    const labels: Record<string, string> = {};
    for (const [key, name] of this.#labelNames) labels[name] = node.labels.get(key) ?? "";
    const isOurs = this.#options.cluster.claimsOf(node).length > 0;
    // No kubelet has set a phase for years.
    return { ...labels, node_name: node.name, phase: "", managed: String(isOurs) };
  }
}

function readingsOf(metric: MetricName, labels: Reading["labels"], resources: Resources): readonly Reading[] {
  return Array.from(resources, ([resource, amount]) => ({
    metric,
    labels: { ...labels, resource_type: resourceShown(resource) },
    value: amountShown(resource, amount),
  }));
}

function utilization(allocatable: Resources, requests: Resources): readonly Reading[] {
  return [...allocatable].flatMap(([resource, amount]): Reading[] => {
    if (amount === 0) return [];
    const value = (100 * (requests.get(resource) ?? 0)) / amount;
    return [{ metric: "cluster_utilization_percent", labels: { resource_type: resourceShown(resource) }, value }];
  });
}

function addTo(sum: Map<string, number>, resources: Resources): void {
  for (const [name, amount] of resources) sum.set(name, (sum.get(name) ?? 0) + amount);
}
