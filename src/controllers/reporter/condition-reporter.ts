import { nodeClaims, nodePools } from "../../core/api/karpenter-resources.ts";
import { nodeClassLabel } from "../../core/api/write-node-claim.ts";
import type { Change, Collection } from "../../core/cluster/collection.ts";
import { initializedLabel, type Labels, nodePoolLabel } from "../../core/model/labels.ts";
import type { ObjectIdentity } from "../../core/model/object-identity.ts";
import type { MetricName } from "../../ports/telemetry.ts";
import { apiVersionOf, type KubeResource } from "../../runtime/kube-object.ts";
import { fullMetricLabel } from "../../runtime/metric-label-name.ts";
import { nodes } from "../../runtime/resources.ts";
import { WorkLoop } from "../../runtime/work-loop.ts";
import { GaugeBoard, type Reading } from "./gauge-board.ts";
import { forEachGently, refreshInterval } from "./refresh-rate.ts";
import type { ReporterOptions } from "./reporter-options.ts";

const interval = 10_000;

interface ShownCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime: number;
}

/** Objects of one kind whose conditions are told. */
interface Kind<T extends ObjectIdentity> {
  readonly resource: KubeResource;
  readonly prefix: "nodeclaim_" | "nodepool_" | "node_";
  /** Whether the metrics for all kinds together tell of it too. */
  readonly isInOldFamilies: boolean;
  readonly objects: Collection<T>;
  readonly conditionsOf: (object: T) => readonly ShownCondition[];
  readonly labelsOf: (object: T) => Reading["labels"];
}

/** A number that grows by itself. */
interface Timed {
  readonly metric: MetricName;
  readonly labels: Reading["labels"];
  readonly since: number;
}

interface Series<T> {
  readonly object: T;
  readonly constant: readonly Reading[];
  readonly timed: readonly Timed[];
}

/** Tells of every condition how long it has been so, and of each that changes, with an event beside the object. */
export class ConditionReporter {
  readonly #options: ReporterOptions;
  readonly #followers: readonly { start(): void; stop(): Promise<void> }[];

