/** A node that may go by a decision of ours, as the search for a cheaper fleet sees it. */
export interface Leaver {
  readonly nodeName: string;
  readonly poolName: string;
  readonly instanceType: string;
  readonly capacityType: string;
  /** Dollars an hour, undefined when unknown. */
  readonly price: number | undefined;
  readonly podUids: readonly string[];
  readonly disturbance: number;
  /** Dollars an hour that a unit of disturbance must save at least; the same for all nodes of a pool. */
  readonly leastSaving: number;
  /** Whether it may go now. What may go later is reckoned with: no pod is sent there. */
  readonly isReady: boolean;
}
