import type {
  NodeAffinity,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  PodAffinityTerm,
  PodSpec,
} from "kubernetes-types/core/v1.js";
import type { LabelSelector } from "kubernetes-types/meta/v1.js";
import type { CSIDriver, StorageClass } from "kubernetes-types/storage/v1.js";
import type { ClusterObject } from "../../../src/embedded/scheduler/scheduler-cache.ts";
import { hostnameKey } from "../scheduler/words.ts";
import { PlannerView } from "./planner-view.ts";

/** Where a pod can go, asked of the planner and of kube-scheduler. */
export interface Question {
  /** The cluster, as the API has it. */
  readonly objects: readonly ClusterObject[];
  readonly pod: Pod;
  /** What kube-scheduler says. */
  readonly real: readonly string[];
}

export interface KnownDifference {
  readonly name: string;
  readonly because: string;
  /** Whether the two may differ over this pod. */
  readonly applies: (question: Question) => boolean;
}

const oncePerPod = "ReadWriteOncePod";
const madeInAdvance = "kubernetes.io/no-provisioner";
const zoneLabel = /^(topology\.kubernetes\.io|failure-domain\.beta\.kubernetes\.io)\/(zone|region)$/;

/** Where the planner does not say what kube-scheduler says, on purpose. */
export const knownDifferences: readonly KnownDifference[] = [
  {
    name: "nominated pods",
    because:
      "The planner keeps room for every nominated pod as if it were there. kube-scheduler keeps it from pods that matter less, and lets nobody count on the company of one that has not come.",
    applies: ({ objects, pod, real }) =>
      askBesideNominated(objects, pod).join() === real.join() || (countsNominatedOnly(pod) && isAnyNominated(objects)),
  },
  {
    name: "pods on their way out",
    because:
      "The planner counts a pod that is being deleted only where it takes room: nobody should get a node, or follow it to one, because of it. kube-scheduler counts it for affinity and anti-affinity until it is gone.",
    applies: ({ objects, pod, real }) =>
      [askPlanner, askBesideNominated].some((ask) => askBesideLeaving(objects, pod, ask).join() === real.join()),
  },
  {
    name: "namespaces without labels",
    because:
      "kube-scheduler asks the namespace selectors of a pod that it places about a namespace without labels, too, so that one which only excludes labels means every namespace. The planner takes it at its word.",
    applies: ({ pod }) => meansEveryNamespace(pod),
  },
  {
    name: "kinds started by zone",
    because:
      "A pod that needs its own kind in its zone, and may not go where that is, starts it anew, as with the Go version. kube-scheduler lets it wait. See docs/differences.md.",
    applies: ({ pod }) => isChoosy(pod) && affinityTerms(pod).some(({ topologyKey }) => topologyKey !== hostnameKey),
  },
  {
    name: "hosts yet to come",
    because:
      "There can always be another host without any pod, so the planner spreads over hosts as if there were one; kube-scheduler compares with the emptiest that there is.",
    applies: ({ objects, pod, real }) => {
      const others = objects.filter((object) => object.kind !== "Pod" || !isNominated(object as Pod));
      const anywhere = askPlanner(others, withoutHostSpread(pod));
      if (anywhere.join() === askPlanner(others, pod).join()) return false;
      return (
        askPlanner(objects, pod).every((name) => real.includes(name)) && real.every((name) => anywhere.includes(name))
      );
    },
  },
  {
    name: "nodes by name",
    because: "A pod that names its node by a field instead of a label is refused: no new node could have that name.",
    applies: ({ pod }) => hasFields(pod),
  },
  {
    name: "inline volumes",
    because:
      "Whether a disk that pods name themselves is in use already is not looked at; claims have taken their place.",
    applies: ({ pod }) => volumesOf(pod).some((volume) => !isClaim(volume) && volume.emptyDir === undefined),
  },
  {
    name: "volumes made in advance",
    because:
      "An unbound claim is taken for one that its class will make a volume for; nobody looks for one that waits.",
    applies: (question) => unboundClaims(question).some((claim) => canBeGiven(claim, question.objects)),
  },
  {
    name: "free storage",
    because: "What a storage system has left says little of where it could make a volume for a new node.",
    applies: (question) => unboundClaims(question).some((claim) => isStorageCounted(claim, question.objects)),
  },
  {
    name: "chosen nodes",
    because: "A claim that is being provisioned for a node is not held to that node, which may be gone.",
    applies: (question) =>
      unboundClaims(question).some(
        ({ metadata }) => metadata?.annotations?.["volume.kubernetes.io/selected-node"] !== undefined,
      ),
  },
  {
    name: "zone labels of volumes",
    because: "Where a volume can be used is read from its node affinity, which has replaced its labels.",
    applies: (question) =>
      boundVolumes(question).some(({ metadata }) =>
        Object.keys(metadata?.labels ?? {}).some((key) => zoneLabel.test(key)),
      ),
  },
  {
    name: "local volumes",
    because: "The host of a local volume is not asked for, because no new node could be it.",
    applies: (question) =>
      boundVolumes(question).some(({ spec }) => spec?.hostPath !== undefined || spec?.local !== undefined),
  },
  {
    name: "claims for one pod",
    because: "Whether another pod has a claim that only one may have is not looked at: a node would not change it.",
    applies: (question) => claimsOf(question).some(({ spec }) => spec?.accessModes?.includes(oncePerPod) === true),
  },
  {
    name: "attachments",
    because: "The claims of the pods on a node are counted, and nothing else that may be attached to it.",
    applies: ({ objects, pod }) =>
      volumesOf(pod).some(isClaim) &&
      (all(objects, "VolumeAttachment").length > 0 || haveSharedHandles(objects) || haveInlineVolumes(objects)),
  },
];

