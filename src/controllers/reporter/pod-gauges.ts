import type { Change } from "../../core/cluster/collection.ts";
import { archLabel, capacityTypeLabel, instanceTypeLabel, nodePoolLabel, zoneLabel } from "../../core/model/labels.ts";
import type { Pod } from "../../core/model/pod.ts";
import { isFinished } from "../../core/model/pod-lifecycle.ts";
import type { MetricLabels } from "../../ports/metric-labels.ts";
import type { Readings, Sample } from "../../ports/telemetry.ts";
import { remember } from "./remember.ts";
import type { ReporterOptions } from "./reporter-options.ts";

type StateLabels = MetricLabels["pods_state"];

/** A pod that has not started. */
interface Wait {
  readonly pod: Pod;
  readonly plannedAt: number | undefined;
}

/** What state each pod is in, and how long pods take to be bound and to start. */
export class PodGauges {
  readonly #options: ReporterOptions;
  /** Pods that were seen before they had started. */
  readonly #unstarted = new Set<string>();
  /** When the pods that have a node, but have not started, were given a place by a plan of ours. */
  readonly #plannedAt = new Map<string, number>();
  readonly #unsubscribe: (() => void)[] = [];

  constructor(options: ReporterOptions) {
    this.#options = options;
  }

  start(): void {
    const { cluster, telemetry } = this.#options;
    for (const [key, pod] of cluster.pods.entries()) if (pod.phase === "Pending") this.#unstarted.add(key);
    this.#unsubscribe.push(
      cluster.pods.onChange((change) => this.#follow(change)),
      telemetry.metrics.collect(() => this.#read()),
    );
  }

  stop(): void {
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
  }

  #follow({ key, before, after }: Change<Pod>): void {
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
    const plannedAt = cluster.intendedPods.intendedAt(uid);
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

  #read(): Readings {
    const { clock, cluster } = this.#options;
    const now = clock.now();
    const unstarted = this.#waits();
    const unbound = unstarted.filter(({ pod }) => pod.nodeName === "");
    return {
      pods_state: this.#states([...cluster.pods.values()]),
      pods_unstarted_time_seconds: times(unstarted, ({ pod }) => pod.createdAt, now),
      pods_unbound_time_seconds: times(unbound, ({ pod }) => pod.createdAt, now),
      pods_provisioning_unstarted_time_seconds: times(unstarted, ({ plannedAt }) => plannedAt, now),
      pods_provisioning_unbound_time_seconds: times(unbound, ({ plannedAt }) => plannedAt, now),
    };
  }

  #waits(): readonly Wait[] {
    const { pods, intendedPods } = this.#options.cluster;
    const waits: Wait[] = [];
    for (const key of this.#unstarted) {
      const pod = pods.get(key);
      if (pod === undefined) continue;
      const plannedAt = this.#plannedAt.get(key) ?? intendedPods.intendedAt(pod.uid);
      waits.push({ pod, plannedAt: plannedAt === 0 ? undefined : plannedAt });
    }
    return waits;
  }

  *#states(pods: readonly Pod[]): Generator<Sample<StateLabels>> {
    const placeOf = remember((nodeName: string) => this.#placeOf(nodeName));
    for (const { namespace, name, nodeName, phase, readyAt, owners } of pods) {
      const [owner] = owners;
      const labels = {
        name,
        namespace,
        owner:
          owner === undefined
            ? ""
            : `/apis/${owner.apiVersion}/namespaces/${namespace}/${owner.kind.toLowerCase()}s/${owner.name}`,
        phase,
        ready: String(readyAt !== undefined),
      };
      yield { common: placeOf(nodeName), labels, value: 1 };
    }
  }

  /** What pods on the same node have in common. */
  #placeOf(nodeName: string): Partial<StateLabels> {
    const labels = this.#options.cluster.nodes.get(nodeName)?.labels;
    const pool = labels?.get(nodePoolLabel) ?? "";
    return {
      node: nodeName,
      scheduled: String(nodeName !== ""),
      nodepool: pool,
      zone: labels?.get(zoneLabel) ?? "",
      arch: labels?.get(archLabel) ?? "",
      capacity_type: labels?.get(capacityTypeLabel) ?? "",
      instance_type: labels?.get(instanceTypeLabel) ?? "",
      managed: String(pool !== ""),
    };
  }
}

/** How long those have waited that wait for this. */
function* times(
  waits: readonly Wait[],
  since: (wait: Wait) => number | undefined,
  now: number,
): Generator<Sample<{ name: string; namespace: string }>> {
  for (const wait of waits) {
    const { name, namespace } = wait.pod;
    const from = since(wait);
    if (from !== undefined) yield { labels: { name, namespace }, value: Math.floor(secondsBetween(from, now)) };
  }
}

/** Never less than none: times are written in whole seconds. */
function secondsBetween(from: number, to: number): number {
  return Math.max(0, (to - from) / 1000);
}
