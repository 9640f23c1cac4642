import type { Read } from "../../core/api/problem.ts";
import { describeProblem } from "../../core/api/problem.ts";
import { readDeploymentRollout, readReplicaSetOwner, readStatefulSetRollout } from "../../core/api/read-rollout.ts";
import type { Owner, Pod } from "../../core/model/pod.ts";
import type { Rollout } from "../../core/model/rollout.ts";
import { type KubeAnswer, type KubeClient, type KubeRefusal, orThrow } from "../../runtime/kube-client.ts";
import type { KubeObject, KubeResource, ObjectName } from "../../runtime/kube-object.ts";
import { deployments, replicaSets, statefulSets } from "../../runtime/resources.ts";

export type FoundRollout =
  | { readonly rollout: Rollout; readonly revisionOf: (pod: Pod) => string; readonly failure?: never }
  /** Why there is none. */
  | { readonly failure: string };

/** What replaces pods of an owner, and what it made them from. */
export async function findRollout(
  kube: KubeClient,
  owner: Owner | undefined,
  namespace: string,
): Promise<FoundRollout> {
  const isApp = owner?.apiVersion === "apps/v1";
  if (isApp && owner.kind === "StatefulSet") return await findStatefulSet(kube, { namespace, name: owner.name });
  if (isApp && owner.kind === "ReplicaSet") return await findDeployment(kube, { namespace, name: owner.name });
  return {
    failure: owner === undefined ? "nothing owns it" : `it is owned by a ${owner.kind}, which knows no rollout`,
  };
}

async function findStatefulSet(kube: KubeClient, place: Place): Promise<FoundRollout> {
  const set = await readOwner({ kube, resource: statefulSets, place }, readStatefulSetRollout);
  if (set.failure !== undefined) return set;
  const revisionOf = ({ labels }: Pod) => labels.get("controller-revision-hash") ?? "";
  return { rollout: set.value, revisionOf };
}

async function findDeployment(kube: KubeClient, place: Place): Promise<FoundRollout> {
  const set = await readOwner({ kube, resource: replicaSets, place }, readReplicaSetOwner);
  if (set.failure !== undefined) return set;
  const { deployment: name, revision } = set.value;
  if (name === undefined) return { failure: `its ReplicaSet "${place.name}" belongs to no Deployment` };
  const deployment = await readOwner({ kube, resource: deployments, place: { ...place, name } }, readDeploymentRollout);
  if (deployment.failure !== undefined) return deployment;
  return { rollout: deployment.value, revisionOf: () => revision };
}

type Place = Required<ObjectName>;

interface OwnerRequest {
  readonly kube: KubeClient;
  readonly resource: KubeResource;
  readonly place: Place;
}

async function readOwner<T>(
  { kube, resource, place }: OwnerRequest,
  read: (wire: unknown) => Read<T>,
): Promise<{ readonly value: T; readonly failure?: never } | { readonly failure: string }> {
  const answer = lastingAnswer(await kube.get(resource, place), `read ${resource.kind} "${place.name}"`);
  if (answer.failure !== undefined) return answer;
  const result = read(answer.object);
  return result.problems === undefined ? result : { failure: result.problems.map(describeProblem).join(" ") };
}

/** The object, or why there will be none; what may be otherwise the next time is thrown. */
export function lastingAnswer(
  answer: KubeAnswer,
  act: string,
): { readonly object: KubeObject; readonly failure?: never } | { readonly failure: string } {
  if (answer.ok || !isVerdict(answer.refusal)) return { object: orThrow(answer, act) };
  return { failure: `cannot ${act}: ${answer.refusal.message}` };
}

function isVerdict({ code, message }: KubeRefusal): boolean {
  return (code < 500 && code !== 409 && code !== 429) || message.includes("webhook");
}
