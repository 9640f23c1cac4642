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
  const ownLabels = withoutPlace(labels);
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
      spec: withOwnVolumes(spec, claims, { from: newest?.name ?? name, to: podName }),
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

/** Claims that are named after a pod are created with it, where they are not there already. */
function withOwnVolumes(
  spec: PodSpec,
  templates: readonly ClaimTemplate[],
  { from, to }: { readonly from: string; readonly to: string },
): PodSpec {
  const ofOther = new Set(templates.map(({ name }) => `${name}-${from}`));
  const kept = spec.volumeClaims.filter(({ claimName }) => !ofOther.has(claimName));
  if (templates.length === 0 && !kept.some(({ isEphemeral }) => isEphemeral)) return spec;
  const renamed = kept.map((use) =>
    use.isEphemeral && use.claimName.startsWith(`${from}-`)
      ? { ...use, claimName: `${to}${use.claimName.slice(from.length)}` }
      : use,
  );
  const own = templates.map(
    ({ name, ...request }): VolumeClaimUse => ({ claimName: `${name}-${to}`, isEphemeral: true, ...request }),
  );
  return { ...spec, volumeClaims: [...renamed, ...own] };
}
