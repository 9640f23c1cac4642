import {
  type ClaimTemplate,
  type Demand,
  isOptedOut,
  type OrdinalDemand,
  type Workload,
  type WorkloadKind,
} from "../model/workload.ts";
import { type AdmissionDefaults, admitTemplate } from "./admit-template.ts";
import { type Field, nameObject, namespaceOf, openObject } from "./field.ts";
import type { Read } from "./problem.ts";
import { readConditions } from "./read-conditions.ts";
import { readOwners } from "./read-pod.ts";
import { readClaimRequest } from "./read-volumes.ts";
import type { TemplateKeeper } from "./workload-template.ts";

export interface WorkloadSource {
  readonly kind: WorkloadKind;
  readonly templates: TemplateKeeper;
  readonly defaults: AdmissionDefaults;
}

/** What a workload asks for, and the pod that its template describes. */
export function readWorkload(wire: unknown, { kind, templates, defaults }: WorkloadSource): Read<Workload> {
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
  const template = spec.at("template");
  const read = templates.keep(workload, {
    metadata: template.at("metadata").value,
    spec: admitTemplate(template.at("spec").value, defaults),
  });
  if (read.problems === undefined) return read;
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
