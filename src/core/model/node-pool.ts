import type { InstanceType } from "./instance-type.ts";
import type { Labels } from "./labels.ts";
import type { Requirements } from "./requirements.ts";
import type { Resources } from "./resources.ts";
import type { Taint } from "./taints.ts";

export interface NodePool {
  readonly name: string;
  readonly weight: number;
  /** Set on a static pool, which keeps that many nodes and takes no pending pods. */
  readonly replicas: number | undefined;
  /** Why the pool cannot be used now (not ready, being deleted), undefined when it can. */
  readonly unusableBecause: string | undefined;
  /** The template's labels and annotations. */
  readonly labels: Labels;
  readonly annotations: Labels;
  readonly taints: readonly Taint[];
  readonly startupTaints: readonly Taint[];
  /** Keys and what they may be, template labels not included. */
  readonly requirements: Requirements;
  /** Requirement keys that a pod's own selector replaces instead of narrowing. */
  readonly defaultKeys: ReadonlySet<string>;
  /** Upper limits by resource name; `nodes` counts nodes, `karpenter.sh/hourly-price` is in millionths of a dollar. */
  readonly limits: Resources;
  readonly nodeClassRef: NodeClassRef;
  readonly instanceTypes: readonly InstanceType[];
}

export interface NodeClassRef {
  readonly group: string;
  readonly kind: string;
  readonly name: string;
}
