import { canonicalText } from "../model/canonical-text.ts";
import { holdAnnotations } from "../model/do-not-disrupt.ts";
import { drainStrategyAnnotation } from "../model/drain-strategy.ts";
import { deletionCostAnnotation } from "../model/eviction-cost.ts";
import type { Labels } from "../model/labels.ts";
import type { Owner, Pod, PodSpec } from "../model/pod.ts";
import { isDaemonSet } from "../model/pod-lifecycle.ts";
import { noResources, type Resources } from "../model/resources.ts";
import { Field, isRecord, nameObject, namespaceOf } from "./field.ts";
import { GenerationCache } from "./generation-cache.ts";
import { wireKey } from "./pod-spec-key.ts";
import { ProblemLog, type Read } from "./problem.ts";
import { readConditions } from "./read-conditions.ts";
import { readLabels } from "./read-labels.ts";
import { readPodLimits } from "./read-pod-limits.ts";
import { readPodSpec } from "./read-pod-spec.ts";
import { findExcess } from "./wire-budget.ts";

const none: Labels = new Map();
const noOwners: readonly Owner[] = [];
/** Of the annotations of pods, those that something here reads. */
export const readAnnotationKeys: ReadonlySet<string> = new Set([
  ...holdAnnotations,
  deletionCostAnnotation,
  drainStrategyAnnotation,
]);
/** As many workloads as pods come of in turn; sets that belong to one pod each must not pile up once it is gone. */
const sharedLabelSets = 2_000;

/** Reads pods that all share the specs and labels that they have in common. */
export type PodReader = (wire: unknown) => Read<Pod>;

/** For a single pod; where many are read, one `createPodReader` for all of them. */
export function readPod(wire: unknown): Read<Pod> {
  return createPodReader()(wire);
}

/** It remembers so many specs, where something else is said than as many as the largest clusters have. */
export function createPodReader(remembered?: number): PodReader {
  const specs = createSpecReader(remembered);
  const labels = shareLabels(remembered);
  const readOwners = shareOwners(remembered);
  return (wire) => {
    const log = new ProblemLog(nameObject(wire, "Pod", "default"));
    if (!isRecord(wire)) log.abandon("", "must be an object");
    const pod = new Field(isRecord(wire) ? wire : {}, log);
    const metadata = pod.at("metadata");
    const namespace = namespaceOf(metadata);
    const name = metadata.at("name").requiredText();
    const status = pod.at("status");
    const owners = readOwners(metadata.at("ownerReferences"));
    const nodeName = pod.at("spec").at("nodeName").text() ?? "";
    const conditions = readConditions(pod);
    const scheduled = conditions.find(({ type }) => type === "PodScheduled");
    const ready = conditions.find(({ type, status }) => type === "Ready" && status === "True");
    const deletesAt = metadata.at("deletionTimestamp");
    return log.conclude({
      namespace,
      name,
      // Files written by hand give no uid; the name is as good within one file.
      uid: metadata.at("uid").text() ?? `${namespace}/${name}`,
      labels: labels(metadata.at("labels")),
      annotations: readAnnotations(metadata.at("annotations")),
      createdAt: metadata.at("creationTimestamp").time() ?? 0,
      startedAt: status.at("startTime").time(),
      readyAt: ready?.lastTransitionTime,
      isDeleting: !deletesAt.isAbsent,
      deletesAt: deletesAt.time(),
      graceSeconds: pod.at("spec").at("terminationGracePeriodSeconds").integer(0, Number.MAX_SAFE_INTEGER) ?? 30,
      priorityClassName: pod.at("spec").at("priorityClassName").text() ?? "",
      serviceAccountName: serviceAccountOf(pod.at("spec")),
      phase: status.at("phase").text() ?? "",
      scheduledReason: scheduled?.reason ?? "",
      scheduledAt: scheduled?.lastTransitionTime,
      isGated: pod.at("spec").at("schedulingGates").items().length > 0,
      isEdited: isEdited(metadata),
      isUncounted: metadata.at("finalizers").texts().includes("batch.kubernetes.io/job-tracking"),
      nodeName,
      nominatedNodeName: status.at("nominatedNodeName").text() ?? "",
      owners,
      ...specs(pod, name, nodeName !== "" || owners.some(isDaemonSet)),
    });
  };
}

