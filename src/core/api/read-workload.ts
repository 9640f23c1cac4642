import type { Pod } from "../model/pod.ts";
import {
  type ClaimTemplate,
  type Demand,
  isOptedOut,
  type OrdinalDemand,
  type Workload,
  type WorkloadKind,
} from "../model/workload.ts";
import { applyLimitRanges, type ContainerDefaults } from "./apply-limit-ranges.ts";
import { type Field, isRecord, nameObject, namespaceOf, openObject } from "./field.ts";
import type { Read } from "./problem.ts";
import { readConditions } from "./read-conditions.ts";
import { type PodReader, readOwners } from "./read-pod.ts";
import { readClaimRequest } from "./read-volumes.ts";

/** What the API server adds to pods of a namespace at admission, apart from webhooks. */
export interface AdmissionDefaults {
  readonly limitRanges: readonly ContainerDefaults[];
  /** By name. */
  readonly priorityClasses: ReadonlyMap<string, PriorityClass>;
  readonly runtimeClasses: ReadonlyMap<string, RuntimeClass>;
}

export interface PriorityClass {
  readonly value: number;
  readonly isDefault: boolean;
}

/** What a runtime class adds to a pod, as on the wire. */
export interface RuntimeClass {
  readonly overhead: unknown;
  readonly nodeSelector: unknown;
  readonly tolerations: unknown;
}

export function readPriorityClass(wire: unknown): Read<PriorityClass> {
  const priorityClass = openObject(wire, nameObject(wire, "PriorityClass"));
  return priorityClass.log.conclude({
    value: priorityClass.at("value").integer(-(2 ** 31), 2 ** 31 - 1) ?? 0,
    isDefault: priorityClass.at("globalDefault").flag(),
  });
}

export function readRuntimeClass(wire: unknown): Read<RuntimeClass> {
  const runtimeClass = openObject(wire, nameObject(wire, "RuntimeClass"));
  const scheduling = runtimeClass.at("scheduling");
  return runtimeClass.log.conclude({
    overhead: runtimeClass.at("overhead").at("podFixed").value,
    nodeSelector: scheduling.at("nodeSelector").value,
    tolerations: scheduling.at("tolerations").value,
  });
}

export interface WorkloadSource {
  readonly kind: WorkloadKind;
  readonly readPod: PodReader;
  readonly defaults: AdmissionDefaults;
}

/** What a workload asks for, and the pod that its template describes. */
export function readWorkload(wire: unknown, { kind, readPod, defaults }: WorkloadSource): Read<Workload> {
  const object = openObject(wire, nameObject(wire, kind, "default"));
  const metadata = object.at("metadata");
  const name = metadata.at("name").requiredText();
  const namespace = namespaceOf(metadata);
  const uid = metadata.at("uid").text() ?? "";
  const spec = object.at("spec");
  const podSpec = spec.at("template").at("spec");
  const isForUs = isForKubeScheduler(podSpec);
  const workload = {
    kind,
    namespace,
    name,
    uid,
    createdAt: metadata.at("creationTimestamp").time() ?? 0,
    isDeleting: !metadata.at("deletionTimestamp").isAbsent,
    controller: readOwners(metadata.at("ownerReferences")).find(({ isController }) => isController),
    isOptedOut: isOptedOut(metadata.at("labels").labels(), metadata.at("annotations").labels()),
    isObserved: isObserved(object, kind),
    demand: isForUs ? readDemand(object, kind) : none,
  };
  if (!object.log.isEmpty) return { problems: object.log.problems };
  const read = readTemplate(spec.at("template"), { workload, readPod, defaults });
  if (read.problems === undefined) return { value: { ...workload, template: read.value } };
  const at = object.log.object;
  return { problems: read.problems.map((one) => ({ ...one, object: at, field: `spec.template.${one.field}` })) };
}

const none: Demand = { kind: "none" };

/** Pods with a gate, or of another scheduler, may be held back for as long as that likes. */
function isForKubeScheduler(podSpec: Field): boolean {
  const scheduler = podSpec.at("schedulerName").text() ?? "";
  return podSpec.at("schedulingGates").items().length === 0 && (scheduler === "" || scheduler === "default-scheduler");
}

/** Its controller has seen the object as it is now. */
function isObserved(object: Field, kind: WorkloadKind): boolean {
  const status = object.at("status");
  if (kind === "Job") return !status.at("startTime").isAbsent;
  return count(status.at("observedGeneration"), 0) >= count(object.at("metadata").at("generation"), 0);
}

function readDemand(object: Field, kind: WorkloadKind): Demand {
  const spec = object.at("spec");
  switch (kind) {
    case "Deployment":
      // While it is paused, its controller creates no ReplicaSet.
      return spec.at("paused").flag() ? none : { kind: "replicas", replicas: count(spec.at("replicas"), 1) };
    case "ReplicaSet":
    case "ReplicationController":
      return { kind: "replicas", replicas: count(spec.at("replicas"), 1) };
    case "StatefulSet":
      return readOrdinals(object);
    case "Job":
      return readTasks(object);
  }
}

