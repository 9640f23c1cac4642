import type { NodeCondition, NodeObject } from "../model/node-object.ts";

/** A condition of nodes which, having lasted so long, makes the machine worth replacing. */
export interface Ailment {
  readonly conditionType: string;
  readonly conditionStatus: string;
  readonly tolerationMilliseconds: number;
}

export interface Diagnosis {
  readonly condition: NodeCondition;
  /** When it has lasted too long; of several ailments, the one that does so first. */
  readonly dueAt: number;
}

type Conditions = Pick<NodeObject, "conditions">;

/** Undefined for a healthy node. */
export function diagnose({ conditions }: Conditions, ailments: readonly Ailment[]): Diagnosis | undefined {
  let first: Diagnosis | undefined;
  for (const { conditionType, conditionStatus, tolerationMilliseconds } of ailments) {
    const condition = conditions.find(({ type, status }) => type === conditionType && status === conditionStatus);
    if (condition === undefined) continue;
    const dueAt = condition.lastTransitionTime + tolerationMilliseconds;
    if (first === undefined || dueAt < first.dueAt) first = { condition, dueAt };
  }
  return first;
}

export interface Health {
  readonly unhealthy: number;
  readonly nodes: number;
  /** So many ail that something else than the machines is probably the matter. */
  readonly isTooBad: boolean;
}

/** Nodes that ail count from the first moment. Up to so many of a hundred may, rounded up. */
export function judgeHealth(
  nodes: readonly Conditions[],
  ailments: readonly Ailment[],
  maxUnhealthyPercent: number,
): Health {
  const unhealthy = nodes.filter((node) => diagnose(node, ailments) !== undefined).length;
  const most = Math.ceil((nodes.length * maxUnhealthyPercent) / 100);
  return { unhealthy, nodes: nodes.length, isTooBad: unhealthy > most };
}

/** The same ailments, with tolerations by condition type in place of the cloud's. */
export function withTolerations(
  ailments: readonly Ailment[],
  tolerations: ReadonlyMap<string, number>,
): readonly Ailment[] {
  return ailments.map((ailment) => ({
    ...ailment,
    tolerationMilliseconds: tolerations.get(ailment.conditionType) ?? ailment.tolerationMilliseconds,
  }));
}
