/** How a Deployment or a StatefulSet replaces its pods. */
export interface Rollout {
  readonly kind: "Deployment" | "StatefulSet";
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  /** What new pods are made from; undefined while its controller has yet to say. */
  readonly revision: string | undefined;
  /** Why a restart would not replace its pods, or not before they go; undefined when it would. */
  readonly obstacle: string | undefined;
  readonly restartedAt: number | undefined;
  /** When its controller last saw it get further, where it says so. */
  readonly progressedAt: number | undefined;
  /** Its controller has given up on it. */
  readonly hasStalled: boolean;
  /** Milliseconds without progress after which it is not expected to get any further. */
  readonly patience: number;
}
