import { type KubeClient, unless } from "./kube-client.ts";
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
  if (unless([404, 409], answer, `write the status of ${resource.kind} "${name}"`) !== undefined) return "written";
  return !answer.ok && answer.refusal.code === 404 ? "gone" : "conflict";
}