function readOrdinals(set: Field): OrdinalDemand {
  const [spec, status] = [set.at("spec"), set.at("status")];
  const hasToStayReady = count(spec.at("minReadySeconds"), 0) > 0;
  return {
    kind: "ordinals",
    replicas: count(spec.at("replicas"), 1),
    start: count(spec.at("ordinals").at("start"), 0),
    isParallel: spec.at("podManagementPolicy").text() === "Parallel",
    available: hasToStayReady ? count(status.at("availableReplicas"), 0) : Number.POSITIVE_INFINITY,
    claimTemplates: spec.at("volumeClaimTemplates").items().map(readClaimTemplate),
    revision: isObserved(set, "StatefulSet") ? (status.at("updateRevision").text() ?? "") : "",
    partition: count(spec.at("updateStrategy").at("rollingUpdate").at("partition"), 0),
    currentRevision: status.at("currentRevision").text() ?? "",
  };
}

function readClaimTemplate(template: Field): ClaimTemplate {
  return {
    name: template.at("metadata").at("name").text() ?? "",
    ...readClaimRequest(template),
  };
}

const endings: ReadonlySet<string> = new Set(["Complete", "Failed", "FailureTarget", "SuccessCriteriaMet"]);
const ownController = "kubernetes.io/job-controller";

function readTasks(job: Field): Demand {
  const [spec, status] = [job.at("spec"), job.at("status")];
  const manager = spec.at("managedBy").text() ?? ownController;
  const conditions = readConditions(job);
  const isEnding = conditions.some((condition) => endings.has(condition.type) && condition.status === "True");
  if (spec.at("suspend").flag() || isEnding || manager !== ownController) return none;
  const uncounted = status.at("uncountedTerminatedPods");
  const [succeeded, failed] = [uncounted.at("succeeded").texts(), uncounted.at("failed").texts()];
  const hasBackoffPerIndex = !spec.at("backoffLimitPerIndex").isAbsent;
  return {
    kind: "tasks",
    parallelism: count(spec.at("parallelism"), 1),
    completions: spec.at("completions").isAbsent ? undefined : count(spec.at("completions"), 1),
    succeeded: count(status.at("succeeded"), 0) + succeeded.length,
    failed: count(status.at("failed"), 0) + failed.length,
    counted: new Set([...succeeded, ...failed]),
    failedIndexes: countIndexes(status.at("failedIndexes").text() ?? ""),
    backoffLimit: count(spec.at("backoffLimit"), hasBackoffPerIndex ? largestCount : 6),
    hasBackoffPerIndex,
    waitsForTerminating: spec.at("podReplacementPolicy").text() === "Failed" || !spec.at("podFailurePolicy").isAbsent,
    wasSuspended: conditions.some(({ type }) => type === "Suspended"),
  };
}

/** As in "1,3-5,7". */
function countIndexes(text: string): number {
  const ranges = text.split(",").filter((range) => /^\d+(-\d+)?$/.test(range));
  return ranges.reduce((sum, range) => {
    const [first = "", last = first] = range.split("-");
    return sum + Math.max(0, Number(last) - Number(first) + 1);
  }, 0);
}

const largestCount = 2 ** 31 - 1;

function count(field: Field, fallback: number): number {
  return field.integer(0, largestCount) ?? fallback;
}

interface TemplateParts extends Omit<WorkloadSource, "kind"> {
  readonly workload: Omit<Workload, "template">;
}

function readTemplate(template: Field, { workload, readPod, defaults }: TemplateParts): Read<Pod> {
  const { kind, namespace, name, uid, createdAt } = workload;
  const metadata = template.at("metadata").record();
  const apiVersion = kind === "ReplicationController" ? "v1" : kind === "Job" ? "batch/v1" : "apps/v1";
  return readPod({
    metadata: {
      name,
      namespace,
      uid: `${uid}/template`,
      creationTimestamp: new Date(createdAt).toISOString(),
      labels: metadata?.labels,
      annotations: metadata?.annotations,
      ownerReferences: [{ apiVersion, kind, name, uid, controller: true }],
    },
    spec: admitted(template.at("spec").value, defaults),
    status: { phase: "Pending" },
  });
}

/** The spec as the API server's own admission leaves it. */
function admitted(spec: unknown, { limitRanges, priorityClasses, runtimeClasses }: AdmissionDefaults): unknown {
  if (!isRecord(spec)) return spec;
  const runtimeClass =
    typeof spec.runtimeClassName === "string" ? runtimeClasses.get(spec.runtimeClassName) : undefined;
  const priority = [...priorityClasses].find(([name, { isDefault }]) =>
    spec.priorityClassName === undefined || spec.priorityClassName === "" ? isDefault : name === spec.priorityClassName,
  );
  const overhead = runtimeClass?.overhead === undefined ? {} : { overhead: runtimeClass.overhead };
  const [tolerations, added] = [listOf(spec.tolerations), listOf(runtimeClass?.tolerations)];
  return {
    ...spec,
    ...overhead,
    ...(priority === undefined ? {} : { priority: priority[1].value, priorityClassName: priority[0] }),
    ...(isRecord(runtimeClass?.nodeSelector)
      ? { nodeSelector: { ...(isRecord(spec.nodeSelector) ? spec.nodeSelector : {}), ...runtimeClass.nodeSelector } }
      : {}),
    ...(added.length > 0 ? { tolerations: [...tolerations, ...added] } : {}),
    ...withLimitRanges(spec, limitRanges),
  };
}

function withLimitRanges(spec: Readonly<Record<string, unknown>>, limitRanges: readonly ContainerDefaults[]): object {
  const { containers, initContainers } = applyLimitRanges(spec, limitRanges) as Readonly<Record<string, unknown>>;
  return { containers, ...(initContainers === undefined ? {} : { initContainers }) };
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
