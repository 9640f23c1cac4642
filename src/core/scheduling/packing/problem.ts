import type { Bitset } from "./bitset.ts";

/**
 * What is left of planning when every label, selector and topology domain has been turned into numbers: items (pods
 * that are interchangeable, with a count) to be packed onto machines (ways to buy a node) at the lowest price.
 */
export interface PackingProblem {
  /** How many resources are counted. */
  readonly dimensions: number;
  readonly machineCount: number;
  /** What a machine has left for pods, machine by machine. */
  readonly capacity: Float64Array;
  /** Dollars an hour. */
  readonly price: Float64Array;
  /** Which of the request tables applies on a machine. */
  readonly profile: Uint16Array;
  readonly itemCount: number;
  /** For each profile the items' requests, item by item. */
  readonly requests: readonly Float64Array[];
  readonly counts: Int32Array;
  /** For each item the index into `machineSets`. */
  readonly machineSetOf: Int32Array;
  /** Sets of machines that may be bought for some items. */
  readonly machineSets: readonly Bitset[];
  /** Undefined for items that no rule about sharing a host touches. */
  readonly hostRules: readonly (HostRules | undefined)[];
  readonly hostGroupCount: number;
  readonly budgets: Budgets;
}

/** How an item may share a host. Groups are numbered; a host counts the pods of each group and those that own its rule. */
export interface HostRules {
  /** Groups that count the item; one that stands for several pods may be listed several times. */
  readonly memberOf: readonly number[];
  /** Groups of which the host may hold at most `most` members, this one included when it is a member. */
  readonly caps: readonly { readonly group: number; readonly most: number }[];
  /** Groups of which the host may hold no member before this item comes. */
  readonly refuses: readonly number[];
  /** Groups whose members may not come to the host any more once this item is there, or only up to their bound. */
  readonly owns: readonly number[];
  /** Groups that count the item of which a host may hold so many once somebody is there who owns the rule. */
  readonly bounds: readonly { readonly group: number; readonly most: number }[];
}

/** Limits on what may be bought: pool limits, counts of nodes, dollars, machines left in a reservation. */
export interface Budgets {
  readonly remaining: Float64Array;
  /** For each machine what one of it takes, by budget. */
  readonly uses: readonly (readonly BudgetUse[])[];
}

export interface BudgetUse {
  readonly budget: number;
  readonly amount: number;
}

/** A machine with the items on it. */
export interface PackedNode {
  machine: number;
  readonly items: number[];
  readonly counts: number[];
  readonly used: Float64Array;
}
