/** What AWS tells of machines that it takes away or that are broken; as it stands in metrics. */
export type InterruptionKind =
  | "spot_interrupted"
  | "rebalance_recommendation"
  | "instance_stopped"
  | "instance_terminated"
  | "scheduled_change"
  | "capacity_reservation_interrupted"
  | "instance_status"
  | "system_status"
  | "event_status";

export interface Interruption {
  readonly kind: InterruptionKind;
  /** Each once. They may be of anybody's machines, or of no machines at all. */
  readonly instanceIds: readonly string[];
  /** When it came to be, in milliseconds since 1970; undefined when nobody knows. */
  readonly at: number | undefined;
}
