import { nodeClaims, nodePools } from "../../core/api/karpenter-resources.ts";
import { nodeClassLabel } from "../../core/api/write-node-claim.ts";
import type { Change } from "../../core/cluster/collection.ts";
import { initializedLabel, type Labels, nodePoolLabel } from "../../core/model/labels.ts";
import type { ObjectIdentity } from "../../core/model/object-identity.ts";
import type { MetricName } from "../../ports/telemetry.ts";
import { apiVersionOf, type KubeResource } from "../../runtime/kube-object.ts";
import { fullMetricLabel } from "../../runtime/metric-label-name.ts";
import { nodes } from "../../runtime/resources.ts";
import {
  type ConditionFamily,
  type ConditionKind,
  type MoreLabels,
  readConditions,
  type ShownCondition,
} from "./condition-gauges.ts";
import type { ReporterOptions } from "./reporter-options.ts";

/** Tells of every condition how long it has been so, and of each that changes, with an event beside the object. */
export class ConditionReporter {
  readonly #followers: readonly { start(): void; stop(): void }[];

  constructor(options: ReporterOptions) {
    const { cluster, cloud } = options;
    const classLabels = cloud.nodeClassKinds.map(nodeClassLabel);
    const poolAndClass = [nodePoolLabel, ...classLabels];
    this.#followers = [
      new Follower(options, {
        resource: nodeClaims,
        objects: cluster.claims,
        conditionsOf: ({ conditions }) => conditions,
        families: [
          { prefix: "nodeclaim_", labelsOf: ({ labels }) => pick(labels, poolAndClass) },
          familyOfAllKinds(nodeClaims),
        ],
      }),
      new Follower(options, {
        resource: nodePools,
        objects: cluster.pools,
        conditionsOf: ({ status }) => status.conditions,
        families: [{ prefix: "nodepool_", labelsOf: () => ({}) }, familyOfAllKinds(nodePools)],
      }),
      new Follower(options, {
        resource: nodes,
        objects: cluster.nodes,
        conditionsOf: ({ conditions }) => conditions,
        families: [{ prefix: "node_", labelsOf: ({ labels }) => pick(labels, [...poolAndClass, initializedLabel]) }],
      }),
      ...cloud.nodeClassKinds
        .filter(({ kind }) => kind === "EC2NodeClass")
        .map(
          (kind) =>
            new Follower(options, {
              resource: { ...kind, isNamespaced: false },
              objects: cluster.nodeClasses,
              conditionsOf: ({ conditions }) => conditions,
              families: [{ prefix: "ec2nodeclass_", labelsOf: () => ({}) }, familyOfAllKinds(kind)],
            }),
        ),
    ];
  }

  start(): void {
    for (const follower of this.#followers) follower.start();
  }

  stop(): void {
    for (const follower of this.#followers) follower.stop();
  }
}

class Follower<T extends ObjectIdentity> {
  readonly #options: ReporterOptions;
  readonly #kind: ConditionKind<T>;
  readonly #unsubscribe: (() => void)[] = [];

  constructor(options: ReporterOptions, kind: ConditionKind<T>) {
    this.#options = options;
    this.#kind = kind;
  }

  start(): void {
    const { telemetry, clock } = this.#options;
    this.#unsubscribe.push(
      this.#kind.objects.onChange((change) => this.#follow(change)),
      telemetry.metrics.collect(() => readConditions(this.#kind, clock.now())),
    );
  }

  stop(): void {
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
  }

  #follow({ before, after }: Change<T>): void {
    if (after === undefined) {
      if (before !== undefined) this.#conclude(before);
      return;
    }
    for (const finalizer of before?.finalizers ?? []) {
      if (!after.finalizers.includes(finalizer)) this.#say(after, "Finalized", `Finalized ${finalizer}`);
    }
    const old = new Map((before === undefined ? [] : this.#kind.conditionsOf(before)).map((one) => [one.type, one]));
    for (const condition of this.#kind.conditionsOf(after)) {
      const previous = old.get(condition.type);
      if (previous?.status !== condition.status) this.#count(after, condition, previous);
    }
  }

  #count(object: T, condition: ShownCondition, previous: ShownCondition | undefined): void {
    const { metrics } = this.#options.telemetry;
    const { type, status, reason = "" } = condition;
    for (const [metric, more] of this.#metricsOf("status_condition_transitions_total", object)) {
      metrics.add(metric, { type, status, reason, ...more } as never);
    }
    if (previous === undefined) return;
    const seconds = Math.max(0, condition.lastTransitionTime - previous.lastTransitionTime) / 1000;
    for (const [metric, more] of this.#metricsOf("status_condition_transition_seconds", object)) {
      metrics.observe(metric, { type, status: previous.status, ...more } as never, seconds);
    }
    const message =
      condition.message === undefined || condition.message === "" ? "" : `, Message: ${condition.message}`;
    const change = `Type: ${type}, Status: ${previous.status} -> ${status}, Reason: ${reason}${message}`;
    this.#say(object, type, `Status condition transitioned, ${change}`);
  }

  #conclude(object: T): void {
    const { clock, telemetry } = this.#options;
    for (const finalizer of object.finalizers) this.#say(object, "Finalized", `Finalized ${finalizer}`);
    if (object.deletedAt === undefined) return;
    const seconds = Math.max(0, clock.now() - object.deletedAt) / 1000;
    for (const [metric, more] of this.#metricsOf("termination_duration_seconds", object)) {
      telemetry.metrics.observe(metric, more as never, seconds);
    }
  }

  #say({ name, uid }: T, reason: string, message: string): void {
    const { resource } = this.#kind;
    const object = { apiVersion: apiVersionOf(resource), kind: resource.kind, name, uid };
    this.#options.telemetry.events.publish({ object, type: "Normal", reason, message });
  }

  /** The metric in each family, with the labels that it has there besides its own. */
  #metricsOf(metric: FedMetric, object: T): readonly (readonly [MetricName, MoreLabels])[] {
    return this.#kind.families.map(({ prefix, labelsOf }) => [`operator_${prefix}${metric}`, labelsOf(object)]);
  }
}

/** Metrics that grow with what happens. */
type FedMetric =
  | "status_condition_transition_seconds"
  | "status_condition_transitions_total"
  | "termination_duration_seconds";

function familyOfAllKinds({ group, kind }: Pick<KubeResource, "group" | "kind">): ConditionFamily<unknown> {
  const labels = { group, kind };
  return { prefix: "", labelsOf: () => labels };
}

function pick(labels: Labels, keys: readonly string[]): MoreLabels {
  return Object.fromEntries(keys.map((key) => [fullMetricLabel(key), labels.get(key) ?? ""]));
}
