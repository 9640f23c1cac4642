// Compares the planner with the real kube-scheduler on random clusters:
// `npx node test/e2e/planner/compare-planner.ts --clusters 100 --seed 1`.
import { parseArgs } from "node:util";
import { startSchedulerLab } from "../scheduler/scheduler-lab.ts";
import { type SuiteContext, timed } from "../suite.ts";
import { compareExisting } from "./compare-existing.ts";
import { comparePlans } from "./compare-plans.ts";
import { Tally } from "./tally.ts";

export interface PlannerComparisonOptions {
  readonly seeds: readonly number[];
  readonly progress: (line: string) => void;
  readonly took?: SuiteContext["took"];
}

/** Returns where they differ, known differences aside. */
export async function comparePlanner({
  seeds,
  progress,
  took = () => {},
}: PlannerComparisonOptions): Promise<readonly string[]> {
  const lab = await startSchedulerLab({ progress });
  const existing = new Tally();
  const planned = new Tally();
  try {
    for (const seed of seeds) {
      await timed(took, `seed ${seed}, nodes that there are`, () => compareExisting(lab, seed, existing));
      await timed(took, `seed ${seed}, nodes that are planned`, () => comparePlans(lab, seed, planned));
    }
  } finally {
    await lab.stop();
  }
  const { pods, feasible, refused, needless } = planned;
  progress(`where there are nodes: ${existing.pods} pods, ${existing.feasible} with a place`);
  progress(`  known differences: ${existing.known}`);
  progress(`where nodes are planned: ${pods} pods, ${feasible} come where they were planned to`);
  progress(`  ${refused} were refused, ${needless} of which would find a place in the end`);
  progress(`  known differences: ${planned.known}`);
  return [...existing.problems, ...planned.problems];
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: { clusters: { type: "string", default: "20" }, seed: { type: "string", default: "1" } },
  });
  const seeds = Array.from({ length: Number(values.clusters) }, (_, index) => Number(values.seed) + index);
  const problems = await comparePlanner({ seeds, progress: (line) => console.log(line) });
  for (const problem of problems) console.log(`\n${problem}`);
  if (problems.length > 0) process.exitCode = 1;
}
