import type { Collection } from "../../core/cluster/collection.ts";
import type { ObjectIdentity } from "../../core/model/object-identity.ts";
import type { Readings, Sample } from "../../ports/telemetry.ts";
import type { KubeResource } from "../../runtime/kube-object.ts";

export type MoreLabels = Readonly<Record<string, string>>;

export interface ShownCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime: number;
}

/** Objects of one kind whose conditions are told. */
export interface ConditionKind<T extends ObjectIdentity> {
  readonly resource: KubeResource;
  readonly objects: Collection<T>;
  readonly conditionsOf: (object: T) => readonly ShownCondition[];
  /** The metrics of this kind, and those of all kinds together where they tell of it too. */
  readonly families: readonly ConditionFamily<T>[];
}

export interface ConditionFamily<T> {
  readonly prefix: "nodeclaim_" | "nodepool_" | "node_" | "ec2nodeclass_" | "";
  readonly labelsOf: (object: T) => MoreLabels;
}

/** Which conditions there are now and since when, and for how long objects have been on their way out. */
export function readConditions<T extends ObjectIdentity>(kind: ConditionKind<T>, now: number): Readings {
  const objects = [...kind.objects.values()];
  const secondsSince = (time: number): number => Math.max(0, Math.floor((now - time) / 1000));
  const readings: Record<string, Iterable<Sample<MoreLabels>>> = {};
  for (const { prefix, labelsOf } of kind.families) {
    const commonOf = (object: T) => ({ namespace: "", name: object.name, ...labelsOf(object) });
    function* conditions(numberOf: (condition: ShownCondition) => number): Generator<Sample<MoreLabels>> {
      for (const object of objects) {
        const common = commonOf(object);
        const all = kind.conditionsOf(object);
        for (const condition of all) {
          const { type, status, reason = "" } = condition;
          // Nobody keeps the status of a node from having a condition twice.
          if (all.findLast((other) => other.type === type) !== condition) continue;
          yield { common, labels: { type, status, reason }, value: numberOf(condition) };
        }
      }
    }
    function* terminations(): Generator<Sample<MoreLabels>> {
      for (const object of objects) {
        if (object.deletedAt === undefined) continue;
        yield { common: commonOf(object), labels: {}, value: secondsSince(object.deletedAt) };
      }
    }
    readings[`operator_${prefix}status_condition_count`] = conditions(() => 1);
    readings[`operator_${prefix}status_condition_current_status_seconds`] = conditions(({ lastTransitionTime }) =>
      secondsSince(lastTransitionTime),
    );
    readings[`operator_${prefix}termination_current_time_seconds`] = terminations();
  }
  return readings;
}
