import type { PlanRequest } from "../../src/core/scheduling/plan-request.ts";
import { type Arguments, parseFlags } from "../command-line.ts";

export interface SmallOptions {
  readonly seeds: readonly number[];
  /** How often each planner plans each batch. */
  readonly runs: number;
  readonly hasPeer: boolean;
  readonly placement: PlanRequest["placement"];
  readonly isDetailed: boolean;
}

export const usage = `usage: npm run bench:small -- [options]

  --count N    how many random batches (500)
  --first N    the seed of the first; the others follow it (1)
  --seed N     this batch alone, with both plans
  --runs N     how often each planner plans each batch (5)
  --no-peer    leave out the Go planner
  --placement Suggest|Bind
               whether kube-scheduler places the pods, or the plan is followed to the letter (Suggest)

Prints JSON lines; what people read goes to standard error. Fails when a plan of ours is not valid.`;

const flags = {
  count: { type: "string" },
  first: { type: "string" },
  seed: { type: "string" },
  runs: { type: "string" },
  "no-peer": { type: "boolean" },
  placement: { type: "string" },
} as const;

export function readOptions(args: readonly string[]): Arguments<SmallOptions> {
  const problems: string[] = [];
  const values = parseFlags(args, flags, problems);
  const { placement = "Suggest" } = values;
  if (placement !== "Suggest" && placement !== "Bind") {
    problems.push(`--placement: "${placement}" is neither Suggest nor Bind`);
  }
  const number = (name: "count" | "first" | "seed" | "runs", fallback: number): number => {
    const value = values[name] === undefined ? fallback : Number(values[name]);
    if (!Number.isInteger(value) || value < 1)
      problems.push(`--${name}: "${values[name]}" is not a whole number above 0`);
    return value;
  };
  const isDetailed = values.seed !== undefined;
  const first = number("first", 1);
  const count = number("count", 500);
  const seeds = isDetailed ? [number("seed", 1)] : Array.from({ length: count }, (_, index) => first + index);
  const options: SmallOptions = {
    seeds,
    runs: number("runs", 5),
    hasPeer: values["no-peer"] !== true,
    placement: placement === "Bind" ? "Bind" : "Suggest",
    isDetailed,
  };
  return problems.length > 0 ? { problems } : options;
}
