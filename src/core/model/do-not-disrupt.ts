import { parseGoDuration } from "./go-duration.ts";
import type { Labels } from "./labels.ts";
import type { Pod } from "./pod.ts";

const doNotDisruptAnnotation = "karpenter.sh/do-not-disrupt";
/** What pods said until v0.32. */
const doNotEvictAnnotation = "karpenter.sh/do-not-evict";
/** What nodes said until v0.32. */
const doNotConsolidateAnnotation = "karpenter.sh/do-not-consolidate";

/** The annotations of pods that hold them, that which counts first. */
export const holdAnnotations: readonly string[] = [doNotDisruptAnnotation, doNotEvictAnnotation];

/** Until when a pod may not be moved: for ever, until a time, or not at all. */
export type Hold =
  | { readonly kind: "forever" }
  | { readonly kind: "until"; readonly time: number | undefined }
  | { readonly kind: "none" }
  /** The annotation says something that means nothing. */
  | { readonly kind: "invalid"; readonly value: string };

/** What the annotation asks for. A duration counts from the pod's start, and has no end before that. */
export function holdOf({ annotations, startedAt }: Pick<Pod, "annotations" | "startedAt">): Hold {
  const value = wordsOf(annotations, doNotEvictAnnotation);
  if (value === undefined || value === "false") return { kind: "none" };
  if (value === "true") return { kind: "forever" };
  const duration = parseGoDuration(value);
  if (duration === undefined) return { kind: "invalid", value };
  if (duration <= 0) return { kind: "none" };
  return { kind: "until", time: startedAt === undefined ? undefined : startedAt + duration };
}

/** Whether the pod may not be moved now. */
export function isHeld(pod: Pod, now: number): boolean {
  const hold = holdOf(pod);
  if (hold.kind === "until") return hold.time === undefined || now < hold.time;
  return hold.kind === "forever";
}

/** For a file, in which no time passes. */
export function isAlwaysHeld(pod: Pod): boolean {
  return holdOf(pod).kind === "forever";
}

/** The annotation by which the node may not be taken away, but for reasons that ask nobody. */
export function holdOfNode({ annotations }: { readonly annotations: Labels }): string | undefined {
  if (wordsOf(annotations, doNotConsolidateAnnotation) !== "true") return undefined;
  return annotations.has(doNotDisruptAnnotation) ? doNotDisruptAnnotation : doNotConsolidateAnnotation;
}

/** The annotation that says what the hold of the pod is. */
export function holdAnnotationOf({ annotations }: Pick<Pod, "annotations">): string {
  return holdAnnotations.find((annotation) => annotations.has(annotation)) ?? doNotDisruptAnnotation;
}

/** The name of today has the last word. The old ones held with "true" and nothing else. */
function wordsOf(annotations: Labels, oldName: string): string | undefined {
  return annotations.get(doNotDisruptAnnotation) ?? (annotations.get(oldName) === "true" ? "true" : undefined);
}
