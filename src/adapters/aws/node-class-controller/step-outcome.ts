import type { ConditionChange } from "../../../core/model/condition.ts";
import type { Ec2NodeClassStatus } from "../node-class/ec2-node-class.ts";

/** What one step of looking after a node class has come to. */
export interface StepOutcome {
  /** Undefined leaves the condition as it is. */
  readonly change: ConditionChange | undefined;
  /** The change is only for a condition that says nothing yet of the present spec. */
  readonly isTentative?: boolean;
  readonly found?: Partial<Ec2NodeClassStatus>;
  /** Milliseconds until the next look; undefined for not before something changes. */
  readonly again?: number;
  /** Is told in the log; the step is tried again, ever more slowly. */
  readonly failure?: unknown;
}
