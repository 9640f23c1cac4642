import { isRestrictedLabel } from "../model/labels.ts";
import type { Pod, PodSpec } from "../model/pod.ts";
import type { Snapshot } from "../model/snapshot.ts";
import { loadOf } from "./bound-pods.ts";
import { withDefaultSpread } from "./default-spread.ts";
import { groupPods } from "./pod-classes.ts";
import type { Refusal } from "./refusal.ts";
import type { PlanSettings } from "./settings.ts";
import { volumeNeeds } from "./volume-needs.ts";
import type { PlannedClass } from "./world.ts";

export interface Screening {
  readonly classes: readonly PlannedClass[];
  readonly refusals: { pod: Pod; refusal: Refusal }[];
}

/** Sorts out pods that no node could help, and groups the rest. */
export function screenPods(snapshot: Snapshot, pending: readonly Pod[], settings: PlanSettings): Screening {
  const classes: PlannedClass[] = [];
  const refusals: Screening["refusals"] = [];
  const boundSpecs = new Set<PodSpec>();
  for (const pods of snapshot.podsByNode.values())
    for (const { spec } of loadOf(pods).assertive) if (spec.podAntiAffinity.length > 0) boundSpecs.add(spec);
  const context = { boundSpecs, pools: snapshot.nodePools, requestsFor: settings.requestsFor };
  const refusalBySpec = new Map<PodSpec, Refusal | undefined>();
  for (const podClass of groupPods(withDefaultSpread(pending, snapshot, settings.defaultSpread), context)) {
    const { spec, namespace, pods } = podClass;
    if (!refusalBySpec.has(spec)) refusalBySpec.set(spec, refusalOf(spec, settings));
    const volumes = volumeNeeds(spec, namespace, snapshot);
    const broken: Refusal | undefined = volumes.kind === "broken" ? { ...volumes, kind: "volume" } : undefined;
    const refusal = refusalBySpec.get(spec) ?? broken;
    if (refusal) for (const pod of pods) refusals.push({ pod, refusal });
    else if (volumes.kind === "usable") classes.push({ podClass, volumes });
  }
  return { classes, refusals };
}

function refusalOf(spec: PodSpec, { wellKnownLabels }: PlanSettings): Refusal | undefined {
  if (spec.usesResourceClaims) return { kind: "device-claims" };
  for (const term of [spec.nodeSelector, ...spec.requiredNodeTerms]) {
    for (const key of term.keys())
      if (isRestrictedLabel(key, wellKnownLabels)) return { kind: "restricted-label", key };
  }
  return undefined;
}
