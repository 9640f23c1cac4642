import { canonicalText } from "../model/canonical-text.ts";
import { type Labels, regionLabel, zoneLabel } from "../model/labels.ts";
import type { Pod, PodSpec, VolumeClaimUse } from "../model/pod.ts";
import type { ClaimTemplate, Workload } from "../model/workload.ts";

export interface ExpectedPodSource {
  readonly workload: Workload;
  /** Its newest pod that was made from the template as it is now, where there is one. */
  readonly newest: Pod | undefined;
  /** What admission makes of them is known, so that machines may be bought for them. */
  readonly isFirm: boolean;
}

/** The pods of these numbers as they will be once the workload has created them. */
export function expectedPods(source: ExpectedPodSource, numbers: readonly number[]): readonly Pod[] {
  const { workload, newest, isFirm } = source;
  const { demand, name, namespace, template, uid } = workload;
  const { nodeName: _, labels, spec, ...model } = newest ?? template;
  const claims = demand.kind === "ordinals" ? demand.claimTemplates : [];
  const ownLabels = settled(template.labels, labels, withoutPlace(labels));
  const pattern = settled(template.spec, spec, withOwnVolumes(spec, claims, newest?.name ?? name));
  return numbers.map((number) => {
    const podName = `${name}-${number}`;
    return {
      ...model,
      namespace,
      name: podName,
      uid: `${uid}/${number}`,
      labels: ownLabels,
      startedAt: undefined,
      readyAt: undefined,
      isDeleting: false,
      deletesAt: undefined,
      phase: "Pending",
      scheduledReason: "Unschedulable",
      scheduledAt: undefined,
      nodeName: "",
      nominatedNodeName: "",
      expectation: isFirm ? "firm" : "tentative",
      spec: copyFor(podName, pattern),
    };
  });
}

/** What a pod gets with its node, or by its number. */
const placeLabels: ReadonlySet<string> = new Set([
  zoneLabel,
  regionLabel,
  "statefulset.kubernetes.io/pod-name",
  "apps.kubernetes.io/pod-index",
  "batch.kubernetes.io/job-completion-index",
]);

function withoutPlace(labels: Labels): Labels {
  if (![...labels.keys()].some((key) => placeLabels.has(key))) return labels;
  return new Map([...labels].filter(([key]) => !placeLabels.has(key)));
}

/** Stands for the name of the pod in the names of its claims. */
const anyPod = "*";

/** Claims that are named after a pod are created with it, where they are not there already. */
function withOwnVolumes(spec: PodSpec, templates: readonly ClaimTemplate[], copied: string): PodSpec {
  const ofOther = new Set(templates.map(({ name }) => `${name}-${copied}`));
  const kept = spec.volumeClaims.filter(({ claimName }) => !ofOther.has(claimName));
  if (templates.length === 0 && !kept.some(({ isEphemeral }) => isEphemeral)) return spec;
  const renamed = kept.map((use) =>
    use.isEphemeral && use.claimName.startsWith(`${copied}-`)
      ? { ...use, claimName: `${anyPod}${use.claimName.slice(copied.length)}` }
      : use,
  );
  const own = templates.map(
    ({ name, ...request }): VolumeClaimUse => ({ claimName: `${name}-${anyPod}`, isEphemeral: true, ...request }),
  );
  return { ...spec, volumeClaims: [...renamed, ...own] };
}

/** What was made of each pattern, by the name of the pod. */
const copies = new WeakMap<PodSpec, Map<string, PodSpec>>();

function copyFor(podName: string, pattern: PodSpec): PodSpec {
  const { volumeClaims } = pattern;
  if (!volumeClaims.some(({ claimName }) => claimName.includes(anyPod))) return pattern;
  const known = copies.get(pattern) ?? new Map<string, PodSpec>();
  copies.set(pattern, known);
  const copy = known.get(podName) ?? {
    ...pattern,
    volumeClaims: volumeClaims.map((use) => ({ ...use, claimName: use.claimName.replace(anyPod, podName) })),
  };
  known.set(podName, copy);
  return copy;
}

/** What was made last from each template. */
const lastMade = new WeakMap<object, unknown>();

/**
 * A new object that says what the last one from the template said is replaced by that: whoever has seen it need not look
 * again. What was copied as it is stays the object that pods share.
 */
function settled<T>(template: object, copied: T, made: T): T {
  if (made === copied) return made;
  const last = lastMade.get(template) as T | undefined;
  if (last !== undefined && canonicalText(last) === canonicalText(made)) return last;
  lastMade.set(template, made);
  return made;
}
