import { closeSync, openSync, writeSync } from "node:fs";
import { describeProblem } from "../core/api/problem.ts";
import type { ProvisioningPlan } from "../core/scheduling/plan.ts";
import { planProvisioning } from "../core/scheduling/provisioning.ts";
import { CliError } from "./cli-error.ts";
import { type LoadedScenario, loadScenario } from "./load-scenario.ts";
import { type PlanFile, planFile, unschedulablePods } from "./plan-file.ts";
import { type Effort, planSettings } from "./plan-settings.ts";
import { printPlan } from "./print-plan.ts";

export interface PlanOptions {
  readonly scenario: string;
  readonly effort: Effort;
  readonly runs?: number;
  readonly out?: string;
  readonly json?: boolean;
  readonly preferencePolicy: "Respect" | "Ignore";
  readonly minValuesPolicy: "Strict" | "BestEffort";
  readonly pricePerNode: number;
}

/** Plans a scenario file. The exit code is not zero when something in the file is wrong; the rest is planned anyway. */
export function runPlan(options: PlanOptions): number {
  const scenario = loadScenario(options.scenario);
  const { plan, seconds } = measure(() => planOnce(scenario, options), options.runs);
  if (options.out !== undefined) write(options.out, planFile(scenario, plan));
  if (options.json) {
    process.stdout.write(`${JSON.stringify(summary(scenario, plan, seconds))}\n`);
  } else {
    printPlan(process.stdout, scenario.name, plan, seconds);
  }
  for (const problem of scenario.problems) process.stderr.write(`error: ${describeProblem(problem)}\n`);
  return scenario.problems.length > 0 ? 1 : 0;
}

function planOnce(scenario: LoadedScenario, options: PlanOptions): ProvisioningPlan {
  const settings = planSettings(scenario, options);
  return planProvisioning(scenario.snapshot, scenario.pendingPods, settings);
}

/** Runs before a measurement that let the just-in-time compiler settle, and the longest they may take in all. */
const warmUpRuns = 8;
const warmUpSeconds = 4;

/** The last plan and the median time. Without a count one cold run is measured; with one, that many warm runs. */
function measure(run: () => ProvisioningPlan, runs: number | undefined): { plan: ProvisioningPlan; seconds: number } {
  const times: number[] = [];
  const timed = () => {
    const start = performance.now();
    const plan = run();
    times.push((performance.now() - start) / 1000);
    return plan;
  };
  let plan = timed();
  if (runs === undefined) return { plan, seconds: times[0] ?? 0 };
  let spent = times[0] ?? 0;
  for (let warmUp = 1; warmUp < warmUpRuns && spent < warmUpSeconds; warmUp++) {
    timed();
    spent += times[times.length - 1] ?? 0;
  }
  times.length = 0;
  for (let count = 0; count < runs; count++) plan = timed();
  times.sort((a, b) => a - b);
  return { plan, seconds: times[Math.floor(times.length / 2)] ?? 0 };
}

function summary(scenario: LoadedScenario, plan: ProvisioningPlan, seconds: number) {
  return {
    scenario: scenario.name,
    pods: scenario.pendingPods.length,
    instanceTypes: scenario.instanceTypes.length,
    seconds,
    podsPerSecond: scenario.pendingPods.length / seconds,
    nodes: plan.nodes.length,
    costPerHour: plan.costPerHour,
    boundPerHour: plan.boundPerHour(),
    unscheduled: unschedulablePods(scenario, plan).length,
  };
}

/** Writes node by node: as one text a large plan would take more memory than planning it. */
function write(path: string, { scenario, nodes, placements, unschedulable }: PlanFile): void {
  try {
    const file = openSync(path, "w");
    try {
      writeSync(file, `{"scenario":${JSON.stringify(scenario)},"nodes":[`);
      for (const [index, node] of nodes.entries())
        writeSync(file, `${index === 0 ? "" : ","}\n${JSON.stringify(node)}`);
      writeSync(
        file,
        `],"placements":${JSON.stringify(placements)},"unschedulable":${JSON.stringify(unschedulable)}}\n`,
      );
    } finally {
      closeSync(file);
    }
  } catch (error) {
    throw new CliError(`Cannot write the plan to "${path}": ${(error as Error).message}.`);
  }
}
