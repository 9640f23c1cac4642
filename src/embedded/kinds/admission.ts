import type {
  Node,
  PersistentVolumeClaim,
  Pod,
  PodSpec,
  ServiceAccount,
  Toleration,
} from "kubernetes-types/core/v1.js";
import type { PriorityClass } from "kubernetes-types/scheduling/v1.js";
import type { StorageClass } from "kubernetes-types/storage/v1.js";
import { regionLabel, zoneLabel } from "../../core/model/labels.ts";
import type { Draft, KubeObject } from "../kube-object.ts";
import { applyRuntimeClass } from "./admit-runtime-class.ts";
import { copyServiceAccountName } from "./pod-spec-defaults.ts";
import { isDefaultClass } from "./storage.ts";

/** What admission looks up among the objects that are stored. */
export interface AdmissionLookup {
  priorityClasses(): Iterable<KubeObject>;
  runtimeClass(name: string): KubeObject | undefined;
  storageClasses(): Iterable<KubeObject>;
  serviceAccount(namespace: string, name: string): KubeObject | undefined;
  node(name: string): KubeObject | undefined;
}

export interface AdmissionRequest {
  readonly draft: Draft;
  /** Absent for what is new. */
  readonly old?: KubeObject | undefined;
  readonly group: string;
  readonly plural: string;
}

/**
 * Makes the changes that a cluster makes by default to what somebody writes: service account, priority, tolerations,
 * runtime class and the zone of pods, taints of new nodes, class and finalizers of volumes. Answers with why it
 * refuses, if it does; that text follows "is forbidden: ". Writes of subresources are not its business.
 */
export function admit(request: AdmissionRequest, lookup: AdmissionLookup): string | undefined {
  const { draft, old, group, plural } = request;
  const resource = group === "" ? plural : `${plural}.${group}`;
  switch (resource) {
    case "pods":
      return old === undefined ? admitNewPod(draft, lookup) : admitChangedPod(draft, old);
    case "nodes":
      if (old === undefined) taintNewNode(draft);
      return undefined;
    case "persistentvolumes":
      if (old === undefined) addFinalizer(draft, "kubernetes.io/pv-protection");
      return undefined;
    case "persistentvolumeclaims":
      if (old === undefined) prepareNewClaim(draft, lookup);
      return undefined;
    case "priorityclasses.scheduling.k8s.io":
      return admitPriorityClass(request, lookup);
    default:
      return undefined;
  }
}

function admitNewPod(draft: Draft, lookup: AdmissionLookup): string | undefined {
  const { metadata, spec } = draft as unknown as Pod;
  if (spec === undefined) return undefined;
  const topology = topologyLabels(lookup.node(spec.nodeName ?? ""));
  if (topology !== undefined) draft.metadata.labels = { ...draft.metadata.labels, ...topology };
  const isMirror = metadata?.annotations?.["kubernetes.io/config.mirror"] !== undefined;
  const refusal = isMirror ? undefined : setServiceAccount(spec, metadata?.namespace ?? "", lookup);
  return (
    refusal ??
    setPriority(spec, lookup) ??
    tolerateBriefly(spec) ??
    applyRuntimeClass(spec, (name) => lookup.runtimeClass(name))
  );
}

/** What a pod gets to know of where its node is. */
export function topologyLabels(node: KubeObject | undefined): Record<string, string> | undefined {
  const labels = Object.entries(node?.metadata.labels ?? {}).filter(
    ([key]) => key === zoneLabel || key === regionLabel,
  );
  return labels.length === 0 ? undefined : Object.fromEntries(labels);
}

function admitChangedPod(draft: Draft, old: KubeObject): undefined {
  const { spec } = draft as unknown as Pod;
  const before = (old as unknown as Pod).spec;
  if (spec === undefined || before === undefined) return undefined;
  if (before.priority !== undefined) spec.priority ??= before.priority;
  if (before.preemptionPolicy !== undefined) spec.preemptionPolicy ??= before.preemptionPolicy;
  tolerateBriefly(spec);
  return undefined;
}

/**
 * Without the volume with a token: nobody here would check one. And a namespace whose default account is not made yet,
 * or never will be because nothing but the API runs, does not keep anybody waiting.
 */
function setServiceAccount(spec: PodSpec, namespace: string, lookup: AdmissionLookup): string | undefined {
  if (!spec.serviceAccountName && lookup.serviceAccount(namespace, "default") === undefined) return undefined;
  spec.serviceAccountName ||= "default";
  copyServiceAccountName(spec);
  const name = spec.serviceAccountName;
  const account = lookup.serviceAccount(namespace, name) as unknown as ServiceAccount | undefined;
  if (account === undefined) {
    return `error looking up service account ${namespace}/${name}: serviceaccount "${name}" not found`;
  }
  const secrets = account.imagePullSecrets ?? [];
  if ((spec.imagePullSecrets ?? []).length === 0 && secrets.length > 0)
    spec.imagePullSecrets = structuredClone(secrets);
  return undefined;
}