/** Asks where a pod could go. */
type Ask = (objects: readonly ClusterObject[], pod: Pod) => string[];

const askPlanner: Ask = (objects, pod) => new PlannerView(objects).feasible(pod);

/** Node by node: it must take the pod as it is, and with the pods that are nominated to it and matter as much. */
const askBesideNominated: Ask = (objects, pod) => {
  const nominated = all<Pod>(objects, "Pod").filter(isNominated);
  const others = objects.filter((object) => !nominated.includes(object as Pod));
  const priority = pod.spec?.priority ?? 0;
  return askPlanner(others, pod).filter((name) => {
    const here = nominated.filter(
      ({ spec, status }) => status?.nominatedNodeName === name && (spec?.priority ?? 0) >= priority,
    );
    return here.length === 0 || askPlanner([...others, ...here], pod).includes(name);
  });
};

/** As if they stayed for what pods say of each other, and as if they were gone for how pods are spread. */
function askBesideLeaving(objects: readonly ClusterObject[], pod: Pod, ask: Ask): string[] {
  const staying = objects.map((object) => ({ ...object, metadata: without(object.metadata, "deletionTimestamp") }));
  const spread = ask(objects, { ...pod, spec: withAffinity(pod, pod.spec?.affinity?.nodeAffinity) });
  const together = ask(staying, { ...pod, spec: without(pod.spec, "topologySpreadConstraints") });
  return together.filter((name) => spread.includes(name));
}

function withAffinity({ spec }: Pod, nodeAffinity: NodeAffinity | undefined): PodSpec {
  return { ...spec, containers: spec?.containers ?? [], affinity: nodeAffinity === undefined ? {} : { nodeAffinity } };
}

function withoutHostSpread({ spec, ...pod }: Pod): Pod {
  const constraints = (spec?.topologySpreadConstraints ?? []).filter(({ topologyKey }) => topologyKey !== hostnameKey);
  return { ...pod, spec: { ...spec, containers: spec?.containers ?? [], topologySpreadConstraints: constraints } };
}

function without<T extends object>(object: T | undefined, key: keyof T): T {
  const { [key]: _, ...rest } = object ?? ({} as T);
  return rest as T;
}

/** By a spread constraint without a selector that asks for anything, kube-scheduler counts nobody but nominated pods. */
function countsNominatedOnly({ spec }: Pod): boolean {
  return (spec?.topologySpreadConstraints ?? []).some(
    ({ labelSelector: { matchLabels = {}, matchExpressions = [] } = {} }) =>
      Object.keys(matchLabels).length + matchExpressions.length === 0,
  );
}

function isAnyNominated(objects: readonly ClusterObject[]): boolean {
  return all<Pod>(objects, "Pod").some(isNominated);
}

function isNominated({ spec, status }: Pod): boolean {
  return (spec?.nodeName ?? "") === "" && status?.nominatedNodeName !== undefined;
}

