import type { Labels } from "./labels.ts";
import type { ObjectIdentity } from "./object-identity.ts";
import type { Resources } from "./resources.ts";
import type { Taint } from "./taints.ts";

/** What the Node object itself says. */
export interface NodeObject extends ObjectIdentity {
  /** Its name stands in for a provider's id that a node which is not ours may lack. */
  readonly providerId: string;
  readonly labels: Labels;
  readonly annotations: Labels;
  /** As in the object, without the taint that a bare `unschedulable` stands for. */
  readonly writtenTaints: readonly WrittenTaint[];
  /** With it. */
  readonly taints: readonly Taint[];
  readonly capacity: Resources;
  readonly allocatable: Resources;
  readonly ownerUids: readonly string[];
  readonly conditions: readonly NodeCondition[];
}

/** What a taint says besides itself has to survive a write of the whole list. */
export interface WrittenTaint extends Taint {
  readonly timeAdded: string | undefined;
}

export interface NodeCondition {
  readonly type: string;
  readonly status: string;
  /** Milliseconds since 1970. */
  readonly lastTransitionTime: number;
}

export function isNodeReady({ conditions }: NodeObject): boolean {
  return conditions.some(({ type, status }) => type === "Ready" && status === "True");
}
