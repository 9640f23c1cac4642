import type { ScenarioFile } from "../catalogue.ts";
import { verifyPlan } from "../verify.ts";
import type { Best } from "./best.ts";
import type { Score } from "./lines.ts";

const tooFew = "too few alternatives for spot";

/**
 * By the checker, which believes nothing that a plan says about itself. Where kube-scheduler places pods, a node may be
 * kept for others than the plan names there, and has the few instance types that these allow.
 */
export function scoreOf(file: ScenarioFile, { seconds, plan }: Best): Score {
  const verdict = verifyPlan(file, plan);
  const { "left out": leftOut = 0, [tooFew]: fewAlternatives = 0 } = verdict.kinds;
  const violations = verdict.violations - leftOut - fewAlternatives;
  const isBroken = (example: string): boolean => !example.startsWith("left out") && !example.startsWith(tooFew);
  return {
    milliseconds: Number((seconds * 1000).toFixed(3)),
    costPerHour: Number(verdict.costPerHour.toFixed(6)),
    newNodes: verdict.nodes,
    leftOver: verdict.unschedulable,
    violations,
    ...(violations > 0 ? { examples: verdict.examples.filter(isBroken) } : {}),
    fewAlternatives,
    preferencesHonoured: verdict.preferencesHonoured,
  };
}
