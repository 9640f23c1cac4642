import type { Rollout } from "../model/rollout.ts";
import { type Field, isRecord, nameObject, namespaceOf, openObject } from "./field.ts";
import type { Read } from "./problem.ts";

/** What `kubectl rollout restart` writes: a template that differs makes new pods. */
export const restartedAtAnnotation = "kubectl.kubernetes.io/restartedAt";

const hashLabel = "pod-template-hash";
const defaultPatienceSeconds = 600;

export interface ReplicaSetOwner {
  /** Undefined when it stands alone. */
  readonly deployment: string | undefined;
  /** As in the rollout of its Deployment, while that has not gone on to another. */
  readonly revision: string;
}

export function readReplicaSetOwner(wire: unknown): Read<ReplicaSetOwner> {
  const set = openObject(wire, nameObject(wire, "ReplicaSet", "default"));
  const owner = set
    .at("metadata")
    .at("ownerReferences")
    .items()
    .find((item) => item.at("controller").flag());
  const isDeployment = owner?.at("kind").text() === "Deployment" && owner.at("apiVersion").text() === "apps/v1";
  return set.log.conclude({
    deployment: isDeployment ? owner.at("name").text() : undefined,
    revision: templateText(set.at("spec").at("template").value),
  });
}

export function readDeploymentRollout(wire: unknown): Read<Rollout> {
  const deployment = openObject(wire, nameObject(wire, "Deployment", "default"));
  const spec = deployment.at("spec");
  const progressing = deployment
    .at("status")
    .at("conditions")
    .items()
    .find((condition) => condition.at("type").text() === "Progressing");
  const patienceSeconds = spec.at("progressDeadlineSeconds").integer(0, Number.MAX_SAFE_INTEGER);
  return deployment.log.conclude({
    ...readCommon(deployment, "Deployment"),
    revision: templateText(spec.at("template").value),
    obstacle: deploymentObstacle(spec),
    progressedAt: progressing?.at("lastUpdateTime").time(),
    hasStalled: isObserved(deployment) && progressing?.at("status").text() === "False",
    // The largest number stands for no deadline at all, and nobody waits so long for a drain.
    patience:
      1000 *
      (patienceSeconds === undefined || patienceSeconds >= noDeadline ? defaultPatienceSeconds : patienceSeconds),
  });
}

export function readStatefulSetRollout(wire: unknown): Read<Rollout> {
  const set = openObject(wire, nameObject(wire, "StatefulSet", "default"));
  return set.log.conclude({
    ...readCommon(set, "StatefulSet"),
    revision: isObserved(set) ? set.at("status").at("updateRevision").text() : undefined,
    obstacle: statefulSetObstacle(set.at("spec").at("updateStrategy")),
    progressedAt: undefined,
    hasStalled: false,
    patience: defaultPatienceSeconds * 1000,
  });
}

const noDeadline = 2 ** 31 - 1;

function readCommon<Kind extends Rollout["kind"]>(object: Field, kind: Kind) {
  const metadata = object.at("metadata");
  return {
    kind,
    namespace: namespaceOf(metadata),
    name: metadata.at("name").requiredText(),
    uid: metadata.at("uid").text() ?? "",
    resourceVersion: metadata.at("resourceVersion").text() ?? "",
    restartedAt: parseTime(object.at("spec").at("template").at("metadata").at("annotations").labels()),
  };
}

/** Anybody may write anything there. */
function parseTime(annotations: ReadonlyMap<string, string>): number | undefined {
  const time = Date.parse(annotations.get(restartedAtAnnotation) ?? "");
  return Number.isNaN(time) ? undefined : time;
}

/** Its controller has seen the object as it is now. */
function isObserved(object: Field): boolean {
  const integer = (field: Field) => field.integer(0, Number.MAX_SAFE_INTEGER) ?? 0;
  return integer(object.at("status").at("observedGeneration")) >= integer(object.at("metadata").at("generation"));
}

function deploymentObstacle(spec: Field): string | undefined {
  if (spec.at("paused").flag()) return "its rollout is paused";
  const strategy = spec.at("strategy");
  if (strategy.at("type").text() === "Recreate") return "its strategy is Recreate, which ends all pods first";
  const maxSurge = strategy.at("rollingUpdate").at("maxSurge").value;
  return maxSurge === 0 || maxSurge === "0%" ? "its maxSurge is 0, which ends pods first" : undefined;
}

function statefulSetObstacle(strategy: Field): string | undefined {
  if (strategy.at("type").text() === "OnDelete")
    return "its update strategy is OnDelete, which replaces nothing by itself";
  const partition = strategy.at("rollingUpdate").at("partition").integer(0, Number.MAX_SAFE_INTEGER) ?? 0;
  return partition > 0 ? `its update stops at partition ${partition}` : undefined;
}

/** The same text for templates that make the same pods, but for the label that tells ReplicaSets apart. */
function templateText(template: unknown): string {
  return (
    JSON.stringify(template, (key, value: unknown) => {
      if (key === hashLabel) return undefined;
      return isRecord(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value;
    }) ?? ""
  );
}
