import type { Labels } from "./labels.ts";
import type { Resources } from "./resources.ts";
import type { Taint } from "./taints.ts";

/** A node that exists or is on its way, as the planner sees it: what its Node and its NodeClaim say, put together. */
export interface Node {
  readonly name: string;
  readonly labels: Labels;
  /** Without the taints that go away by themselves while the node starts. */
  readonly taints: readonly Taint[];
  readonly capacity: Resources;
  readonly allocatable: Resources;
  /** The pool that owns it, "" for a node that is not ours. */
  readonly nodePool: string;
  readonly isInitialized: boolean;
  /** Being deleted or about to be: no capacity, and its pods need a home. */
  readonly isDeleting: boolean;
  /** Attach limits by CSI driver; a driver that is not named has none. */
  readonly volumeLimits: Resources;
  /** Dollars an hour, undefined when unknown. */
  readonly price: number | undefined;
}