  constructor(options: ReporterOptions) {
    this.#options = options;
    const { cluster, cloud } = options;
    const classLabels = cloud.nodeClassKinds.map(nodeClassLabel);
    const poolAndClass = [nodePoolLabel, ...classLabels];
    this.#followers = [
      new Follower(this.#options, {
        resource: nodeClaims,
        prefix: "nodeclaim_",
        isInOldFamilies: true,
        objects: cluster.claims,
        conditionsOf: ({ conditions }) => conditions,
        labelsOf: ({ labels }) => pick(labels, poolAndClass),
      }),
      new Follower(this.#options, {
        resource: nodePools,
        prefix: "nodepool_",
        isInOldFamilies: true,
        objects: cluster.pools,
        conditionsOf: ({ status }) => status.conditions,
        labelsOf: () => ({}),
      }),
      new Follower(this.#options, {
        resource: nodes,
        prefix: "node_",
        isInOldFamilies: false,
        objects: cluster.nodes,
        conditionsOf: ({ conditions }) => conditions,
        labelsOf: ({ labels }) => pick(labels, [...poolAndClass, initializedLabel]),
      }),
    ];
  }

  start(): void {
    for (const follower of this.#followers) follower.start();
  }

  async stop(): Promise<void> {
    await Promise.all(this.#followers.map((follower) => follower.stop()));
  }
}

class Follower<T extends ObjectIdentity> {
  readonly #options: ReporterOptions;
  readonly #kind: Kind<T>;
  readonly #loop: WorkLoop;
  readonly #board: GaugeBoard;
  /** What there is to show of each object as it is now. */
  readonly #series = new Map<string, Series<T>>();
  #unsubscribe: (() => void) | undefined;

  constructor(options: ReporterOptions, kind: Kind<T>) {
    this.#options = options;
    this.#kind = kind;
    const { clock, telemetry } = options;
    this.#board = new GaugeBoard(telemetry.metrics);
    const name = `operatorpkg.${kind.resource.kind.toLowerCase()}.status`;
    this.#loop = new WorkLoop({ name, clock, telemetry, reconcile: () => this.#refresh() });
  }

  start(): void {
    this.#unsubscribe = this.#kind.objects.onChange((change) => this.#follow(change));
    this.#loop.enqueue("");
  }

  async stop(): Promise<void> {
    this.#unsubscribe?.();
    await this.#loop.stop();
    this.#board.hideAll();
  }

  #follow({ key, before, after }: Change<T>): void {
    if (after === undefined) {
      this.#board.hide(key);
      this.#series.delete(key);
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
    for (const [metric, more] of this.#families("status_condition_transitions_total", object)) {
      metrics.add(metric, { type, status, reason, ...more } as never);
    }
    if (previous === undefined) return;
    const seconds = Math.max(0, condition.lastTransitionTime - previous.lastTransitionTime) / 1000;
    for (const [metric, more] of this.#families("status_condition_transition_seconds", object)) {
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
    for (const [metric, more] of this.#families("termination_duration_seconds", object)) {
      telemetry.metrics.observe(metric, more as never, seconds);
    }
  }

  #say({ name, uid }: T, reason: string, message: string): void {
    const { resource } = this.#kind;
    const object = { apiVersion: apiVersionOf(resource), kind: resource.kind, name, uid };
    this.#options.telemetry.events.publish({ object, type: "Normal", reason, message });
  }

  async #refresh(): Promise<number> {
    const { objects } = this.#kind;
    await forEachGently(this.#options.clock, [...objects.entries()], ([key]) => {
      const object = objects.get(key);
      if (object !== undefined) this.#board.show(key, this.#readingsOf(key, object));
    });
    return refreshInterval(interval, objects.size);
  }

  #readingsOf(key: string, object: T): readonly Reading[] {
    const now = this.#options.clock.now();
    const known = this.#series.get(key);
    const series = known?.object === object ? known : this.#describe(object);
    this.#series.set(key, series);
    const seconds = (since: number): number => Math.max(0, Math.floor((now - since) / 1000));
    const timed = series.timed.map(({ metric, labels, since }) => ({ metric, labels, value: seconds(since) }));
    return [...series.constant, ...timed];
  }

  #describe(object: T): Series<T> {
    const place = { namespace: "", name: object.name };
    const constant: Reading[] = [];
    const timed: Timed[] = [];
    for (const { type, status, reason = "", lastTransitionTime } of this.#kind.conditionsOf(object)) {
      for (const [metric, more] of this.#families("status_condition_count", object)) {
        constant.push({ metric, labels: { ...place, type, status, reason, ...more }, value: 1 });
      }
      for (const [metric, more] of this.#families("status_condition_current_status_seconds", object)) {
        timed.push({ metric, labels: { ...place, type, status, reason, ...more }, since: lastTransitionTime });
      }
    }
    if (object.deletedAt !== undefined) {
      for (const [metric, more] of this.#families("termination_current_time_seconds", object)) {
        timed.push({ metric, labels: { ...place, ...more }, since: object.deletedAt });
      }
    }
    return { object, constant, timed };
  }

  /** The metric of this kind, and that of all kinds, with the labels that each has of its own. */
  #families(metric: Family, object: T): readonly (readonly [MetricName, Reading["labels"]])[] {
    const { prefix, isInOldFamilies, resource, labelsOf } = this.#kind;
    const own = [`operator_${prefix}${metric}`, labelsOf(object)] as const;
    if (!isInOldFamilies) return [own];
    return [own, [`operator_${metric}`, { group: resource.group, kind: resource.kind }]];
  }
}

type Family =
  | "status_condition_transition_seconds"
  | "status_condition_transitions_total"
  | "status_condition_count"
  | "status_condition_current_status_seconds"
  | "termination_current_time_seconds"
  | "termination_duration_seconds";

function pick(labels: Labels, keys: readonly string[]): Reading["labels"] {
  return Object.fromEntries(keys.map((key) => [fullMetricLabel(key), labels.get(key) ?? ""]));
}
