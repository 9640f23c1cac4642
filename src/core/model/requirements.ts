/** What one label of a node may be. Bounds are inclusive integers; with one set, only integers within it qualify. */
export interface Requirement {
  /** Set: every value but those listed. Not set: only those listed. */
  readonly isComplement: boolean;
  readonly values: ReadonlySet<string>;
  readonly atLeast: bigint | undefined;
  readonly atMost: bigint | undefined;
  /** How many distinct values a launch must leave open. */
  readonly minValues: number | undefined;
}

export type Requirements = ReadonlyMap<string, Requirement>;

export type RequirementOperator = "In" | "NotIn" | "Exists" | "DoesNotExist" | "Gt" | "Lt" | "Gte" | "Lte";

/** All of these must hold on a node's labels. */
export type NodeTerm = Requirements;
