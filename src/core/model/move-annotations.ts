import type { Labels } from "./labels.ts";

/** On a claim that replaces others: their names. It is left alone until they are gone. */
export const replacesAnnotation = "karpenter.sh/replaces";
/** On a claim that replaces others: which ones replace them together, as `NAME-OF-THE-FIRST/HOW-MANY`. */
export const replacementsAnnotation = "karpenter.sh/replacements";
/** On a claim that was bought in place of others. It stays when they are gone, and nobody remembers their names. */
export const isReplacementAnnotation = "karpenter.sh/is-replacement";
/** On a claim whose move could not be carried out: when that was. */
export const moveFailedAtAnnotation = "karpenter.sh/move-failed-at";

const moveAnnotations: ReadonlySet<string> = new Set([
  replacesAnnotation,
  replacementsAnnotation,
  isReplacementAnnotation,
  moveFailedAtAnnotation,
]);

/** Without what is noted on claims for whoever leads next, which nodes need nothing of. */
export function annotationsForNode({ annotations }: { readonly annotations: Labels }): Labels {
  return new Map([...annotations].filter(([key]) => !moveAnnotations.has(key)));
}