/** A pod whose own rules the two read differently, wherever it goes. */
export function isUnusual(pod: Pod): boolean {
  return hasFields(pod) || meansEveryNamespace(pod);
}

function meansEveryNamespace(pod: Pod): boolean {
  return requiredTerms(pod).some(({ namespaceSelector }) => onlyExcludes(namespaceSelector));
}

function requiredTerms(pod: Pod): PodAffinityTerm[] {
  const { podAntiAffinity } = pod.spec?.affinity ?? {};
  return [...affinityTerms(pod), ...(podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [])];
}

function affinityTerms({ spec }: Pod): PodAffinityTerm[] {
  return spec?.affinity?.podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
}

/** Whether there may be nodes that it does not select. */
function isChoosy({ spec }: Pod): boolean {
  const { nodeAffinity } = spec?.affinity ?? {};
  return spec?.nodeSelector !== undefined || nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution !== undefined;
}

function onlyExcludes(selector: LabelSelector | undefined): boolean {
  const { matchLabels = {}, matchExpressions = [] } = selector ?? {};
  const excludes = matchExpressions.every(({ operator }) => operator === "NotIn" || operator === "DoesNotExist");
  return Object.keys(matchLabels).length === 0 && matchExpressions.length > 0 && excludes;
}

function hasFields({ spec }: Pod): boolean {
  const required = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return required?.nodeSelectorTerms.some(({ matchFields = [] }) => matchFields.length > 0) ?? false;
}

type PodVolume = NonNullable<NonNullable<Pod["spec"]>["volumes"]>[number];

function volumesOf({ spec }: Pod): readonly PodVolume[] {
  return spec?.volumes ?? [];
}

function isClaim({ persistentVolumeClaim }: PodVolume): boolean {
  return persistentVolumeClaim !== undefined;
}

function claimsOf({ objects, pod }: Question): PersistentVolumeClaim[] {
  const names = new Set(volumesOf(pod).map(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName));
  return all<PersistentVolumeClaim>(objects, "PersistentVolumeClaim").filter(
    ({ metadata }) => metadata?.namespace === pod.metadata?.namespace && names.has(metadata?.name),
  );
}

function unboundClaims(question: Question): PersistentVolumeClaim[] {
  return claimsOf(question).filter(({ spec }) => spec?.volumeName === undefined);
}

function boundVolumes(question: Question): PersistentVolume[] {
  const names = new Set(claimsOf(question).map(({ spec }) => spec?.volumeName));
  return all<PersistentVolume>(question.objects, "PersistentVolume").filter(({ metadata }) =>
    names.has(metadata?.name),
  );
}

function canBeGiven({ spec }: PersistentVolumeClaim, objects: readonly ClusterObject[]): boolean {
  const volumes = all<PersistentVolume>(objects, "PersistentVolume");
  return (
    classOf(spec, objects)?.provisioner === madeInAdvance ||
    volumes.some((volume) => volume.spec?.storageClassName === spec?.storageClassName)
  );
}

function isStorageCounted({ spec }: PersistentVolumeClaim, objects: readonly ClusterObject[]): boolean {
  const provisioner = classOf(spec, objects)?.provisioner;
  const drivers = all<CSIDriver>(objects, "CSIDriver");
  return drivers.some(({ metadata, spec }) => metadata?.name === provisioner && spec.storageCapacity === true);
}

function classOf(spec: PersistentVolumeClaim["spec"], objects: readonly ClusterObject[]): StorageClass | undefined {
  return all<StorageClass>(objects, "StorageClass").find(({ metadata }) => metadata?.name === spec?.storageClassName);
}

function haveSharedHandles(objects: readonly ClusterObject[]): boolean {
  const handles = all<PersistentVolume>(objects, "PersistentVolume").flatMap(
    ({ spec }) => spec?.csi?.volumeHandle ?? spec?.awsElasticBlockStore?.volumeID ?? [],
  );
  return new Set(handles).size < handles.length;
}

function haveInlineVolumes(objects: readonly ClusterObject[]): boolean {
  return all<Pod>(objects, "Pod").some((pod) => volumesOf(pod).some((volume) => !isClaim(volume)));
}

function all<T extends ClusterObject>(objects: readonly ClusterObject[], kind: string): T[] {
  return objects.filter((object): object is T => object.kind === kind);
}
