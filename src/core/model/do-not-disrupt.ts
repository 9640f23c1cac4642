import { parseGoDuration } from "./go-duration.ts";
import type { Pod } from "./pod.ts";

export const doNotDisruptAnnotation = "karpenter.sh/do-not-disrupt";

/** Until when a pod may not be moved: for ever, until a time, or not at all. */
export type Hold =
  | { readonly kind: "forever" }
  | { readonly kind: "until"; readonly time: number | undefined }
  | { readonly kind: "none" }
  /** The annotation says something that means nothing. */
  | { readonly kind: "invalid"; readonly value: string };

/** What the annotation asks for. A duration counts from the pod's start, and has no end before that. */
export function holdOf({ annotations, startedAt }: Pick<Pod, "annotations" | "startedAt">): Hold {
  const value = annotations.get(doNotDisruptAnnotation);
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
