import type { DaemonSet } from "kubernetes-types/apps/v1.js";
import type { Node, Pod, PodSpec, Toleration } from "kubernetes-types/core/v1.js";
import { daemonTolerations } from "../../core/model/taints.ts";
import { requiredNodes } from "../scheduler/node-selector.ts";
import { isHard, isTolerated } from "../scheduler/tolerations.ts";
import { podFromTemplate } from "./create-pod.ts";
import type { Stored } from "./resource.ts";

export const hashLabel = "controller-revision-hash";
const generationAnnotation = "deprecated.daemonset.template.generation";

/** Daemons stay on nodes in trouble, where they may be what helps; those of the host's network also where there is none yet. */
function addedTolerations({ hostNetwork }: PodSpec): Toleration[] {
  const usual = daemonTolerations.map(({ key, operator, effect }) => ({ key, operator, effect }));
  const network = { key: "node.kubernetes.io/network-unavailable", operator: "Exists", effect: "NoSchedule" };
  return hostNetwork === true ? [...usual, network] : usual;
}

function tolerationsOf(spec: PodSpec): Toleration[] {
  const added = addedTolerations(spec);
  const isReplaced = ({ key, effect, operator = "Equal" }: Toleration) =>
    added.some((other) => other.key === key && other.effect === effect && other.operator === operator);
  return [...(spec.tolerations ?? []).filter((toleration) => !isReplaced(toleration)), ...added];
}

export interface Suitability {
  readonly shouldRun: boolean;
  /** Whether a pod that is there already may stay. */
  readonly mayStay: boolean;
}

/** Which nodes the pods of a daemon set are for. */
export function suitabilityFor({ spec }: DaemonSet): (node: Node) => Suitability {
  const podSpec = spec?.template.spec ?? { containers: [] };
  const matches = requiredNodes(podSpec);
  const tolerations = tolerationsOf(podSpec);
  return (node) => {
    const isNamed = !podSpec.nodeName || podSpec.nodeName === node.metadata?.name;
    if (!isNamed || !matches(node)) return { shouldRun: false, mayStay: false };
    const refused = (node.spec?.taints ?? []).filter((taint) => isHard(taint) && !isTolerated(tolerations, taint));
    return { shouldRun: refused.length === 0, mayStay: !refused.some(({ effect }) => effect === "NoExecute") };
  };
}

/** A pod that only that node suits. */
export function daemonPod(set: Stored<DaemonSet>, node: string, hash: string): Pod {
  const template = set.spec?.template ?? {};
  const pod = podFromTemplate(set, template);
  const podSpec = template.spec ?? { containers: [] };
  const generation = set.metadata.annotations?.[generationAnnotation];
  const generationLabel = generation === undefined ? {} : { "pod-template-generation": generation };
  return {
    ...pod,
    metadata: { ...pod.metadata, labels: { ...pod.metadata?.labels, ...generationLabel, [hashLabel]: hash } },
    spec: { ...podSpec, affinity: affinityTo(podSpec, node), tolerations: tolerationsOf(podSpec) },
  };
}

/** Every term of the affinity of the template, narrowed to one node. */
function affinityTo({ affinity }: PodSpec, node: string): NonNullable<PodSpec["affinity"]> {
  const name = { key: "metadata.name", operator: "In", values: [node] };
  return {
    ...affinity,
    nodeAffinity: {
      ...affinity?.nodeAffinity,
      requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchFields: [name] }] },
    },
  };
}

/** The node that a daemon pod is on or made for. */
export function targetNode({ spec }: Pod): string {
  if (spec?.nodeName) return spec.nodeName;
  const required = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const fields = (required?.nodeSelectorTerms ?? []).flatMap(({ matchFields = [] }) => matchFields);
  return fields.find(({ key }) => key === "metadata.name")?.values?.[0] ?? "";
}
