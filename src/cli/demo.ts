import { defaultCatalogue } from "../adapters/kwok/default-catalogue.ts";
import { describeProblem } from "../core/api/problem.ts";
import { readScenario } from "../core/api/read-scenario.ts";
import { planProvisioning } from "../core/scheduling/provisioning.ts";
import { planSettings } from "./plan-settings.ts";
import { printPlan } from "./print-plan.ts";
import { sampleScenario } from "./sample.ts";

/** Plans the built-in sample and shows what would be bought for it. */
export function runDemo(): number {
  const { scenario, problems } = readScenario(sampleScenario(), defaultCatalogue());
  if (scenario === undefined || problems.length > 0) {
    throw new Error(`The built-in sample is broken: ${problems.map(describeProblem).join(" ")}`);
  }
  const choices = { effort: "full", preferencePolicy: "Respect", minValuesPolicy: "Strict", pricePerNode: 0 } as const;
  const start = performance.now();
  const settings = planSettings(scenario, choices);
  const plan = planProvisioning(scenario.snapshot, scenario.pendingPods, settings);
  printPlan(process.stdout, scenario.name, plan, (performance.now() - start) / 1000);
  process.stdout.write(
    "\nPlan your own: bin/karpenter plan --scenario FILE (bin/karpenter plan --help says more).\n" +
      "A cluster to try things on, for kubectl: bin/karpenter cluster --nodes 3.\n",
  );
  return 0;
}
