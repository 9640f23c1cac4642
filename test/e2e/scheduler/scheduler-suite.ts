import { type Suite, timed } from "../suite.ts";
import { compareWithKubeScheduler } from "./compare-scheduler.ts";

const clusters = 25;
const scoredClusters = 10;
/** Always the same clusters, so that a difference shows a change of ours; for others, run the comparison by itself. */
const seed = 1;

/** Our scheduler decides as kube-scheduler does, and so does the planner's model of it where it knows all the rules. */
export const schedulerSuite: Suite = {
  name: "scheduler",
  async run({ progress, took }) {
    const decisions = await timed(took, "decisions", () => compareWithKubeScheduler({ clusters, seed }));
    progress(`${decisions.pods} pods in ${clusters} clusters, ${decisions.feasible} with a place`);
    const scores = await timed(took, "scores", () =>
      compareWithKubeScheduler({ clusters: scoredClusters, seed, scores: true }),
    );
    progress(`the scores of ${scores.feasible} pods in ${scoredClusters} clusters`);
    const choices = await timed(took, "model", () =>
      compareWithKubeScheduler({ clusters: scoredClusters, seed, model: true }),
    );
    progress(`what the planner's model chooses for ${choices.feasible} pods in ${scoredClusters} clusters`);
    return [...decisions.differences, ...scores.differences, ...choices.differences];
  },
};
