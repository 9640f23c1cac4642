import { type KubeAnswer, type KubeClient, unless } from "./kube-client.ts";
import type { KubeResource } from "./kube-object.ts";

/** A conflict: somebody else wrote since the version that the new status was made of. */
export type StatusWrite = "written" | "conflict" | "gone";

export interface StatusPatch {
  readonly name: string;
  /** Of the object that the new status was made of. */
  readonly resourceVersion: string;
  /** Only the fields that change, lists as a whole. */
  readonly status: object;
}

export async function patchStatus(
  kube: KubeClient,
  resource: KubeResource,
  { name, resourceVersion, status }: StatusPatch,
): Promise<StatusWrite> {
  const body = { metadata: { resourceVersion }, status };
  const answer = await kube.patch(resource, { name, subresource: "status" }, { body });
  return outcomeOf(answer, `write the status of ${resource.kind} "${name}"`);
}

/** What came of a write that others may have got ahead of. */
export function outcomeOf(answer: KubeAnswer, act: string): StatusWrite {
  if (unless([404, 409], answer, act) !== undefined) return "written";
  return !answer.ok && answer.refusal.code === 404 ? "gone" : "conflict";
}
