import type { Selector } from "./selector.ts";

/** A PodDisruptionBudget. */
export interface DisruptionBudget {
  readonly namespace: string;
  readonly name: string;
  /** Undefined selects nothing. */
  readonly selector: Selector | undefined;
  readonly disruptionsAllowed: number;
  /** Pods that are not ready may be evicted whatever the count. */
  readonly alwaysAllowsUnhealthy: boolean;
}

/** A volume that is or was attached to a node. */
export interface VolumeAttachment {
  readonly name: string;
  readonly nodeName: string;
  /** "" for an inline volume. */
  readonly volumeName: string;
}