/** The generation grows with every change of the spec and once more with the deletion. Before Kubernetes 1.33, pods have none. */
function isEdited(metadata: Field): boolean {
  const generation = metadata.at("generation").integer(0, Number.MAX_SAFE_INTEGER) ?? 1;
  return generation > (metadata.at("deletionTimestamp").isAbsent ? 1 : 2);
}

function serviceAccountOf(spec: Field): string {
  return spec.at("serviceAccountName").text() || spec.at("serviceAccount").text() || "default";
}

/** Pods of one workload have the same owner. */
function shareOwners(remembered = sharedLabelSets): (field: Field) => readonly Owner[] {
  const cache = new GenerationCache<readonly Owner[]>(remembered);
  return (field) => {
    if (field.isAbsent) return noOwners;
    if (findExcess(field.value) !== undefined) return readOwners(field);
    const key = JSON.stringify(field.value);
    const known = cache.get(key);
    if (known !== undefined) return known;
    const isSoundSoFar = field.log.isEmpty;
    const owners = readOwners(field);
    if (isSoundSoFar && field.log.isEmpty) cache.set(key, owners);
    return owners;
  };
}

export function readOwners(field: Field): readonly Owner[] {
  return field.items().map((item) => ({
    apiVersion: item.at("apiVersion").text() ?? "",
    kind: item.at("kind").text() ?? "",
    name: item.at("name").text() ?? "",
    uid: item.at("uid").text() ?? "",
    isController: item.at("controller").flag(),
  }));
}

type SpecAndLimits = Pick<Pod, "spec" | "limits">;

/** Pods that ask for the same get the same objects, found by the text of what they ask for. */
function createSpecReader(remembered?: number): (pod: Field, podName: string, isPlaced: boolean) => SpecAndLimits {
  const byWireKey = new GenerationCache<SpecAndLimits>(remembered);
  const specsByMeaning = new GenerationCache<PodSpec>(remembered);
  const limitsByMeaning = new GenerationCache<Resources>(remembered);
  return (pod, podName, isPlaced) => {
    const containerStatuses = pod.at("status").at("containerStatuses");
    const spec = pod.at("spec");
    const { key, excess } = wireKey(spec.value, containerStatuses.value, podName);
    if (excess !== undefined) {
      spec.log.abandon(spec.path, excess);
      const nothing = { spec: new Field({}, spec.log), containerStatuses: new Field([], spec.log) };
      return { spec: readPodSpec({ ...nothing, podName, isPlaced }), limits: noResources };
    }
    const fullKey = isPlaced ? `placed ${key}` : key;
    const known = byWireKey.get(fullKey);
    if (known !== undefined) return known;
    const fresh = readPodSpec({ spec, containerStatuses, podName, isPlaced });
    if (!spec.log.isEmpty) return { spec: fresh, limits: noResources };
    const read = { spec: share(specsByMeaning, fresh), limits: share(limitsByMeaning, readPodLimits(spec)) };
    byWireKey.set(fullKey, read);
    return read;
  };
}

function share<T>(cache: GenerationCache<T>, fresh: T): T {
  const meaning = canonicalText(fresh);
  const shared = cache.get(meaning) ?? fresh;
  cache.set(meaning, shared);
  return shared;
}

/** Only what something here reads: others put whole configurations into annotations, different for every pod. */
function readAnnotations(field: Field): Labels {
  const kept = new Map<string, string>();
  for (const [key, value] of field.labels()) if (readAnnotationKeys.has(key)) kept.set(key, value);
  return kept.size === 0 ? none : kept;
}

/** Labels repeat as much as specs do, except where every pod has a name of its own among them. */
function shareLabels(remembered = sharedLabelSets): (field: Field) => Labels {
  const cache = new GenerationCache<Labels>(remembered);
  return (field) => {
    if (field.isAbsent) return none;
    if (findExcess(field.value) !== undefined) return readLabels(field);
    const key = JSON.stringify(field.value);
    const known = cache.get(key);
    if (known !== undefined) return known;
    const isSoundSoFar = field.log.isEmpty;
    const fresh = readLabels(field);
    if (isSoundSoFar && field.log.isEmpty) cache.set(key, fresh);
    return fresh;
  };
}
