import { preferenceFor } from "../node-selector.ts";
import { isTolerated } from "../tolerations.ts";
import { highestScore, type NodeScorer, proportional } from "./node-score.ts";

/** The fewer taints would rather not have the pod, the better. */
export const taintTolerationScore: NodeScorer = ({ pod }, nodes) => {
  const tolerations = (pod.pod.spec?.tolerations ?? []).filter(
    ({ effect = "" }) => effect === "" || effect === "PreferNoSchedule",
  );
  const counts = nodes.map(({ node }) => {
    const taints = (node?.spec?.taints ?? []).filter(({ effect }) => effect === "PreferNoSchedule");
    return taints.filter((taint) => !isTolerated(tolerations, taint)).length;
  });
  return proportional(counts).map((share) => highestScore - share);
};

export const nodeAffinityScore: NodeScorer = ({ pod }, nodes) => {
  const terms = pod.pod.spec?.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution;
  if (terms === undefined) return undefined;
  const preference = preferenceFor(terms);
  return proportional(nodes.map(({ node }) => (node === undefined ? 0 : preference(node))));
};