function setPriority(spec: PodSpec, lookup: AdmissionLookup): string | undefined {
  const classes = [...lookup.priorityClasses()] as unknown as PriorityClass[];
  const wanted = spec.priorityClassName;
  const found = wanted ? classes.find(({ metadata }) => metadata?.name === wanted) : defaultPriorityClass(classes);
  if (wanted && found === undefined) return `no PriorityClass with name ${wanted} was found`;
  if (found?.metadata?.name !== undefined) spec.priorityClassName = found.metadata.name;
  const computed = "must not be provided in pod spec; priority admission controller computed";
  const suffix = "from the given PriorityClass name";
  const priority = found?.value ?? 0;
  if (spec.priority !== undefined && spec.priority !== priority) {
    return `the integer value of priority (${spec.priority}) ${computed} ${priority} ${suffix}`;
  }
  spec.priority = priority;
  const policy = found?.preemptionPolicy ?? "PreemptLowerPriority";
  if (spec.preemptionPolicy !== undefined && spec.preemptionPolicy !== policy) {
    return `the string value of PreemptionPolicy (${spec.preemptionPolicy}) ${computed} ${policy} ${suffix}`;
  }
  spec.preemptionPolicy = policy;
  return undefined;
}

/** The lowest, should there be several. */
function defaultPriorityClass(classes: readonly PriorityClass[]): PriorityClass | undefined {
  const defaults = classes.filter(({ globalDefault }) => globalDefault === true);
  return defaults.sort((a, b) => a.value - b.value)[0];
}

function admitPriorityClass({ draft, old }: AdmissionRequest, lookup: AdmissionLookup): string | undefined {
  if (draft.globalDefault !== true) return undefined;
  const current = defaultPriorityClass([...lookup.priorityClasses()] as unknown as PriorityClass[])?.metadata?.name;
  if (current === undefined || (old !== undefined && current === draft.metadata.name)) return undefined;
  return `PriorityClass ${current} is already marked as default. Only one default can exist`;
}

const briefTaints = ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"];

/** A pod leaves a node that is not there any more after five minutes, unless it says something else. */
function tolerateBriefly(spec: PodSpec): undefined {
  const isTolerated = (taint: string): boolean =>
    (spec.tolerations ?? []).some(
      ({ key, effect }: Toleration) => (!key || key === taint) && (!effect || effect === "NoExecute"),
    );
  const added = briefTaints
    .filter((taint) => !isTolerated(taint))
    .map((key) => ({ key, operator: "Exists", effect: "NoExecute", tolerationSeconds: 300 }));
  if (added.length > 0) spec.tolerations = [...(spec.tolerations ?? []), ...added];
  return undefined;
}

/** Nothing is put on a node before it has said that it is ready. */
function taintNewNode(draft: Draft): void {
  const node = draft as unknown as Node;
  const notReady = { key: "node.kubernetes.io/not-ready", effect: "NoSchedule" };
  const taints = node.spec?.taints ?? [];
  if (taints.some(({ key, effect }) => key === notReady.key && effect === notReady.effect)) return;
  draft.spec = { ...node.spec, taints: [...taints, notReady] };
}

function prepareNewClaim(draft: Draft, lookup: AdmissionLookup): void {
  const { metadata, spec } = draft as unknown as PersistentVolumeClaim;
  const hasClass = metadata?.annotations?.["volume.beta.kubernetes.io/storage-class"] !== undefined;
  if (spec !== undefined && spec.storageClassName === undefined && !hasClass) {
    const name = defaultStorageClass([...lookup.storageClasses()] as unknown as StorageClass[]);
    if (name !== undefined) spec.storageClassName = name;
  }
  addFinalizer(draft, "kubernetes.io/pvc-protection");
}

/** The newest default class, and the first by name among equals. */
function defaultStorageClass(classes: readonly StorageClass[]): string | undefined {
  const defaults = classes.filter(isDefaultClass).map(({ metadata }) => metadata ?? {});
  const newest = defaults.sort((a, b) => {
    const [timeA, timeB] = [a.creationTimestamp ?? "", b.creationTimestamp ?? ""];
    if (timeA !== timeB) return timeA > timeB ? -1 : 1;
    return (a.name ?? "") < (b.name ?? "") ? -1 : 1;
  });
  return newest[0]?.name;
}

function addFinalizer(draft: Draft, finalizer: string): void {
  const finalizers = draft.metadata.finalizers ?? [];
  if (!finalizers.includes(finalizer)) draft.metadata.finalizers = [...finalizers, finalizer];
}
