import type { ScenarioFile } from "../catalogue.ts";
import { verifyPlan } from "../verify.ts";
import type { Best } from "./best.ts";
import type { Score } from "./lines.ts";

/** By the checker, which believes nothing that a plan says about itself. */
export function scoreOf(file: ScenarioFile, { seconds, plan }: Best): Score {
  const verdict = verifyPlan(file, plan);
  const { "left out": leftOut = 0 } = verdict.kinds;
  const violations = verdict.violations - leftOut;
  return {
    milliseconds: Number((seconds * 1000).toFixed(3)),
    costPerHour: Number(verdict.costPerHour.toFixed(6)),
    newNodes: verdict.nodes,
    leftOver: verdict.unschedulable,
    violations,
    ...(violations > 0 ? { examples: verdict.examples.filter((example) => !example.startsWith("left out")) } : {}),
    preferencesHonoured: verdict.preferencesHonoured,
  };
}
