import { wellKnownLabels } from "../../core/model/labels.ts";
import type { NodeObject } from "../../core/model/node-object.ts";
import { isDaemonPod, isFinished } from "../../core/model/pod-lifecycle.ts";
import { type Resources, subtractResources } from "../../core/model/resources.ts";
import type { Readings, Sample } from "../../ports/telemetry.ts";
import { shortMetricLabel } from "../../runtime/metric-label-name.ts";
import { remember } from "./remember.ts";
import type { ReporterOptions } from "./reporter-options.ts";
import { resourceSamples, resourceShown } from "./resource-samples.ts";

type NodeLabels = Readonly<Record<string, string>>;

/** What the pods of a node ask of it, all together and those of DaemonSets. */
interface Requests {
  readonly all: Resources;
  readonly daemons: Resources;
}

/** What each node has and what its pods ask of it, and how much of the cluster is used. */
export class NodeGauges {
  readonly #options: ReporterOptions;
  readonly #labelNames: readonly (readonly [key: string, name: string])[];
  #endCollecting: (() => void) | undefined;

  constructor(options: ReporterOptions) {
    this.#options = options;
    this.#labelNames = [...new Set([...wellKnownLabels, ...options.cloud.wellKnownLabels])].map((key) => [
      key,
      shortMetricLabel(key),
    ]);
  }

  start(): void {
    this.#endCollecting = this.#options.telemetry.metrics.collect(() => this.#read());
  }

  stop(): void {
    this.#endCollecting?.();
  }

  #read(): Readings {
    const { cluster, clock } = this.#options;
    const now = clock.now();
    const nodes = [...cluster.nodes.values()];
    const labelsOf = (node: NodeObject) => this.#labelsOf(node);
    const requestsOf = remember((node: NodeObject) => this.#requestsOf(node));
    function* amounts(resourcesOf: (node: NodeObject) => Resources): Generator<Sample<NodeLabels>> {
      for (const node of nodes) yield* resourceSamples<NodeLabels>(resourcesOf(node), labelsOf(node));
    }
    function* ages(): Generator<Sample<NodeLabels>> {
      for (const node of nodes) {
        yield { common: labelsOf(node), labels: {}, value: Math.floor((now - node.createdAt) / 1000) };
      }
    }
    return {
      cluster_state_node_count: [{ labels: {}, value: nodes.length }],
      cluster_utilization_percent: utilization(nodes, requestsOf),
      nodes_allocatable: amounts(({ allocatable }) => allocatable),
      nodes_total_pod_requests: amounts((node) => requestsOf(node).all),
      nodes_total_daemon_requests: amounts((node) => requestsOf(node).daemons),
      nodes_system_overhead: amounts(({ capacity, allocatable }) => subtractResources(capacity, allocatable)),
      nodes_current_lifetime_seconds: ages(),
    };
  }

  #labelsOf(node: NodeObject): NodeLabels {
    const labels: Record<string, string> = {};
    for (const [key, name] of this.#labelNames) labels[name] = node.labels.get(key) ?? "";
    labels.node_name = node.name;
    // No kubelet has set one for years.
    labels.phase = "";
    labels.managed = String(this.#options.cluster.claimsOf(node).length > 0);
    return labels;
  }

  #requestsOf({ name }: NodeObject): Requests {
    const all = new Map<string, number>();
    const daemons = new Map<string, number>();
    for (const pod of this.#options.cluster.podsOnNode(name)) {
      if (isFinished(pod)) continue;
      addTo(all, pod.spec.requests);
      if (isDaemonPod(pod)) addTo(daemons, pod.spec.requests);
    }
    return { all, daemons };
  }
}

function* utilization(
  nodes: readonly NodeObject[],
  requestsOf: (node: NodeObject) => Requests,
): Generator<Sample<{ resource_type: string }>> {
  const allocatable = new Map<string, number>();
  const requests = new Map<string, number>();
  for (const node of nodes) {
    addTo(allocatable, node.allocatable);
    addTo(requests, requestsOf(node).all);
  }
  for (const [resource, amount] of allocatable) {
    if (amount === 0) continue;
    const value = (100 * (requests.get(resource) ?? 0)) / amount;
    yield { labels: { resource_type: resourceShown(resource) }, value };
  }
}

function addTo(sum: Map<string, number>, resources: Resources): void {
  for (const [name, amount] of resources) sum.set(name, (sum.get(name) ?? 0) + amount);
}
