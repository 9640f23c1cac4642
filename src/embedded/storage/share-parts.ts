import type { Draft } from "../kube-object.ts";

/** Parts that pods of one template have in common, down to the last value. */
const sharedParts = ["containers", "initContainers", "tolerations", "volumes", "affinity", "topologySpreadConstraints"];
const mostKept = 2_000;
const known = new Map<string, unknown>();

/** Lets a pod share what it has in common with others: most of the memory of a cluster is the same few templates. */
export function shareParts(draft: Draft): void {
  if (draft.kind !== "Pod") return;
  const spec = draft.spec as { [part: string]: unknown } | undefined;
  if (spec === undefined) return;
  for (const part of sharedParts) if (spec[part] !== undefined) spec[part] = shared(spec[part]);
}

function shared(value: unknown): unknown {
  const text = JSON.stringify(value);
  const found = known.get(text);
  if (found !== undefined) return found;
  if (known.size >= mostKept) known.clear();
  known.set(text, value);
  return value;
}
