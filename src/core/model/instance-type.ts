import type { Requirements } from "./requirements.ts";
import type { Resources } from "./resources.ts";

/** A kind of machine the cloud sells. */
export interface InstanceType {
  readonly name: string;
  /** What its node's labels will be: one value, several (the provider decides), or DoesNotExist. */
  readonly requirements: Requirements;
  readonly capacity: Resources;
  /** Capacity less what the system keeps for itself. */
  readonly allocatable: Resources;
  readonly offerings: readonly Offering[];
}

/** A way to buy an instance type: one zone, one capacity type, one price. */
export interface Offering {
  /** Names zone and capacity type, and for reserved capacity the reservation. */
  readonly requirements: Requirements;
  /** Dollars an hour. */
  readonly price: number;
  readonly isAvailable: boolean;
  /** Machines left in the reservation; undefined when nothing is reserved. */
  readonly reservationCapacity: number | undefined;
  readonly reservationId: string | undefined;
  /** Where this offering's machine differs from its type: the allocatable amounts that replace the type's. */
  readonly allocatable: Resources | undefined;
}
